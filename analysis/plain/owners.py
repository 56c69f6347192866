"""The partition of many requests at once: `critical_path.partition` over arrays."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from analysis.plain.compiled import inner, kernel
from analysis.plain.sorting import pop, push, sort

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

PATIENCE: Final = 64
"""Steps per span after which a walk is left to `critical_path`, which leaps down long chains."""


class Forest(NamedTuple):
    """Trees without observers, parents before children.

    `first[i]` is the row of request i's root and `first[-1]` the number of rows; `parent` is a row
    (-1 at roots), `start` and `end` are ns, `rank` orders spans as their keys do.
    """

    first: Ints
    parent: Ints
    start: Ints
    end: Ints
    rank: Ints
    blocking: Flags


class Slices(NamedTuple):
    """Who owns what, request by request in time order; `first` as in `Forest`.

    `walked` is False for a request whose tree was too deep: it has no slices.
    """

    first: Ints
    row: Ints
    start: Ints
    end: Ints
    walked: Flags


# Rows of the matrices below: of what is known of each span and of what is found.
_PARENT, _START, _END, _RANK, _BLOCKING = range(5)
_ROW, _FROM, _TO = range(3)
# Of the room, a column per span of the largest tree. The blocking children lie side by side: those
# of span i are kids[at[i]:at[i + 1]]; opened, they are kids[at[i]:kept[i]], the latest end first,
# following[i] (-1 before) is the next of them and the heap holds those that are running.
_AT, _KIDS, _FOLLOWING, _KEPT, _RUNNING = range(5)
_EDGE, _BEGIN = range(2)  # of the keys by which children and running ones are sorted


def slices(forest: Forest) -> Slices:
    """The owners of every request's window; they tile it without gap or overlap."""
    known = np.stack([column.astype(np.int64, copy=False) for column in forest[1:]])
    found = np.empty((3, 2 * len(forest.parent) + len(forest.first)), np.int64)
    first = np.zeros(len(forest.first), np.int64)
    walked = np.zeros(len(forest.first) - 1, np.bool_)
    size = int(np.diff(forest.first).max(initial=0)) + 1
    room, latest, soonest = (np.empty((rows, size), np.int64) for rows in (5, 3, 3))
    heap = np.empty(size, np.int64)
    used = _walk_all(forest.first, known, room, latest, soonest, heap, found, first, walked)
    return Slices(first, found[_ROW, :used], found[_FROM, :used], found[_TO, :used], walked)


@kernel
def _walk_all(
    trees: Ints, spans: Ints, room: Ints, latest: Ints, soonest: Ints, heap: Ints, found: Ints,
    first: Ints, walked: Flags,
) -> int:  # fmt: skip
    used = 0
    for tree in range(len(trees) - 1):
        low, high = trees[tree], trees[tree + 1]
        _hang(low, high, spans, room, latest, soonest)
        last = _walk(low, high, spans, room, latest, soonest, heap, found, used)
        walked[tree] = last >= 0
        if last >= 0:
            used = _forwards(found, used, last)
        first[tree + 1] = used
    return used


@inner
def _hang(low: int, high: int, spans: Ints, room: Ints, latest: Ints, soonest: Ints) -> None:
    count = high - low
    for span in range(count + 1):
        room[_AT, span] = 0
    for row in range(low + 1, high):
        if spans[_BLOCKING, row]:
            room[_AT, spans[_PARENT, row] - low + 1] += 1
    for span in range(count):
        room[_AT, span + 1] += room[_AT, span]
        room[_KEPT, span], room[_FOLLOWING, span] = room[_AT, span], -1
        latest[2, span] = soonest[2, span] = spans[_RANK, low + span]
    for row in range(low + 1, high):
        if spans[_BLOCKING, row]:
            above = spans[_PARENT, row] - low
            room[_KIDS, room[_KEPT, above]] = row - low
            room[_KEPT, above] += 1
    soonest[_BEGIN, 0], soonest[_EDGE, 0] = spans[_START, low], spans[_END, low]


@inner
def _open(low: int, node: int, spans: Ints, room: Ints, latest: Ints, soonest: Ints) -> None:
    """Clip the children of a span to it, leave out empty ones, and sort them."""
    first = room[_AT, node]
    kept = first
    for place in range(first, room[_AT, node + 1]):
        kid = room[_KIDS, place]
        begin = max(spans[_START, low + kid], soonest[_BEGIN, node])
        until = min(spans[_END, low + kid], soonest[_EDGE, node])
        soonest[_BEGIN, kid] = latest[_BEGIN, kid] = begin
        soonest[_EDGE, kid], latest[_EDGE, kid] = until, -until
        if begin < until:
            room[_KIDS, kept] = kid
            kept += 1
    if kept - first > 1:
        sort(room[_KIDS], first, kept, latest)
    room[_FOLLOWING, node], room[_KEPT, node], room[_RUNNING, node] = first, kept, 0


@inner
def _walk(
    low: int, high: int, spans: Ints, room: Ints, latest: Ints, soonest: Ints, heap: Ints,
    found: Ints, used: int,
) -> int:  # fmt: skip
    """Write the slices of one request from the latest to the earliest; where they end, or -1."""
    t, patience = soonest[_EDGE, 0], PATIENCE * (high - low) + 1_000
    stack = [(0, soonest[_BEGIN, 0])]
    while len(stack) > 0:
        node, floor = stack[-1]
        if t <= floor:
            stack.pop()
            continue
        patience -= 1
        if patience < 0:
            return -1
        if room[_FOLLOWING, node] < 0:
            _open(low, node, spans, room, latest, soonest)
        pick, bound = _choose(node, t, room, soonest, heap)
        bound = max(bound, floor)
        if pick >= 0:
            stack.append((pick, bound))
            continue
        found[_ROW, used], found[_FROM, used], found[_TO, used] = low + node, bound, t
        used += 1
        t = bound
    return used


@inner
def _choose(node: int, t: int, room: Ints, soonest: Ints, heap: Ints) -> tuple[int, int]:
    """Who has the instants up to `t`, and down to where: a child, or -1 for the span itself."""
    low, following, running = room[_AT, node], room[_FOLLOWING, node], room[_RUNNING, node]
    while following < room[_KEPT, node] and soonest[_EDGE, room[_KIDS, following]] > t:
        push(heap, low, running, room[_KIDS, following], soonest)
        running += 1
        following += 1
    room[_FOLLOWING, node], pick, bound = following, -1, soonest[_BEGIN, node]
    if following < room[_KEPT, node]:
        last = room[_KIDS, following]
        bound = soonest[_EDGE, last]
        if bound == t:
            room[_RUNNING, node] = running
            return last, soonest[_BEGIN, last]
    while running > 0 and soonest[_BEGIN, heap[low]] >= t:
        pop(heap, low, running, soonest)
        running -= 1
    room[_RUNNING, node] = running
    if running > 0:
        pick = heap[low]
        bound = max(soonest[_BEGIN, pick], bound)
    return pick, bound


@inner
def _forwards(found: Ints, low: int, high: int) -> int:
    """Turn the slices of one request around and join neighbours of one span; where they end."""
    one, other = low, high - 1
    while one < other:
        for column in range(3):
            found[column, one], found[column, other] = found[column, other], found[column, one]
        one, other = one + 1, other - 1
    kept = low
    for at in range(low, high):
        if kept > low and found[_ROW, kept - 1] == found[_ROW, at]:
            found[_TO, kept - 1] = found[_TO, at]
            continue
        for column in range(3):
            found[column, kept] = found[column, at]
        kept += 1
    return kept
