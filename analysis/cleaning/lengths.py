"""Step 4: every span gets a start and an end, lower bounds where the record has none."""

from __future__ import annotations

from analysis.cleaning.forest import Forest, walk
from analysis.tree import Span

EPOCH_NS = 100_000_000_000_000_000
"""Times above this (1973) are dates; beside one of them a start of 0 means that none was set."""


def measure(forest: Forest) -> None:
    """Set `start` and `end` (ns, end >= start) of every span from its raw times.

    A missing end becomes the latest end or event inside the span, a missing start the earliest
    child's start (`incomplete`); an end before the start becomes the start
    (`negative_duration`, with the raw length), at a root it counts as missing.
    """
    timeless: set[str] = set()
    spans = walk([*forest.roots, *forest.orphans])
    heads = {root.key for root in forest.roots}
    for span in reversed(spans):
        _measure(span, timeless, span.key in heads)
    known = [span.start for span in spans if span.key not in timeless]
    first = min(known, default=0)
    for span in spans:
        if span.key in timeless:
            span.start = span.end = span.parent.start if span.parent else first


def _measure(span: Span, timeless: set[str], is_root: bool) -> None:
    start, end = _raw_start(span), span.raw_end or None
    if start is not None and end is not None:
        span.start, span.end = start, max(start, end)
        if end < start:
            span.flags["negative_duration"] = end - start
        if end >= start or not is_root:
            return
        end = None  # nothing below it would have been waited for, in a request of no length
    span.flags["incomplete"] = None
    inside = [child for child in span.children if child.blocking and child.key not in timeless]
    if start is None:
        start = min((child.start for child in inside), default=end)
        start = start if end is None or start is None else min(start, end)
    if start is None:
        start = min((e.time_ns for e in span.events if e.time_ns is not None), default=None)
    if start is None:
        timeless.add(span.key)
        return
    ends = [child.end for child in inside] + [event.time_ns or start for event in span.events]
    span.start, span.end = start, max([start, *ends]) if end is None else end


def _raw_start(span: Span) -> int | None:
    """The recorded start in ns; None where it is absent, or 0 beside a date."""
    if span.raw_start == 0 and (span.raw_end or 0) > EPOCH_NS:
        return None
    return span.raw_start
