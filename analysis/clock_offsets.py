"""Clocks from many traces: which shift most calls between two hosts allow, drift included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from analysis.cleaning import placed
from analysis.cleaning.clocks import room
from analysis.cleaning.forest import CLIP_NS, walk
from analysis.tree import Span

QUARTER_NS: Final = 900_000_000_000
LEAST: Final = 5
"""Calls between two hosts in a quarter of an hour under which nothing is estimated: an offset and
a drift need two on either side, and one more may be wrong (docs/attribution.md has the figures)."""

MOST: Final = 600
"""Calls that are looked at: those with the least room say most."""

SLICES: Final = 15
"""Parts of the quarter from which those are taken alike, so that a drift shows."""

AGREEING: Final = 0.8
"""Share of the calls that the line has to fit; the others are timeouts and background work."""

STEPS_PPB: Final = ((100_000, 4_000), (4_000, 400))
"""Half width and step of each search for the drift: up to 100 ppm, to 0.4 ppm."""

GRAIN_NS: Final = 10_000
"""To what a shift is rounded, so that a call more seldom changes a line."""

_FAR: Final = 1 << 61
_BILLION: Final = 1_000_000_000


class Bound(NamedTuple):
    """What one call says: the shifts (ns) of the host `below` against `above` under which it fits.

    `quarter` (of an hour since the epoch) and `at_ns` are those of the call by its caller's clock;
    `low` or `high` is None where the call says nothing on that side.
    """

    quarter: int
    above: str
    below: str
    at_ns: int
    low: int | None
    high: int | None


class Line(NamedTuple):
    """A clock's shift over a quarter: `shift_ns` at `at_ns`, and by how much it changes."""

    at_ns: int
    shift_ns: int
    drift_ppb: int

    def shift(self, at_ns: int) -> int:
        """The ns to add to the clock's times around an instant."""
        return self.shift_ns + self.drift_ppb * (at_ns - self.at_ns) // _BILLION


class Offsets:
    """The lines that were found, by quarter and pair of hosts."""

    def __init__(self, lines: dict[tuple[int, str, str], Line]) -> None:
        self.lines = lines

    def between(self, parent: Span, child: Span) -> int | None:
        """What is known of the clocks of two spans, for `clean`; None where nothing is."""
        if parent.host is None or child.host is None or parent.raw_start is None:
            return None
        return self.known(parent.host, child.host, parent.raw_start)

    def known(self, above: str, below: str, at_ns: int) -> int | None:
        """By how much to move `below` so that it agrees with `above`; None where not known."""
        quarter = at_ns // QUARTER_NS
        line = self.lines.get((quarter, above, below))
        if line is not None:
            return line.shift(at_ns)
        line = self.lines.get((quarter, below, above))
        return None if line is None else -line.shift(at_ns)


def bounds(spans: list[Span]) -> list[Bound]:
    """What the calls of one trace say of its hosts, from freshly parsed spans with `rule` set."""
    tree = walk(placed(spans).roots)
    found = [_bound(span.parent, span) for span in tree if span.parent is not None]
    return [bound for bound in found if bound is not None]


def _bound(parent: Span, child: Span) -> Bound | None:
    """None for all but a client's call of a server on another host: elsewhere slack is work."""
    if parent.host is None or child.host is None or parent.host == child.host:
        return None
    if (parent.kind, child.kind) != ("client", "server") or parent.raw_start is None:
        return None
    sides = room(parent, child)
    return None if sides is None else bound(parent.host, child.host, parent.raw_start, *sides)


def bound(above: str, below: str, at_ns: int, low: int | None, high: int | None) -> Bound:
    """The same whichever of the two hosts calls: `above` is the one that sorts first."""
    quarter = at_ns // QUARTER_NS
    if above < below:
        return Bound(quarter, above, below, at_ns, low, high)
    return Bound(quarter, below, above, at_ns, _minus(high), _minus(low))


def _minus(ns: int | None) -> int | None:
    return None if ns is None else -ns


def offsets(found: Iterable[Bound], least: int = LEAST) -> Offsets:
    """The line of every quarter and pair of hosts that need one, from their calls in any order."""
    groups: dict[tuple[int, str, str], list[Bound]] = {}
    for bound in found:
        groups.setdefault(bound[:3], []).append(bound)
    lines = {key: fitted(group) for key, group in groups.items() if len(group) >= least}
    return Offsets({key: line for key, line in lines.items() if line is not None})


def fitted(group: list[Bound]) -> Line | None:
    """The line that fits the most calls of one pair, in the middle of the room that it leaves.

    None where less than `AGREEING` of the calls agree, where no line fits more calls than none
    does, or where the line stays within what is clipped anyway: then the rule per trace stands.
    """
    middle = group[0].quarter * QUARTER_NS + QUARTER_NS // 2
    times, lows, highs = _told(group, middle)
    drift, best = 0, _shared(times, lows, highs, 0)
    for half, step in STEPS_PPB:
        tried = range(drift - half, drift + half + 1, step)
        drift, best = max(((ppb, _shared(times, lows, highs, ppb)) for ppb in tried), key=_rank)
    depth, low, high = best
    still = int(((lows <= 0) & (highs >= 0)).sum())
    if depth <= still or depth < AGREEING * len(times) or low < -_FAR // 2 or high > _FAR // 2:
        return None
    line = Line(middle, (low + high) // (2 * GRAIN_NS) * GRAIN_NS, drift)
    ends = line.shift(middle - QUARTER_NS // 2), line.shift(middle + QUARTER_NS // 2)
    return line if max(map(abs, ends)) > CLIP_NS else None


def _rank(found: tuple[int, tuple[int, int, int]]) -> tuple[int, int, int, int]:
    """Most calls, then most room, then the least drift."""
    drift, (depth, low, high) = found
    return depth, high - low, -abs(drift), drift


_Ints = np.ndarray[Any, np.dtype[np.int64]]


def _told(group: list[Bound], middle: int) -> tuple[_Ints, _Ints, _Ints]:
    """Times from the middle, lows and highs of the calls that say most, evenly over the quarter."""
    slices: dict[int, list[Bound]] = {}
    for bound in sorted(group, key=_width):
        slices.setdefault(bound.at_ns * SLICES // QUARTER_NS, []).append(bound)
    kept = [bound for part in slices.values() for bound in part[: MOST // SLICES]]
    times = np.array([b.at_ns - middle for b in kept], dtype=np.int64)
    lows = np.array([-_FAR if b.low is None else b.low for b in kept], dtype=np.int64)
    highs = np.array([_FAR if b.high is None else b.high for b in kept], dtype=np.int64)
    return times, lows, highs


def _width(bound: Bound) -> tuple[int, int, int]:
    low = -_FAR if bound.low is None else bound.low
    return (_FAR if bound.high is None else bound.high) - low, bound.at_ns, low


def _shared(times: _Ints, lows: _Ints, highs: _Ints, drift_ppb: int) -> tuple[int, int, int]:
    """How many calls agree under a drift, and the widest room of shifts on which they do."""
    moved = times // 1000 * drift_ppb // 1_000_000
    edges = np.concatenate([lows - moved, highs - moved])
    steps = np.repeat(np.array([1, -1], dtype=np.int64), len(times))
    order = np.lexsort((-steps, edges))
    edges, depths = edges[order], np.cumsum(steps[order])
    depth = int(depths.max())
    at = np.flatnonzero(depths == depth)
    widest = at[int(np.argmax(edges[at + 1] - edges[at]))]
    return depth, int(edges[widest]), int(edges[widest + 1])
