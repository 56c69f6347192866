"""Step 2: of all records with one span id, keep one span for each side of the call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from analysis.tree import Span

REMARKS = "jaeger.warnings"
"""What a backend remarked about a record ("duplicate span IDs") is no part of the record."""

_Identity = tuple[str, str | None, str | None]


def distinct(spans: Iterable[Span]) -> list[Span]:
    """One span for each side of each id, with `key` set; input order does not matter.

    Side means kind and service (for shared ids the host too): records that differ there are
    halves of one call, or two spans that share an id, and both are kept.
    """
    groups: dict[str, list[Span]] = {}
    for span in spans:
        groups.setdefault(span.span_id, []).append(span)
    kept: list[Span] = []
    for group in groups.values():
        kept.extend(group if len(group) == 1 else _sides(group))
    return kept


def serves(span: Span) -> bool:
    """Whether this is the receiving half of a shared id."""
    return span.shared or span.kind in ("server", "consumer")


def calls(span: Span) -> bool:
    """Whether this can be the sending half of a shared id."""
    return not span.shared and span.kind in ("client", "producer", "unspecified")


def _sides(group: list[Span]) -> list[Span]:
    by_side: dict[_Identity, list[Span]] = {}
    vague = []
    for span in group:
        side = _identity(span)
        if _is_vague(span, side):
            vague.append(span)
        else:
            by_side.setdefault(side, []).append(span)
    for span in sorted(vague, key=lambda span: (_sortable(_identity(span)), _digest(span))):
        by_side.setdefault(_side_of(span, by_side), []).append(span)
    chosen = [_one(records) for _, records in sorted(by_side.items(), key=_side_order)]
    chosen.sort(key=serves)  # stable: the sending half comes first
    return _named(chosen)


def _identity(span: Span) -> _Identity:
    kind = "server" if span.shared and span.kind == "unspecified" else span.kind
    return kind, span.service, span.host if span.shared else None


def _is_vague(span: Span, side: _Identity) -> bool:
    kind, service, host = side
    return kind == "unspecified" or service is None or (span.shared and host is None)


def _sortable(side: _Identity) -> tuple[str, str, str]:
    return side[0], side[1] or "", side[2] or ""


def _side_order(item: tuple[_Identity, list[Span]]) -> tuple[str, str, str]:
    return _sortable(item[0])


def _side_of(span: Span, by_side: dict[_Identity, list[Span]]) -> _Identity:
    """The first side that this record, which does not say all, may belong to; else its own."""
    mine = _identity(span)
    for side in sorted(by_side, key=_sortable):
        pairs = zip(mine, side, strict=True)
        if all(own in (None, "unspecified", other) or other is None for own, other in pairs):
            return side
    return mine


def _one(records: list[Span]) -> Span:
    """The best of the records of one span, completed from the partial ones."""
    different = {
        (span.raw_start, span.raw_end, _zero(span), _digest(span)): span
        for span in sorted(records, key=_remarks, reverse=True)
    }
    ranked = sorted(different.values(), key=_preference)
    best = ranked[0]
    flags = [flag for span in records for flag in span.flags]
    for other in ranked[1:]:
        starts_twice = not _complete(best) and None not in (best.raw_start, other.raw_start)
        conflict = _complete(other) or starts_twice
        best.flags["conflicting_duplicate" if conflict else "partial_record"] = None
        if not _complete(other):
            _fill(best, other)
    best.flags.update(dict.fromkeys(flags))
    return best


def _complete(span: Span) -> bool:
    return span.raw_start is not None and bool(span.raw_end)


def _preference(span: Span) -> tuple[bool, int, bool, int, str]:
    late = -(span.raw_end or 0)
    return not _complete(span), late, span.raw_start is None, _zero(span), _digest(span)


def _fill(best: Span, other: Span) -> None:
    """Take from a partial record what the better one lacks; an end it has if any of them does."""
    best.raw_start = other.raw_start if best.raw_start is None else best.raw_start
    best.parent_id = best.parent_id or other.parent_id
    best.name = best.name or other.name
    best.service = best.service if best.service is not None else other.service
    best.host = best.host if best.host is not None else other.host
    best.scope = best.scope if best.scope is not None else other.scope
    best.kind = other.kind if best.kind == "unspecified" else best.kind
    best.status = other.status if best.status == "unset" else best.status
    best.shared = best.shared or other.shared
    best.attributes = {**other.attributes, **best.attributes}
    best.resource = {**other.resource, **best.resource}
    best.events = best.events + [event for event in other.events if event not in best.events]
    best.links = best.links + [link for link in other.links if link not in best.links]


def _remarks(span: Span) -> str:
    return str(span.attributes.get(REMARKS, ""))


def _zero(span: Span) -> int:
    """The start of a record, else the time of its first event."""
    times = [span.raw_start, *(event.time_ns for event in span.events)]
    return next((time for time in times if time is not None), 0)


def _digest(span: Span) -> str:
    """A digest of what was recorded beside start and end; it does not change with the clock."""
    attributes = {key: value for key, value in span.attributes.items() if key != REMARKS}
    zero = _zero(span)
    events = [
        (e.name, None if e.time_ns is None else e.time_ns - zero, e.attributes) for e in span.events
    ]
    content: list[Any] = [
        (span.parent_id, span.name, span.service, span.host, span.kind, span.status, span.scope),
        (span.shared, attributes, span.resource, events),
        [(link.trace_id, link.span_id, link.type) for link in span.links],
    ]
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _named(sides: list[Span]) -> list[Span]:
    paired = calls(sides[0])
    taken: dict[str, int] = {}
    for number, span in enumerate(sides):
        stem = f"{span.span_id}/server" if number and serves(span) else span.span_id
        taken[stem] = taken.get(stem, 0) + 1
        span.key = stem if taken[stem] == 1 else f"{stem}/{taken[stem]}"
        if number and not (paired and serves(span)):
            span.flags["shared_id"] = None
    return sides
