"""Span records become span nodes, one for each record, grouped by trace."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from analysis.spans import SPAN_SCHEMA
from analysis.tree import Event, Link, Span


def parse(records: pa.Table) -> dict[str, list[Span]]:
    """The records of each trace as unconnected spans: trace id -> spans, both in input order.

    `records` has exactly the columns of `SPAN_SCHEMA`. A span's `key` is its `span_id` and its
    `start` and `end` are the raw times (ns since the epoch, 0 where absent) until it is cleaned;
    what the reader had to repair is in `flags`. Spans with the same resource text share one dict.
    """
    resources: dict[str, dict[str, Any]] = {}
    traces: dict[str, list[Span]] = {}
    columns = [records.column(name).to_pylist() for name in SPAN_SCHEMA.names]
    for values in zip(*columns, strict=True):
        span = _span(dict(zip(SPAN_SCHEMA.names, values, strict=True)), resources)
        traces.setdefault(span.trace_id, []).append(span)
    return traces


def _span(record: dict[str, Any], resources: dict[str, dict[str, Any]]) -> Span:
    text = record["resource"]
    if text not in resources:
        resources[text] = json.loads(text)
    return Span(
        key=record["span_id"],
        trace_id=record["trace_id"],
        span_id=record["span_id"],
        parent_id=record["parent_id"],
        name=record["name"],
        service=record["service"],
        host=record["host"],
        kind=record["kind"],
        status=record["status"],
        scope=record["scope"],
        raw_start=record["start_ns"],
        raw_end=record["end_ns"],
        shared=record["shared"],
        attributes=json.loads(record["attributes"]),
        resource=resources[text],
        events=parsed_events(record["events"]),
        links=_links(record["links"]),
        start=record["start_ns"] or 0,
        end=record["end_ns"] or 0,
        flags=dict.fromkeys(record["flags"]),
    )


def parsed_events(text: str) -> list[Event]:
    """The events of one record."""
    if text == "[]":
        return []
    return [
        Event(event["name"], event.get("time_ns"), event.get("attributes") or {})
        for event in json.loads(text)
    ]


def _links(text: str) -> list[Link]:
    if text == "[]":
        return []
    return [
        Link(link["trace_id"], link["span_id"], link.get("type") or "link")
        for link in json.loads(text)
    ]
