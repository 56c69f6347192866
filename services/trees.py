"""The trees of stored requests, as cleaning and staging left them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from analysis.tree import Piece, Span
from data.filters import Filters
from data.store import Store

Key = tuple[str, str]


def trees(store: Store, filters: Filters, traces: Iterable[str] | None = None) -> dict[Key, Span]:
    """(trace id, root key) -> the root of every request in scope, or of those in `traces`.

    The spans know their times, stages, pieces, and whether they are waited for; nothing else.
    """
    wanted = None if traces is None else sorted(set(traces))
    frame = store.query("trees", filters, traces=wanted)
    roots: dict[Key, Span] = {}
    spans: dict[tuple[str, str, str], Span] = {}
    columns = [frame[name].tolist() for name in frame.columns]
    for row in zip(*columns, strict=True):
        trace_id, root_key, key, parent_key, start, end, stage, pieces, blocking, observer = row
        span = _span(trace_id, key, start, end)
        span.stage, span.blocking, span.observer = stage, blocking, observer
        span.pieces = _pieces(pieces, span)
        spans[trace_id, root_key, key] = span
        if isinstance(parent_key, str):
            span.parent = spans[trace_id, root_key, parent_key]
            span.parent.children.append(span)
        else:
            roots[trace_id, root_key] = span
    return roots


def _span(trace_id: str, key: str, start: int, end: int) -> Span:
    return Span(
        key=key, trace_id=trace_id, span_id=key, parent_id=None, name="", service=None, host=None,
        kind="unspecified", status="unset", scope=None, raw_start=None, raw_end=None,
        start=start, end=end,
    )  # fmt: skip


def _pieces(text: str, span: Span) -> list[Piece]:
    if not text:
        return [Piece(span.stage, span.start, span.end)]
    return [Piece(*piece) for piece in json.loads(text)]
