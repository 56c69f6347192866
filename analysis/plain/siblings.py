"""What staging would do between siblings: traces in which it may do anything are not plain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.plain.compiled import kernel
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


def plain(spans: Spans) -> Flags:
    """Traces without streams that outlast parents, observers, retries and servers to be adopted."""
    found = np.ones(len(spans.first) - 1, np.bool_)
    count = len(spans.parent)
    _screen_all(
        spans, found, _Room(*np.empty((3, count), np.int64), *np.empty((2, count), np.bool_))
    )
    return found


class _Room(NamedTuple):
    previous: Ints  # the sibling before, -1 at the first
    last: Ints  # the last child so far
    wants: Ints  # what the children of a span ask for, as bits
    loud: Flags  # a span or one below it streams or is a call
    served: Flags  # has a server child of another service


@kernel
def _screen_all(spans: Spans, found: Flags, room: _Room) -> None:
    for trace in range(len(spans.first) - 1):
        low, high = spans.first[trace], spans.first[trace + 1]
        found[trace] = _calm(low, high, spans, room) and _alone(low, high, spans, room)


@kernel
def _calm(low: int, high: int, spans: Spans, room: _Room) -> bool:
    """No late stream, no observer, no span that repeats its parent; fills the room."""
    calm = True
    for row in range(low, high):
        room.loud[row] = spans.loud[row] or spans.call[row]
        room.served[row], room.wants[row], room.last[row] = False, 0, -1
    for row in range(high - 1, low, -1):
        above = spans.parent[row]
        if room.loud[row]:
            room.loud[above] = True
            if spans.late[row]:
                calm = False
        if spans.server[row] and spans.service[row] != spans.service[above]:
            room.served[above] = True
        if spans.observer[row] or _repeats(row, above, spans):
            calm = False
    return calm


@kernel
def _repeats(row: int, above: int, spans: Spans) -> bool:
    if spans.start[row] == spans.end[row] or spans.service[row] != spans.service[above]:
        return False
    if spans.start[row] != spans.start[above] or spans.end[row] != spans.end[above]:
        return False
    alike = spans.name[row] == spans.name[above] and spans.kind[row] == spans.kind[above]
    return bool(alike or (spans.call[row] and spans.call[above]))


@kernel
def _alone(low: int, high: int, spans: Spans, room: _Room) -> bool:
    """No pair of siblings that is one attempt and the next, or a caller and its server."""
    patience = PATIENCE * (high - low)
    for row in range(low + 1, high):
        above = spans.parent[row]
        if spans.blocking[row]:
            room.wants[above] |= _wants(row, spans, room)
    for row in range(low + 1, high):
        above = spans.parent[row]
        if room.wants[above] & 1 == 0 and room.wants[above] & 6 != 6:
            continue
        if not spans.blocking[row]:
            continue
        other = room.last[above]
        room.previous[row], room.last[above] = other, row
        while other >= 0:
            patience -= 1
            retried = _retried(row, other, spans) or _retried(other, row, spans)
            if patience < 0 or retried or _adopts(row, other, spans, room):
                return False
            if _adopts(other, row, spans, room):
                return False
            other = room.previous[other]
    return True


@kernel
def _wants(row: int, spans: Spans, room: _Room) -> int:
    """1: may be an attempt of several; 2: a server with a name; 4: may take a server."""
    wants = int(spans.failed[row] or spans.resent[row] or spans.attempt[row])
    wants |= 2 * int(spans.server[row] and spans.service[row] >= 0)
    return wants | (4 * int(_may_adopt(row, spans, room)))


@kernel
def _may_adopt(row: int, spans: Spans, room: _Room) -> bool:
    calls = spans.client[row] or (spans.call[row] and not spans.server[row])
    return bool(calls and not spans.other_client[row] and not room.served[row])


@kernel
def _retried(first: int, then: int, spans: Spans) -> bool:
    """Whether `then` may be another try of `first`; more often than the reference says so."""
    if spans.alike[first] != spans.alike[then]:
        return False
    if spans.end[first] > spans.start[then] + OVERLAP_NS:
        return False
    again = spans.attempt[then] and spans.attempt[first]
    return bool(spans.resent[then] or spans.failed[first] or again)


@kernel
def _adopts(caller: int, server: int, spans: Spans, room: _Room) -> bool:
    if not spans.server[server] or spans.service[server] < 0:
        return False
    if spans.service[caller] == spans.service[server] or not _may_adopt(caller, spans, room):
        return False
    starts = spans.start[caller] <= spans.start[server]
    return bool(starts and spans.end[caller] >= spans.end[server])
