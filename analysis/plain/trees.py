"""Spans of many traces joined by their parent ids, those of plain traces put into tree order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.plain.compiled import kernel
from analysis.plain.sorting import sort

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array


class Records(NamedTuple):
    """Spans as recorded, trace by trace: those of trace i are `first[i]` to `first[i + 1]`.

    `key` and `above` are the span's and its parent's id as numbers that sort like the ids (`above`
    `NO_PARENT` for none), `start` and `end` ns, `usable` whether its record alone is plain.
    """

    first: Ints
    key: Ints
    above: Ints
    start: Ints
    end: Ints
    usable: Flags


class Order(NamedTuple):
    """The spans of each trace, parents before children, siblings by start.

    `row` is the place in `Records`, `parent` a place in this order (-1 at roots). Of a trace that
    is not `plain` only the number of spans means anything.
    """

    row: Ints
    parent: Ints
    depth: Ints
    plain: Flags


NO_PARENT = -(1 << 63)
"""The id of zeros as such a number; no span of a plain trace has it."""


def numbers(column: Any) -> tuple[Ints, Flags]:
    """Ids of 16 lower-case hexadecimal digits as numbers that sort alike; where they are such."""
    raw = np.frombuffer(column.buffers()[2] or b"\0", np.uint8)
    edges = np.frombuffer(column.buffers()[1], np.int32)[column.offset :][: len(column) + 1]
    value, known = np.zeros(len(column), np.int64), np.zeros(len(column), np.bool_)
    _read_ids(raw, edges, value, known)
    return value, known


@kernel
def _read_ids(raw: Any, edges: Ints, value: Ints, known: Flags) -> None:
    for row in range(len(value)):
        number, fits = np.uint64(0), edges[row + 1] - edges[row] == _DIGITS
        for place in range(edges[row], edges[row + 1] if fits else edges[row]):
            nibble = _NIBBLES[raw[place]]
            fits = fits and nibble < 16
            number = (number << np.uint64(4)) | np.uint64(nibble & 15)
        known[row] = fits
        value[row] = np.int64(number ^ np.uint64(1 << 63))


_DIGITS = 16
_NIBBLES = np.full(256, 255, np.uint8)
_NIBBLES[[ord(digit) for digit in "0123456789abcdef"]] = range(16)


def ordered(records: Records) -> Order:
    """The tree order of every trace that is one tree of distinct spans with all parents there."""
    count = len(records.key)
    found = Order(
        np.arange(count),
        np.full(count, -1, np.int64),
        np.zeros(count, np.int64),
        np.zeros(len(records.first) - 1, np.bool_),
    )
    size = int(np.diff(records.first).max(initial=0)) + 1
    siblings = np.stack([records.start, -records.end, records.key])
    by_key = np.stack([records.key, records.start, records.end])
    _order_all(records, siblings, by_key, found, _Room(*np.empty((5, size), np.int64)))
    return found


class _Room(NamedTuple):
    """Places for one number per span of the largest trace."""

    at: Ints  # where the children of each span begin in `kids`
    kids: Ints
    above: Ints  # the parent
    filled: Ints
    number: Ints  # the place in tree order


@kernel
def _order_all(records: Records, siblings: Ints, by_key: Ints, found: Order, room: _Room) -> None:
    for trace in range(len(records.first) - 1):
        low, high = records.first[trace], records.first[trace + 1]
        root = _connect(low, high, records, by_key, found.row, room)
        if root >= 0:
            _list_children(low, high, siblings, room)
            found.plain[trace] = _number(low, high, root, found, room)


@kernel
def _connect(low: int, high: int, records: Records, keys: Ints, by_key: Ints, room: _Room) -> int:
    """Find every parent; the root, or -1 where the trace is not plain. Uses `by_key`'s places."""
    root = -1
    sort(by_key, low, high, keys)
    for place in range(low, high):
        row = by_key[place]
        twice = place > low and records.key[by_key[place - 1]] == records.key[row]
        if twice or not records.usable[row] or records.key[row] == NO_PARENT:
            return -1
    for row in range(low, high):
        if records.above[row] == NO_PARENT:
            if root >= 0:
                return -1
            root = row
            room.above[row - low] = -1
            continue
        first, last = low, high
        while first < last:
            middle = (first + last) // 2
            if records.key[by_key[middle]] < records.above[row]:
                first = middle + 1
            else:
                last = middle
        if first == high or records.key[by_key[first]] != records.above[row]:
            return -1
        room.above[row - low] = by_key[first] - low
    return root


@kernel
def _list_children(low: int, high: int, siblings: Ints, room: _Room) -> None:
    count = high - low
    room.at[: count + 1] = 0
    for row in range(count):
        if room.above[row] >= 0:
            room.at[room.above[row] + 1] += 1
    for row in range(count):
        room.at[row + 1] += room.at[row]
    room.filled[:count] = room.at[:count]
    for row in range(count):
        if room.above[row] >= 0:
            room.kids[room.filled[room.above[row]]] = low + row
            room.filled[room.above[row]] += 1
    for row in range(count):
        first, last = room.at[row], room.at[row + 1]
        if last - first > 1:
            sort(room.kids, first, last, siblings)


@kernel
def _number(low: int, high: int, root: int, found: Order, room: _Room) -> bool:
    """Write the tree order from the root; False where spans hang in a circle instead."""
    stack = [root]
    placed = low
    while len(stack) > 0:
        row = stack.pop()
        above = room.above[row - low]
        room.number[row - low] = placed
        found.row[placed] = row
        found.parent[placed] = -1 if above < 0 else room.number[above]
        found.depth[placed] = 0 if above < 0 else found.depth[room.number[above]] + 1
        placed += 1
        for place in range(room.at[row - low + 1] - 1, room.at[row - low] - 1, -1):
            stack.append(room.kids[place])
    return placed == high
