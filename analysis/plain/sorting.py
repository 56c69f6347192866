"""Siblings in order: small lists by insertion, long ones by heap, without memory of their own."""

from __future__ import annotations

from typing import Any

from analysis.plain.compiled import kernel

Ints = Any  # numpy int64 array

SHORT = 24


@kernel
def before(one: int, other: int, first: Ints, second: Ints, third: Ints) -> bool:
    """Whether the row `one` sorts before the row `other` by three columns."""
    if first[one] != first[other]:
        return bool(first[one] < first[other])
    if second[one] != second[other]:
        return bool(second[one] < second[other])
    return bool(third[one] < third[other])


@kernel
def _sink(
    rows: Ints, low: int, at: int, count: int, first: Ints, second: Ints, third: Ints
) -> None:
    """Let the entry at `at` sink in a heap whose top is the last in order."""
    while True:
        child = 2 * at + 1
        if child >= count:
            return
        right = child + 1
        if right < count and before(rows[low + child], rows[low + right], first, second, third):
            child = right
        if not before(rows[low + at], rows[low + child], first, second, third):
            return
        rows[low + at], rows[low + child] = rows[low + child], rows[low + at]
        at = child


@kernel
def sort(rows: Ints, low: int, high: int, first: Ints, second: Ints, third: Ints) -> None:
    """Sort `rows[low:high]`, which are row numbers, by three columns, smallest first."""
    count = high - low
    if count <= SHORT:
        for at in range(low + 1, high):
            row, place = rows[at], at
            while place > low and before(row, rows[place - 1], first, second, third):
                rows[place] = rows[place - 1]
                place -= 1
            rows[place] = row
        return
    for at in range(count // 2 - 1, -1, -1):
        _sink(rows, low, at, count, first, second, third)
    for last in range(count - 1, 0, -1):
        rows[low], rows[low + last] = rows[low + last], rows[low]
        _sink(rows, low, 0, last, first, second, third)


@kernel
def push(
    heap: Ints, low: int, count: int, row: int, first: Ints, second: Ints, third: Ints
) -> None:
    """Add a row to the heap `heap[low:low + count]`, whose top is the first in order."""
    at = count
    heap[low + at] = row
    while at > 0:
        above = (at - 1) // 2
        if not before(heap[low + at], heap[low + above], first, second, third):
            return
        heap[low + at], heap[low + above] = heap[low + above], heap[low + at]
        at = above


@kernel
def pop(heap: Ints, low: int, count: int, first: Ints, second: Ints, third: Ints) -> None:
    """Remove the top of the heap `heap[low:low + count]`."""
    heap[low] = heap[low + count - 1]
    count, at = count - 1, 0
    while True:
        child = 2 * at + 1
        if child >= count:
            return
        right = child + 1
        if right < count and before(heap[low + right], heap[low + child], first, second, third):
            child = right
        if not before(heap[low + child], heap[low + at], first, second, third):
            return
        heap[low + at], heap[low + child] = heap[low + child], heap[low + at]
        at = child
