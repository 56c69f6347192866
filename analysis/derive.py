"""Whole traces in; their requests, spans, calls, segments and flags out."""

from __future__ import annotations

from analysis.derived import (
    CALLS_SCHEMA,
    FLAGS_SCHEMA,
    REQUESTS_SCHEMA,
    SEGMENTS_SCHEMA,
    SPANS_SCHEMA,
    Derived,
)

__all__ = [
    "CALLS_SCHEMA",
    "FLAGS_SCHEMA",
    "REQUESTS_SCHEMA",
    "SEGMENTS_SCHEMA",
    "SPANS_SCHEMA",
    "Derived",
]
