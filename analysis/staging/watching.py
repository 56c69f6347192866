"""Model calls that a proxy's filter saw beside the call that did the work."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.tree import Span

_HAIR_NS = 1_000_000  # clocks of two processes agree no better


def watched_calls(spans: Iterable[Span]) -> list[Span]:
    """Calls under an observer while another call runs inside them beside that observer.

    An external processor reads the stream that its proxy forwards: its call is the same question
    as the upstream's and does none of the work.
    """
    found = []
    beside: dict[str, list[Span]] = {}
    for span in spans:
        watcher = span.parent
        if not span.is_call or watcher is None or watcher.parent is None or not watcher.observer:
            continue
        if watcher.rule is None or watcher.rule.role != "observer":
            continue
        others = beside.setdefault(watcher.key, _calls_beside(watcher, watcher.parent))
        if any(_inside(other, span) for other in others):
            found.append(span)
    return found


def _calls_beside(watcher: Span, around: Span) -> list[Span]:
    pending = [child for child in around.children if child is not watcher and child.blocking]
    found = []
    while pending:
        span = pending.pop()
        pending.extend(child for child in span.children if child.blocking)
        if span.is_call and not span.observer:
            found.append(span)
    return found


def _inside(inner: Span, outer: Span) -> bool:
    return outer.start - _HAIR_NS <= inner.start and inner.end <= outer.end + _HAIR_NS
