"""What staging would do between siblings: traces in which it may do anything are not plain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.plain.compiled import inner, kernel
from analysis.staging.attempts import OVERLAP_NS

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

PATIENCE = 50
"""Pairs of siblings tried per span; a trace that has more is left to the reference."""


class Spans(NamedTuple):
    """Spans in tree order with what staging asks of them; `alike` are attempts of one thing."""

    first: Ints
    parent: Ints
    start: Ints
    end: Ints
    service: Ints
    alike: Ints
    name: Ints
    kind: Ints
    server: Flags
    client: Flags
    blocking: Flags
    late: Flags  # ends after its parent
    call: Flags
    observer: Flags
    attempt: Flags
    failed: Flags
    resent: Flags
    other_client: Flags
    loud: Flags


# Rows of the matrix of spans, in the order of `Spans`, and of the room beside it.
(
    _PARENT,
    _START,
    _END,
    _SERVICE,
    _ALIKE,
    _NAME,
    _KIND,
    _SERVER,
    _CLIENT,
    _BLOCKING,
    _LATE,
    _CALL,
    _OBSERVER,
    _ATTEMPT,
    _FAILED,
    _RESENT,
    _OTHER_CLIENT,
    _LOUD,
) = range(18)
_OWN_PREVIOUS, _OWN_LAST, _OWN_WANTS, _OWN_LOUD, _OWN_SERVED = range(5)
"""The sibling before (-1: none), the last child so far, what the children ask for as bits, whether
the span or one below it streams or is a call, whether it has a server child of another service."""


def plain(spans: Spans) -> Flags:
    """Traces without streams that outlast parents, observers, retries and servers to be adopted."""
    found = np.ones(len(spans.first) - 1, np.bool_)
    known = np.stack([column.astype(np.int64, copy=False) for column in spans[1:]])
    _screen_all(spans.first, known, found, np.empty((5, len(spans.parent)), np.int64))
    return found & ~_layered(spans)


def _layered(spans: Spans) -> Flags:
    """Traces in which servers may be layers of one another (`staging.nesting`).

    More often than the reference says so: hosts and times are not asked.
    """
    rows = np.flatnonzero(spans.server & (spans.service >= 0) & (spans.parent >= 0))
    above, service = spans.parent[rows], spans.service[rows]
    called = (spans.client | (spans.call & ~spans.server))[above]
    answers = called & (spans.service[above] != service)
    width = int(spans.service.max(initial=0)) + 1
    under = above * width + service
    _codes, at, counts = np.unique(under[answers], return_inverse=True, return_counts=True)
    beside = np.isin(under, spans.parent[above[answers]] * width + service[answers]) & ~called
    doubtful = np.concatenate([rows[answers][counts[at] > 1], rows[beside]])
    found = np.zeros(len(spans.first) - 1, np.bool_)
    found[np.searchsorted(spans.first, doubtful, side="right") - 1] = True
    return found


@kernel
def _screen_all(first: Ints, spans: Ints, found: Flags, room: Ints) -> None:
    for trace in range(len(first) - 1):
        low, high = first[trace], first[trace + 1]
        found[trace] = _calm(low, high, spans, room) and _alone(low, high, spans, room)


@inner
def _calm(low: int, high: int, spans: Ints, room: Ints) -> bool:
    """No late stream, no observer, no span that repeats its parent; fills the room."""
    calm = True
    for row in range(low, high):
        room[_OWN_LOUD, row] = spans[_LOUD, row] or spans[_CALL, row]
        room[_OWN_SERVED, row], room[_OWN_WANTS, row], room[_OWN_LAST, row] = False, 0, -1
    for row in range(high - 1, low, -1):
        above = spans[_PARENT, row]
        if room[_OWN_LOUD, row]:
            room[_OWN_LOUD, above] = True
            if spans[_LATE, row]:
                calm = False
        if spans[_SERVER, row] and spans[_SERVICE, row] != spans[_SERVICE, above]:
            room[_OWN_SERVED, above] = True
        if spans[_OBSERVER, row] or _repeats(row, above, spans):
            calm = False
    return calm


@inner
def _repeats(row: int, above: int, spans: Ints) -> bool:
    if spans[_START, row] == spans[_END, row] or spans[_SERVICE, row] != spans[_SERVICE, above]:
        return False
    if spans[_START, row] != spans[_START, above] or spans[_END, row] != spans[_END, above]:
        return False
    alike = spans[_NAME, row] == spans[_NAME, above] and spans[_KIND, row] == spans[_KIND, above]
    return bool(alike or (spans[_CALL, row] and spans[_CALL, above]))


@inner
def _alone(low: int, high: int, spans: Ints, room: Ints) -> bool:
    """No pair of siblings that is one attempt and the next, or a caller and its server."""
    patience = PATIENCE * (high - low)
    for row in range(low + 1, high):
        above = spans[_PARENT, row]
        if spans[_BLOCKING, row]:
            room[_OWN_WANTS, above] |= _wants(row, spans, room)
    for row in range(low + 1, high):
        above = spans[_PARENT, row]
        if room[_OWN_WANTS, above] & 1 == 0 and room[_OWN_WANTS, above] & 6 != 6:
            continue
        if not spans[_BLOCKING, row]:
            continue
        other = room[_OWN_LAST, above]
        room[_OWN_PREVIOUS, row], room[_OWN_LAST, above] = other, row
        while other >= 0:
            patience -= 1
            retried = _retried(row, other, spans) or _retried(other, row, spans)
            if patience < 0 or retried or _adopts(row, other, spans, room):
                return False
            if _adopts(other, row, spans, room):
                return False
            other = room[_OWN_PREVIOUS, other]
    return True


@inner
def _wants(row: int, spans: Ints, room: Ints) -> int:
    """1: may be an attempt of several; 2: a server with a name; 4: may take a server."""
    wants = int(spans[_FAILED, row] or spans[_RESENT, row] or spans[_ATTEMPT, row])
    wants |= 2 * int(spans[_SERVER, row] and spans[_SERVICE, row] >= 0)
    return wants | (4 * int(_may_adopt(row, spans, room)))


@inner
def _may_adopt(row: int, spans: Ints, room: Ints) -> bool:
    calls = spans[_CLIENT, row] or (spans[_CALL, row] and not spans[_SERVER, row])
    return bool(calls and not spans[_OTHER_CLIENT, row] and not room[_OWN_SERVED, row])


@inner
def _retried(first: int, then: int, spans: Ints) -> bool:
    """Whether `then` may be another try of `first`; more often than the reference says so."""
    if spans[_END, first] > spans[_START, then] + OVERLAP_NS:
        return False
    if spans[_ALIKE, first] != spans[_ALIKE, then]:  # a fallback to another model
        return bool(spans[_FAILED, first] and spans[_CALL, first] and spans[_CALL, then])
    again = spans[_ATTEMPT, then] and spans[_ATTEMPT, first]
    return bool(spans[_RESENT, then] or spans[_FAILED, first] or again)


@inner
def _adopts(caller: int, server: int, spans: Ints, room: Ints) -> bool:
    if not spans[_SERVER, server] or spans[_SERVICE, server] < 0:
        return False
    if spans[_SERVICE, caller] == spans[_SERVICE, server] or not _may_adopt(caller, spans, room):
        return False
    starts = spans[_START, caller] <= spans[_START, server]
    return bool(starts and spans[_END, caller] >= spans[_END, server])
