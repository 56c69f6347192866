"""Whose time a gap between spans is: painted intervals, and siblings that still run."""

from __future__ import annotations

import heapq

Paint = list[tuple[int, int, int, int]]
"""Start, end, stage code, owner; tiles a span's interval."""


class Running:
    """The earliest start among siblings that are still running, as the clock moves forward."""

    def __init__(self) -> None:
        self.heap: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        """A sibling that starts now or has started."""
        heapq.heappush(self.heap, (start, end))

    def since(self, now: int) -> int:
        """The earliest start among those that run at `now`; `now` itself where none does."""
        while self.heap and self.heap[0][1] <= now:
            heapq.heappop(self.heap)
        return self.heap[0][0] if self.heap else now


def cut(painted: Paint, low: int, high: int) -> Paint:
    """What of a painted interval lies outside [low, high]."""
    kept: Paint = []
    for start, end, stage, owner in painted:
        kept += [
            (a, b, stage, owner)
            for a, b in ((start, min(end, low)), (max(start, high), end))
            if a < b
        ]
    return kept
