"""The JSON texts inside the derived tables, written one way everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any, Final

from analysis.tree import Event, Link, Piece

_chunks: Final = c_make_encoder(None, None, encode_basestring, None, ":", ",", False, False, True)


def encoded(value: Any) -> str:
    """A value of `json.loads` as compact JSON; text stays readable.

    What `json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode` gives, without making
    a new encoder for each value.
    """
    return "".join(_chunks(value, 0))


def events_text(events: Sequence[Event]) -> str:
    """JSON [{name, time_ns, attributes}]."""
    if not events:
        return "[]"
    return encoded(
        [{"name": e.name, "time_ns": e.time_ns, "attributes": e.attributes} for e in events]
    )


def links_text(links: Sequence[Link]) -> str:
    """JSON [{trace_id, span_id, type}]."""
    if not links:
        return "[]"
    return encoded([{"trace_id": k.trace_id, "span_id": k.span_id, "type": k.type} for k in links])


def pieces_text(pieces: Sequence[Piece]) -> str:
    """JSON [[stage, start_ns, end_ns]]; "" where one piece covers the span."""
    if len(pieces) < 2:
        return ""
    return encoded([[piece.stage, piece.start, piece.end] for piece in pieces])
