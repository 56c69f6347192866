"""Which rule takes each span of plain trees: `Matcher.reassign` over arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.plain.compiled import inner, kernel

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array


class Spans(NamedTuple):
    """Spans in tree order; `own` numbers what holds for each span itself.

    `names` and `services` are codes (services -1 where none is named).
    """

    first: Ints
    parent: Ints
    own: Ints
    service: Ints
    server: Flags
    inner: Flags  # internal or unspecified
    transport: Flags


class Rules(NamedTuple):
    """`table[8 * own + neighbours]` is a rule (`Matcher.rules_of`); its role stands beside."""

    table: Ints
    call: Flags
    observer: Flags
    looks_below: bool


class Given(NamedTuple):
    """The rule of each span; `plain` is False for a trace in which the order of spans matters."""

    rule: Ints
    plain: Flags


# Rows of the matrices below: what is known of each span, and what is found out.
_PARENT, _OWN, _SERVICE, _SERVER, _INNER, _TRANSPORT = range(6)
_RULE, _ANSWERED, _UNDER, _ABOVE, _VERDICT = range(5)


def given(spans: Spans, rules: Rules) -> Given:
    """The rule of every span."""
    known = np.stack([column.astype(np.int64, copy=False) for column in spans[1:]])
    found = np.zeros((5, len(spans.parent)), np.int64)
    found[_VERDICT] = -1
    plain = np.ones(len(spans.first) - 1, np.bool_)
    roles = np.stack([rules.call, rules.observer])
    _give_all(spans.first, known, rules.table, roles, rules.looks_below, found, plain)
    return Given(found[_RULE], plain)


@kernel
def _give_all(
    first: Ints, spans: Ints, table: Ints, roles: Flags, looks_below: bool, found: Ints,
    plain: Flags,
) -> None:  # fmt: skip
    for trace in range(len(first) - 1):
        low, high = first[trace], first[trace + 1]
        for row in range(low + 1, high):
            if not _answer(row, spans, found):
                plain[trace] = False
        _give(low, high, spans, table, roles, found)
        calls = False
        for row in range(low, high):
            if roles[0, found[_RULE, row]]:
                calls = True
                above = spans[_PARENT, row]
                while above >= 0 and found[_ABOVE, above] == 0:
                    found[_ABOVE, above] = 1
                    above = spans[_PARENT, above]
        if calls and looks_below:
            _give(low, high, spans, table, roles, found)


@inner
def _answers(row: int, caller: int, spans: Ints) -> bool:
    one, other = spans[_SERVICE, row], spans[_SERVICE, caller]
    if one == other:
        return False
    named = one >= 0 and other >= 0 and spans[_INNER, row] > 0
    return bool(named or spans[_SERVER, row] > 0)


@inner
def _answer(row: int, spans: Ints, found: Ints) -> bool:
    """Mark whom a span answers; False where another span under a caller passes on differently."""
    caller = spans[_PARENT, row]
    alike = True
    while caller >= 0 and _answers(row, caller, spans):
        found[_ANSWERED, caller] = 1
        above = spans[_PARENT, caller]
        if spans[_TRANSPORT, caller] == 0 or above < 0:
            break
        passes = int(_answers(row, above, spans))
        if found[_VERDICT, caller] < 0:
            found[_VERDICT, caller] = passes
        elif found[_VERDICT, caller] != passes:
            alike = False
        caller = above
    return alike


@inner
def _give(low: int, high: int, spans: Ints, table: Ints, roles: Flags, found: Ints) -> None:
    for row in range(low, high):
        above, under = spans[_PARENT, row], 0
        if above >= 0:
            rule = found[_RULE, above]
            calls = roles[0, rule] and spans[_SERVER, above] == 0
            if calls or (roles[1, rule] and found[_UNDER, above] > 0):
                under = 1
        found[_UNDER, row] = under
        near = found[_ANSWERED, row] + 2 * under + 4 * found[_ABOVE, row]
        found[_RULE, row] = table[8 * spans[_OWN, row] + near]
