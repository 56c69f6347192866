"""Step 3: join the spans of a trace by their parents, cut cycles, find roots and orphans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from analysis.cleaning.duplicates import calls, serves
from analysis.cleaning.forest import Forest
from analysis.tree import Link, Span

_ById = dict[str, list[Span]]


def connect(spans: list[Span]) -> Forest:
    """The forest of one trace's distinct spans: `parent` and `children` as drawn.

    Spans that nobody waits for by declaration (follows-from, a consumer under its producer, a
    plain link only) are already not blocking.
    """
    by_id: _ById = {}
    for span in sorted(spans, key=lambda span: (len(span.key), span.key)):
        by_id.setdefault(span.span_id, []).append(span)
    for span in spans:
        span.parent_id = _drawn_id(span, by_id)
        span.parent = _half_above(span, by_id) or _half_of(span, by_id.get(span.parent_id or ""))
    for span in _cycle_heads(spans, lambda span: span.parent):
        span.parent = None
        span.flags["parent_cycle"] = None
    orphans = [span for span in spans if span.parent is None and _is_orphan(span)]
    _follow_links([span for span in spans if span.parent is None], by_id)
    for span in spans:
        _declare(span)
        if span.parent is not None:
            span.parent.children.append(span)
    return _forest(spans, orphans)


def _forest(spans: list[Span], orphans: list[Span]) -> Forest:
    lost = {span.key for span in orphans}
    roots = [span for span in spans if span.parent is None and span.key not in lost]
    if not roots:
        siblings = Counter(span.parent_id for span in orphans)
        roots = [span for span in orphans if siblings[span.parent_id] == 1 and remote(span)]
        for span in roots:
            span.flags["root_remote"] = None
    heads = {span.key for span in roots}
    return Forest(spans, roots, [span for span in orphans if span.key not in heads])


def remote(span: Span) -> bool:
    """Whether this span's parent lives in another process, so that it may be a request itself."""
    return span.kind in ("server", "consumer")


def _is_orphan(span: Span) -> bool:
    return span.parent_id is not None and "parent_cycle" not in span.flags


def _drawn_id(span: Span, by_id: _ById) -> str | None:
    if span.parent_id and span.parent_id.strip("0"):
        return span.parent_id
    targets = [link.span_id for link in span.links if _within(link, span, "child_of")]
    return next((target for target in targets if target in by_id), next(iter(targets), None))


def _within(link: Link, span: Span, kind: str) -> bool:
    return link.type == kind and link.trace_id == span.trace_id


def _half_above(span: Span, by_id: _ById) -> Span | None:
    """The sending half over a receiving half of the same id."""
    first = by_id[span.span_id][0]
    return first if serves(span) and calls(first) else None


def _half_of(span: Span, halves: list[Span] | None) -> Span | None:
    """The half of a parent's id under which this span belongs: that of its own service."""
    if not halves or len(halves) == 1:
        return halves[0] if halves else None
    return max(halves, key=lambda half: _nearness(span, half))


def _nearness(span: Span, half: Span) -> tuple[bool, bool, bool]:
    here = half.service == span.service
    return here, here and half.host == span.host, serves(half) != (not here and serves(span))


def _cycle_heads(spans: Iterable[Span], above: Callable[[Span], Span | None]) -> list[Span]:
    """The earliest span of every cycle that following `above` runs into."""
    heads: list[Span] = []
    seen: dict[str, int] = {}
    for number, span in enumerate(spans):
        path: list[Span] = []
        here: Span | None = span
        while here is not None and here.key not in seen:
            seen[here.key] = number
            path.append(here)
            here = above(here)
        if here is not None and seen[here.key] == number:
            heads.append(min(path[path.index(here) :], key=_earliest))
    return heads


def _earliest(span: Span) -> tuple[bool, int, int, str]:
    return span.raw_start is None, span.raw_start or 0, -(span.raw_end or 0), span.key


def _follow_links(tops: list[Span], by_id: _ById) -> None:
    """Hang spans that name no parent but link into the trace under what they link to."""
    targets: dict[str, Span] = {}
    for span in tops:
        target = _linked(span, by_id) if span.parent_id is None else None
        if target is not None:
            targets[span.key] = target
    tops_of = _tops(targets.values())

    def above(span: Span) -> Span | None:
        return tops_of[targets[span.key].key] if span.key in targets else None

    for head in _cycle_heads(tops, above):
        del targets[head.key]
    for span in tops:
        span.parent = targets.get(span.key)


def _linked(span: Span, by_id: _ById) -> Span | None:
    for kind in ("follows_from", "link"):
        for link in span.links:
            halves = by_id.get(link.span_id) if _within(link, span, kind) else None
            if halves and link.span_id != span.span_id:
                return _half_of(span, halves)
    return None


def _tops(spans: Iterable[Span]) -> dict[str, Span]:
    """The top of the tree of each of these spans, by key."""
    tops: dict[str, Span] = {}
    for span in spans:
        path, here = [span], span
        while here.parent is not None and here.key not in tops:
            here = here.parent
            path.append(here)
        top = tops.get(here.key, here)
        tops.update((passed.key, top) for passed in path)
    return tops


def _declare(span: Span) -> None:
    """Mark what its own record says nobody waits for."""
    follows = [link.span_id for link in span.links if _within(link, span, "follows_from")]
    parent = span.parent
    if span.parent_id is None and parent is not None and parent.span_id != span.span_id:
        span.flags["follows_from" if parent.span_id in follows else "linked_only"] = None
    elif span.parent_id in follows:
        span.flags["follows_from"] = None
    elif parent is not None and (parent.kind, span.kind) == ("producer", "consumer"):
        span.flags["messaging"] = None
    else:
        return
    span.blocking = False
