"""Which rule takes each span of plain trees: `Matcher.reassign` over arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.plain.compiled import kernel

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
    answered: Flags
    under: Flags
    above: Flags  # a call is below
    plain: Flags


def given(spans: Spans, rules: Rules) -> Given:
    """The rule of every span."""
    count = len(spans.parent)
    found = Given(
        rule=np.zeros(count, np.int64),
        answered=np.zeros(count, np.bool_),
        under=np.zeros(count, np.bool_),
        above=np.zeros(count, np.bool_),
        plain=np.ones(len(spans.first) - 1, np.bool_),
    )
    _give_all(spans, rules, found, np.full(count, -1, np.int64))
    return found


@kernel
def _give_all(spans: Spans, rules: Rules, found: Given, verdict: Ints) -> None:
    for trace in range(len(spans.first) - 1):
        low, high = spans.first[trace], spans.first[trace + 1]
        for row in range(low + 1, high):
            if not _answer(row, spans, found, verdict):
                found.plain[trace] = False
        _give(low, high, spans, rules, found)
        calls = False
        for row in range(low, high):
            if rules.call[found.rule[row]]:
                calls = True
                above = spans.parent[row]
                while above >= 0 and not found.above[above]:
                    found.above[above] = True
                    above = spans.parent[above]
        if calls and rules.looks_below:
            _give(low, high, spans, rules, found)


@kernel
def _answers(row: int, caller: int, spans: Spans) -> bool:
    one, other = spans.service[row], spans.service[caller]
    if one == other:
        return False
    return bool(spans.server[row] or (one >= 0 and other >= 0 and spans.inner[row]))


@kernel
def _answer(row: int, spans: Spans, found: Given, verdict: Ints) -> bool:
    """Mark whom a span answers; False where another span under a caller passes on differently."""
    caller = spans.parent[row]
    alike = True
    while caller >= 0 and _answers(row, caller, spans):
        found.answered[caller] = True
        above = spans.parent[caller]
        if not spans.transport[caller] or above < 0:
            break
        passes = int(_answers(row, above, spans))
        if verdict[caller] < 0:
            verdict[caller] = passes
        elif verdict[caller] != passes:
            alike = False
        caller = above
    return alike


@kernel
def _give(low: int, high: int, spans: Spans, rules: Rules, found: Given) -> None:
    for row in range(low, high):
        above, under = spans.parent[row], False
        if above >= 0:
            rule = found.rule[above]
            under = rules.call[rule] or (rules.observer[rule] and found.under[above])
        found.under[row] = under
        near = int(found.answered[row]) + 2 * int(under) + 4 * int(found.above[row])
        found.rule[row] = rules.table[8 * spans.own[row] + near]
