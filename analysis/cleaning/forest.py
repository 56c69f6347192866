"""The spans of one trace while their trees are still being put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from analysis.tree import Span

CLIP_NS = 1_000_000


@dataclass(slots=True)
class Forest:
    """Spans joined by their drawn parents.

    `orphans` are tops whose parent never arrived (`parent_id` names it). `pinned` holds the keys
    of spans whose times cannot be compared with their parent's: they keep their drawn parent.
    """

    spans: list[Span]
    roots: list[Span]
    orphans: list[Span]
    pinned: set[str] = field(default_factory=set)


def order(span: Span) -> tuple[int, int, str]:
    """Earliest start, then earliest end, then key: the one order of siblings."""
    return span.start, span.end, span.key


def walk(tops: Iterable[Span]) -> list[Span]:
    """Every span under these tops, parents before children, level by level."""
    found = list(tops)
    for span in found:
        found.extend(span.children)
    return found


def same_clock(one: Span, other: Span) -> bool:
    """Whether both name the same host or, where one names none, the same service.

    A span that names neither gives no sign of a second clock and shares any.
    """
    if one.host is not None and other.host is not None:
        return one.host == other.host
    return one.service is None or other.service is None or one.service == other.service


def tolerance(parent: Span) -> int:
    """How far (ns) a child may stick out of this span before it means anything."""
    return max(CLIP_NS, (parent.end - parent.start) // 100)
