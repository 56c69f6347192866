"""The gate: drafts of spans and points in, redacted and scaled batches out."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
import pyarrow as pa

from analysis.spans import METRIC_SCHEMA, SPAN_SCHEMA, MetricBatch, SpanBatch
from collectors.door import Door
from collectors.draft import Draft, Point
from collectors.magnitude import Magnitude
from collectors.report import ReadReport
from words import _

BATCH: Final = 5000
"""Spans or points in one batch, at most."""

_INT64: Final = 2**63
_encoder = msgspec.json.Encoder(order="sorted")


def encoded(value: Any) -> str:
    """JSON with sorted keys, so that equal contents are equal texts."""
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    try:
        return _encoder.encode(value).decode()
    except (UnicodeEncodeError, OverflowError):
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return readable(text)


def readable(text: str) -> str:
    """Text that UTF-8 can hold: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


class Gate:
    """Collects drafts and hands them out as batches; counts what it leaves out in the report."""

    def __init__(self, report: ReadReport, keep_content: bool = False) -> None:
        self.report = report
        self.door = Door(report, keep_content)
        self.magnitude = Magnitude()
        self.passed = 0
        self._spans: list[Draft] = []
        self._points: list[Point] = []
        self._resources: dict[int, tuple[dict[str, Any], str]] = {}

    def add(self, record: Draft | Point) -> None:
        """Take one record in."""
        if isinstance(record, Draft):
            self._spans.append(record)
        else:
            self._points.append(record)

    def batches(self, final: bool = False) -> list[SpanBatch | MetricBatch]:
        """The batches that are full by now; with `final` what is left too."""
        ready: list[SpanBatch | MetricBatch] = []
        if len(self._spans) >= BATCH or (final and self._spans):
            rows = [row for draft in self._scaled() if (row := self._row(draft))]
            self._spans = []
            ready += [_span_batch(rows)] if rows else []
            self.passed += len(rows)
        if len(self._points) >= BATCH or (final and self._points):
            points = [self._point(point) for point in self._points]
            self._points = []
            ready.append(_metric_batch(points))
            self.passed += len(points)
        return ready

    def end_document(self) -> None:
        """Forget what belonged to one document (its resources are encoded once per document)."""
        if not self._spans:
            self._resources = {}
        elif len(self._resources) > BATCH:
            live = {id(draft.resource) for draft in self._spans}
            self._resources = {key: kept for key, kept in self._resources.items() if key in live}

    def _scaled(self) -> list[Draft]:
        self.magnitude.apply(self._spans)
        return self._spans

    def _row(self, draft: Draft) -> tuple[Any, ...] | None:
        times = [draft.start_ns, draft.end_ns, *(event["time_ns"] for event in draft.events)]
        if any(time is not None and not -_INT64 <= time < _INT64 for time in times):
            self.report.reject(_("a time is out of range"), draft.place)
            return None
        return (
            readable(draft.trace_id),
            readable(draft.span_id),
            draft.parent_id and readable(draft.parent_id),
            readable(self.door.name(draft.name)),
            draft.service and readable(draft.service),
            draft.host and readable(draft.host),
            draft.kind,
            draft.status,
            draft.scope and readable(draft.scope),
            draft.start_ns,
            draft.end_ns,
            draft.shared,
            encoded(self.door.attributes(draft.attributes)),
            self._resource(draft.resource),
            encoded(self.door.events(draft.events)),
            encoded(draft.links),
            draft.flags,
        )

    def _resource(self, resource: dict[str, Any]) -> str:
        known = self._resources.get(id(resource))
        if known is None:
            known = (resource, encoded(self.door.attributes(resource)))
            self._resources[id(resource)] = known
        return known[1]

    def _point(self, point: Point) -> tuple[Any, ...]:
        labels = encoded(self.door.attributes(point.labels))
        name, unit = readable(point.name), readable(point.unit)
        numbers = (point.value, point.count, point.sum)
        buckets = encoded(point.buckets)
        return (name, labels, point.kind, unit, point.time_ns, *numbers, buckets, point.flags)


def _table(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True)
    typed = zip(columns, schema, strict=True)
    return pa.Table.from_arrays(
        [pa.array(values, type=field.type) for values, field in typed], schema=schema
    )


def _span_batch(rows: list[tuple[Any, ...]]) -> SpanBatch:
    return SpanBatch(_table(rows, SPAN_SCHEMA))


def _metric_batch(rows: list[tuple[Any, ...]]) -> MetricBatch:
    return MetricBatch(_table(rows, METRIC_SCHEMA))
