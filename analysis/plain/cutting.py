"""Slices cut where the stage of their span changes, and what they add up to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.plain.compiled import kernel
from analysis.plain.owners import Slices

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array


class Pieces(NamedTuple):
    """The stages of every span: those of span i are `first[i]` to `first[i + 1]`."""

    first: Ints
    stage: Ints
    end: Ints


class Segments(NamedTuple):
    """Request by request in time order; `first` is where each request begins."""

    first: Ints
    row: Ints
    stage: Ints
    start: Ints
    end: Ints


def segments(slices: Slices, pieces: Pieces) -> Segments:
    """The slices cut at the pieces of their spans; they tile as well."""
    room = len(slices.row) + len(pieces.stage)
    found = Segments(np.zeros_like(slices.first), *np.empty((4, room), np.int64))
    used = _cut(slices, pieces, found)
    return Segments(found.first, *(column[:used] for column in found[1:]))


@kernel
def _cut(slices: Slices, pieces: Pieces, found: Segments) -> int:
    used = 0
    for request in range(len(slices.first) - 1):
        for at in range(slices.first[request], slices.first[request + 1]):
            row, start = slices.row[at], slices.start[at]
            piece, last = pieces.first[row], pieces.first[row + 1] - 1
            while piece < last and pieces.end[piece] <= start:
                piece += 1
            while start < slices.end[at]:
                end = slices.end[at] if piece == last else min(slices.end[at], pieces.end[piece])
                found.row[used], found.stage[used] = row, pieces.stage[piece]
                found.start[used], found.end[used] = start, end
                start, used, piece = end, used + 1, piece + 1
        found.first[request + 1] = used
    return used


def sums(found: Segments, until: Ints, stages: int) -> Ints:
    """Ns per request and stage, of what lies before an instant of each request."""
    ns = np.zeros((len(found.first) - 1, stages), np.int64)
    _add(found, until, ns)
    return ns


@kernel
def _add(found: Segments, until: Ints, ns: Ints) -> None:
    for request in range(len(found.first) - 1):
        for at in range(found.first[request], found.first[request + 1]):
            end = min(found.end[at], until[request])
            ns[request, found.stage[at]] += max(0, end - found.start[at])


def shares(slices: Slices, parent: Ints) -> tuple[Ints, Flags]:
    """The self time (ns) of every span, and whether it or a span below it owns an instant."""
    self_ns, on_path = np.zeros(len(parent), np.int64), np.zeros(len(parent), np.bool_)
    _share(slices, parent, self_ns, on_path)
    return self_ns, on_path


@kernel
def _share(slices: Slices, parent: Ints, self_ns: Ints, on_path: Flags) -> None:
    for at in range(len(slices.row)):
        self_ns[slices.row[at]] += slices.end[at] - slices.start[at]
    for row in range(len(parent) - 1, -1, -1):
        on_path[row] = on_path[row] or self_ns[row] > 0
        if on_path[row] and parent[row] >= 0:
            on_path[parent[row]] = True
