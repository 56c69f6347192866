"""Siblings in order: small lists by insertion, long ones by heap, without memory of their own."""

from __future__ import annotations

from typing import Any

from analysis.plain.compiled import inner, kernel

Ints = Any  # numpy int64 array

SHORT = 24


@inner
def before(one: int, other: int, keys: Ints) -> bool:
    """Whether the row `one` sorts before the row `other` by the three rows of `keys`."""
    if keys[0, one] != keys[0, other]:
        return bool(keys[0, one] < keys[0, other])
    if keys[1, one] != keys[1, other]:
        return bool(keys[1, one] < keys[1, other])
    return bool(keys[2, one] < keys[2, other])


@kernel
def _sink(rows: Ints, low: int, at: int, count: int, keys: Ints) -> None:
    """Let the entry at `at` sink in a heap whose top is the last in order."""
    while True:
        child = 2 * at + 1
        if child >= count:
            return
        right = child + 1
        if right < count and before(rows[low + child], rows[low + right], keys):
            child = right
        if not before(rows[low + at], rows[low + child], keys):
            return
        rows[low + at], rows[low + child] = rows[low + child], rows[low + at]
        at = child


@kernel
def sort(rows: Ints, low: int, high: int, keys: Ints) -> None:
    """Sort `rows[low:high]`, which are row numbers, by their three keys, smallest first."""
    count = high - low
    if count <= SHORT:
        for at in range(low + 1, high):
            row, place = rows[at], at
            while place > low and before(row, rows[place - 1], keys):
                rows[place] = rows[place - 1]
                place -= 1
            rows[place] = row
        return
    for at in range(count // 2 - 1, -1, -1):
        _sink(rows, low, at, count, keys)
    for last in range(count - 1, 0, -1):
        rows[low], rows[low + last] = rows[low + last], rows[low]
        _sink(rows, low, 0, last, keys)


@inner
def push(heap: Ints, low: int, count: int, row: int, keys: Ints) -> None:
    """Add a row to the heap `heap[low:low + count]`, whose top is the first in order."""
    at = count
    heap[low + at] = row
    while at > 0:
        above = (at - 1) // 2
        if not before(heap[low + at], heap[low + above], keys):
            return
        heap[low + at], heap[low + above] = heap[low + above], heap[low + at]
        at = above


@inner
def pop(heap: Ints, low: int, count: int, keys: Ints) -> None:
    """Remove the top of the heap `heap[low:low + count]`."""
    heap[low] = heap[low + count - 1]
    count, at = count - 1, 0
    while True:
        child = 2 * at + 1
        if child >= count:
            return
        right = child + 1
        if right < count and before(heap[low + right], heap[low + child], keys):
            child = right
        if not before(heap[low + child], heap[low + at], keys):
            return
        heap[low + at], heap[low + child] = heap[low + child], heap[low + at]
        at = child
