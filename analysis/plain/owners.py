"""The partition of many requests at once: `critical_path.partition` over arrays."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from analysis.plain.compiled import kernel
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


class _Room(NamedTuple):
    """Places for one number per span of the largest tree; the blocking children lie side by side.

    Those of span i are `kids[at[i]:at[i + 1]]`: opened, they are `kids[at[i]:kept[i]]`, the latest
    end first, `following[i]` (-1 before) is the next of them and `heap` holds the running ones.
    """

    at: Ints
    kids: Ints
    following: Ints
    kept: Ints
    heap: Ints
    running: Ints
    begin: Ints
    until: Ints
    minus_until: Ints
    rank: Ints


def slices(forest: Forest) -> Slices:
    """The owners of every request's window; they tile it without gap or overlap."""
    room = 2 * len(forest.parent) + len(forest.first)
    found = Slices(
        np.zeros(len(forest.first), np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.zeros(len(forest.first) - 1, np.bool_),
    )
    size = int(np.diff(forest.first).max(initial=0)) + 1
    used = _walk_all(forest, found, _Room(*np.empty((10, size), np.int64)))
    return found._replace(row=found.row[:used], start=found.start[:used], end=found.end[:used])


@kernel
def _walk_all(forest: Forest, found: Slices, room: _Room) -> int:
    used = 0
    for tree in range(len(forest.first) - 1):
        low, high = forest.first[tree], forest.first[tree + 1]
        _hang(low, high, forest, room)
        last = _walk(low, high, forest, found, room, used)
        found.walked[tree] = last >= 0
        if last >= 0:
            used = _forwards(found, used, last)
        found.first[tree + 1] = used
    return used


@kernel
def _hang(low: int, high: int, forest: Forest, room: _Room) -> None:
    at, count = room.at, high - low
    at[: count + 1] = 0
    for row in range(low + 1, high):
        if forest.blocking[row]:
            at[forest.parent[row] - low + 1] += 1
    for span in range(count):
        at[span + 1] += at[span]
    room.kept[:count] = at[:count]
    for row in range(low + 1, high):
        if forest.blocking[row]:
            above = forest.parent[row] - low
            room.kids[room.kept[above]] = row - low
            room.kept[above] += 1
    room.following[:count] = -1
    room.rank[:count] = forest.rank[low:high]
    room.begin[0], room.until[0] = forest.start[low], forest.end[low]


@kernel
def _open(low: int, node: int, forest: Forest, room: _Room) -> None:
    """Clip the children of a span to it, leave out empty ones, and sort them."""
    first = room.at[node]
    kept = first
    for place in range(first, room.at[node + 1]):
        kid = room.kids[place]
        room.begin[kid] = max(forest.start[low + kid], room.begin[node])
        room.until[kid] = min(forest.end[low + kid], room.until[node])
        room.minus_until[kid] = -room.until[kid]
        if room.begin[kid] < room.until[kid]:
            room.kids[kept] = kid
            kept += 1
    sort(room.kids, first, kept, room.minus_until, room.begin, room.rank)
    room.following[node], room.kept[node], room.running[node] = first, kept, 0


@kernel
def _walk(low: int, high: int, forest: Forest, found: Slices, room: _Room, used: int) -> int:
    """Write the slices of one request from the latest to the earliest; where they end, or -1."""
    t, patience = room.until[0], PATIENCE * (high - low) + 1_000
    stack = [(0, room.begin[0])]
    while len(stack) > 0:
        node, floor = stack[-1]
        if t <= floor:
            stack.pop()
            continue
        patience -= 1
        if patience < 0:
            return -1
        if room.following[node] < 0:
            _open(low, node, forest, room)
        pick, bound = _choose(node, t, room)
        bound = max(bound, floor)
        if pick >= 0:
            stack.append((pick, bound))
            continue
        found.row[used], found.start[used], found.end[used] = low + node, bound, t
        used += 1
        t = bound
    return used


@kernel
def _choose(node: int, t: int, room: _Room) -> tuple[int, int]:
    """Who has the instants up to `t`, and down to where: a child, or -1 for the span itself."""
    begin, until, heap, low = room.begin, room.until, room.heap, room.at[node]
    following, running = room.following[node], room.running[node]
    while following < room.kept[node] and until[room.kids[following]] > t:
        push(heap, low, running, room.kids[following], until, begin, room.rank)
        running += 1
        following += 1
    room.following[node], pick, bound = following, -1, begin[node]
    if following < room.kept[node]:
        last = room.kids[following]
        bound = until[last]
        if bound == t:
            room.running[node] = running
            return last, begin[last]
    while running > 0 and begin[heap[low]] >= t:
        pop(heap, low, running, until, begin, room.rank)
        running -= 1
    room.running[node] = running
    if running > 0:
        pick = heap[low]
        bound = max(begin[pick], bound)
    return pick, bound


@kernel
def _forwards(found: Slices, low: int, high: int) -> int:
    """Turn the slices of one request around and join neighbours of one span; where they end."""
    one, other = low, high - 1
    while one < other:
        for column in (found.row, found.start, found.end):
            column[one], column[other] = column[other], column[one]
        one, other = one + 1, other - 1
    kept = low
    for at in range(low, high):
        if kept > low and found.row[kept - 1] == found.row[at]:
            found.end[kept - 1] = found.end[at]
            continue
        found.row[kept], found.start[kept] = found.row[at], found.start[at]
        found.end[kept] = found.end[at]
        kept += 1
    return kept
