"""One trace while it is made: a cursor in time, the spans around it, and the truth beneath."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from data.samples.places import MS, Place

INTERNAL: Final = 1
SERVER: Final = 2
CLIENT: Final = 3
PRODUCER: Final = 4
CONSUMER: Final = 5


@dataclass
class Draft:
    """A span on the true clock (ns); its process's own clock is applied when it is exported."""

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    kind: int
    place: Place
    scope: str
    start_ns: int
    end_ns: int = 0
    attributes: dict[str, Any] = field(default_factory=dict)
    events: list[tuple[str, int]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    failed: bool = False
    message: str = ""
    unended: bool = False

    def fail(self, message: str = "", **attributes: Any) -> None:
        """Mark the span as failed."""
        self.failed, self.message = True, message
        self.attributes |= attributes


class Trace:
    """Spans opened around a moving cursor, so that children lie inside their parents.

    `slices` is the truth: which stage each nanosecond between the first and the last belongs to.
    """

    def __init__(self, seed: str, at_ns: int) -> None:
        self.rng = random.Random(f"{seed}/path")  # noqa: S311 - a sample, not a secret
        self.trace_id = f"{self.rng.getrandbits(128):032x}"
        self.now = at_ns
        self.spans: list[Draft] = []
        self.slices: list[tuple[str, int, int]] = []
        self._open: list[Draft] = []

    def draw(self, median_ms: float, sigma: float = 0.25) -> int:
        """A lognormal length in ns."""
        return round(median_ms * MS * math.exp(self.rng.gauss(0.0, sigma)))

    def spend(self, stage: str, median_ms: float, sigma: float = 0.25) -> None:
        """Let time pass that truly belongs to this stage."""
        self.until(self.now + self.draw(median_ms, sigma), stage)

    def until(self, end_ns: int, stage: str) -> None:
        """Move the cursor to an instant; what lies between belongs to this stage."""
        if end_ns > self.now:
            self.slices.append((stage, self.now, end_ns))
            self.now = end_ns

    def rewind(self, length_ns: int) -> None:
        """Go back: what starts here runs beside the end of what went before, and outlasts it."""
        self.now -= length_ns
        self.slices = within(self.slices, 0, self.now)

    @contextmanager
    def span(
        self, name: str, place: Place, kind: int, scope: str, **attributes: Any
    ) -> Iterator[Draft]:
        """A span from the cursor's place on entry to its place on leaving.

        Attribute names are given with `__` for a dot: `http__route`.
        """
        draft = self.aside(name, place, kind, scope, self.now, 0, **attributes)
        self._open.append(draft)
        yield draft
        self._open.pop()
        draft.end_ns = self.now

    def aside(
        self,
        name: str,
        place: Place,
        kind: int,
        scope: str,
        start_ns: int,
        end_ns: int,
        **more: Any,
    ) -> Draft:
        """A span beside the cursor: a parallel sibling, or one that nobody waits for."""
        parent = self._open[-1].span_id if self._open else ""
        named = {key.replace("__", "."): value for key, value in more.items()}
        span_id = f"{self.rng.getrandbits(64):016x}"
        draft = Draft(
            self.trace_id, span_id, parent, name, kind, place, scope, start_ns, end_ns, named
        )
        self.spans.append(draft)
        return draft


def within(
    slices: list[tuple[str, int, int]], start_ns: int, end_ns: int
) -> list[tuple[str, int, int]]:
    """The slices clipped to a window, in their order."""
    clipped = [(stage, max(lo, start_ns), min(hi, end_ns)) for stage, lo, hi in slices]
    return [(stage, lo, hi) for stage, lo, hi in clipped if hi > lo]
