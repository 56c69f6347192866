"""The other aggregate: every instant of a request split evenly over all spans at work."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import lcm
from typing import Final

from analysis.stages import STAGES
from analysis.tree import Span

_START: Final = "+"
_END: Final = "-"
_LAST: Final = 1 << 62
_Term = tuple[int, dict[str, int]]
_Event = tuple[int, int, int, "_Unit", str]


@dataclass(slots=True, eq=False)
class _Unit:
    """A span clipped to its ancestors; `watched` is the one whose instants an observer takes."""

    span: Span
    start: int
    end: int
    depth: int
    above: _Unit | None
    watched: _Unit | None = None
    stage: str = "unattributed"
    running: bool = False
    busy: int = 0
    watchers: list[tuple[int, int, str, _Unit]] = field(default_factory=list)

    def shown(self) -> str | None:
        """The stage that is at work here, None while the span waits for a child or is not open."""
        if not self.running or self.busy:
            return None
        while self.watchers and not self.watchers[0][3].running:
            heappop(self.watchers)
        return self.watchers[0][3].stage if self.watchers else self.stage

    def take(self, change: str) -> None:
        """Start, end or go over to another stage."""
        if change not in (_START, _END):
            self.stage = change
            return
        self.running = change == _START
        if self.watched is None and self.above is not None:
            self.above.busy += 1 if self.running else -1
        elif self.watched is not None and self.running:
            rank = (self.end - self.start, self.start, self.span.key)
            heappush(self.watched.watchers, (*rank, self))


class _Meter:
    """Ns per stage while so many spans are at work: `weights[spans][stage]`, to be divided."""

    def __init__(self, at: int) -> None:
        self.at, self.spans = at, 0
        self.stages: dict[str, int] = {}
        self.weights: dict[int, dict[str, int]] = {}

    def run(self, until: int) -> None:
        """Count the time up to an instant."""
        if until > self.at and self.spans:
            weights = self.weights.setdefault(self.spans, {})
            for stage, spans in self.stages.items():
                weights[stage] = weights.get(stage, 0) + (until - self.at) * spans
        self.at = until

    def swap(self, before: str | None, after: str | None) -> None:
        """A span goes from one stage to another; None: it is not at work."""
        if before == after:
            return
        for stage, step in ((before, -1), (after, 1)):
            if stage is not None:
                self.spans += step
                self.stages[stage] = self.stages.get(stage, 0) + step
                if not self.stages[stage]:
                    del self.stages[stage]


def shared(root: Span, until: int | None = None) -> dict[str, int]:
    """Ns per stage of a clean, staged request; they add up to its length exactly.

    At every instant the spans at work are those that run while no child runs that they wait for;
    each gets the same part of it. Observers are transparent, as in `partition`. With `until` only
    what lies before that instant is split. O(n log n).
    """
    end = root.end if until is None else max(root.start, min(root.end, until))
    meter = _Meter(root.start)
    for at, _rank, _number, unit, change in sorted(_events(_units(root, end))):
        meter.run(at)
        touched = [unit.watched or unit]
        if unit.watched is None and unit.above is not None and change in (_START, _END):
            touched.append(unit.above)
        before = [node.shown() for node in touched]
        unit.take(change)
        for node, was in zip(touched, before, strict=True):
            meter.swap(was, node.shown())
    return apportioned(meter.weights, end - root.start)


def apportioned(weights: dict[int, dict[str, int]], total_ns: int) -> dict[str, int]:
    """The exact sums over `weights[n][stage] / n` in whole ns (largest remainder, stage order).

    >>> {stage: ns for stage, ns in apportioned({2: {"model": 5, "tools": 5}}, 5).items() if ns}
    {'tools': 3, 'model': 2}
    """
    common, exact = _summed(weights)
    found = {stage: part // common for stage, part in exact.items()}
    by_rest = sorted(STAGES, key=lambda stage: -(exact[stage] % common))
    for stage in by_rest[: total_ns - sum(found.values())]:
        found[stage] += 1
    return found


def _summed(weights: dict[int, dict[str, int]]) -> _Term:
    """The sums as integers over a common denominator, added in pairs so that few grow long."""
    terms = sorted(weights.items()) or [(1, {})]
    while len(terms) > 1:
        pairs = [_sum(*pair) for pair in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(pairs) * 2 :]
    common, parts = terms[0]
    return common, {stage: parts.get(stage, 0) for stage in STAGES}


def _sum(one: _Term, other: _Term) -> _Term:
    common = lcm(one[0], other[0])
    left, right = common // one[0], common // other[0]
    parts = {stage: part * left for stage, part in one[1].items()}
    for stage, part in other[1].items():
        parts[stage] = parts.get(stage, 0) + part * right
    return common, parts


def _units(root: Span, end: int) -> list[_Unit]:
    """The spans that count, parents before children; the children of observers in their place."""
    found = [_Unit(root, root.start, end, 0, None)] if root.start < end else []
    for above in found:
        pending = list(above.span.children) if above.watched is None else []
        while pending:
            span = pending.pop()
            if not span.blocking:
                continue
            if span.observer:
                pending.extend(span.children)
            start, stop = max(span.start, above.start), min(span.end, above.end)
            if start < stop:
                watched = above if span.observer else None
                found.append(_Unit(span, start, stop, above.depth + 1, above, watched))
    return found


def _events(units: list[_Unit]) -> list[_Event]:
    """Starts, ends and changes of stage; at one instant children end before their parents do."""
    found: list[_Event] = []
    for number, unit in enumerate(units):
        pieces = [p for p in unit.span.pieces if p.start < unit.end and p.end > unit.start]
        unit.stage = pieces[0].stage if pieces else unit.span.stage
        found.append((unit.start, unit.depth, number, unit, _START))
        found.append((unit.end, -unit.depth - 1, number, unit, _END))
        for place, piece in enumerate(pieces[1:]):
            found.append((piece.start, _LAST + place, number, unit, piece.stage))
    return found
