"""The shape in which spans and metric points travel from a collector to the store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

KINDS: Final = ("unspecified", "internal", "server", "client", "producer", "consumer")
STATUSES: Final = ("unset", "ok", "error")
LINK_TYPES: Final = ("link", "child_of", "follows_from")

SPAN_SCHEMA: Final = pa.schema(
    [
        pa.field("trace_id", pa.string(), nullable=False),  # 32 lower-case hex digits where hex
        pa.field("span_id", pa.string(), nullable=False),  # 16 lower-case hex digits where hex
        pa.field("parent_id", pa.string()),  # null: the export names none
        pa.field("name", pa.string(), nullable=False),
        pa.field("service", pa.string()),
        pa.field("host", pa.string()),  # what names the clock: host, pod, instance or address
        pa.field("kind", pa.string(), nullable=False),  # one of KINDS
        pa.field("status", pa.string(), nullable=False),  # one of STATUSES
        pa.field("scope", pa.string()),  # instrumentation scope
        pa.field("start_ns", pa.int64()),  # ns since the epoch; null: absent
        pa.field("end_ns", pa.int64()),  # ns since the epoch; null: absent
        pa.field("shared", pa.bool_(), nullable=False),  # Zipkin's server half of a shared id
        pa.field("attributes", pa.string(), nullable=False),  # JSON object
        pa.field("resource", pa.string(), nullable=False),  # JSON object
        pa.field("events", pa.string(), nullable=False),  # JSON [{name, time_ns, attributes}]
        pa.field("links", pa.string(), nullable=False),  # JSON [{trace_id, span_id, type}]
        pa.field("flags", pa.list_(pa.string()), nullable=False),  # what the reader had to repair
    ]
)

METRIC_SCHEMA: Final = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),  # family name, without _bucket/_sum/_count
        pa.field("labels", pa.string(), nullable=False),  # JSON object, sorted keys, without le
        pa.field("kind", pa.string(), nullable=False),  # gauge counter histogram summary unknown
        pa.field("unit", pa.string(), nullable=False),  # "s", "ms", "bytes", ...; "" unknown
        pa.field("time_ns", pa.int64()),  # null: the scrape gave none
        pa.field("value", pa.float64()),  # gauge and counter
        pa.field("count", pa.float64()),  # histogram and summary
        pa.field("sum", pa.float64()),
        pa.field("buckets", pa.string(), nullable=False),  # JSON [[upper bound, cumulative count]]
        pa.field("flags", pa.list_(pa.string()), nullable=False),
    ]
)


def _checked(table: pa.Table, schema: pa.Schema) -> pa.Table:
    if table.schema.names != schema.names:
        raise ValueError(f"columns are {table.schema.names}, must be {schema.names}")
    return table.cast(schema)


@dataclass(frozen=True)
class SpanBatch:
    """Spans as they were exported: an Arrow table of exactly `SPAN_SCHEMA`."""

    table: pa.Table

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", _checked(self.table, SPAN_SCHEMA))

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> SpanBatch:
        """A batch of rows that carry every key of `SPAN_SCHEMA`."""
        return cls(pa.Table.from_pylist([dict(row) for row in rows], schema=SPAN_SCHEMA))


@dataclass(frozen=True)
class MetricBatch:
    """Metric points: an Arrow table of exactly `METRIC_SCHEMA`."""

    table: pa.Table

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", _checked(self.table, METRIC_SCHEMA))

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> MetricBatch:
        """A batch of rows that carry every key of `METRIC_SCHEMA`."""
        return cls(pa.Table.from_pylist([dict(row) for row in rows], schema=METRIC_SCHEMA))


def record_hash(row: Mapping[str, Any]) -> str:
    """A digest of one span record's whole content; equal for exact duplicates only."""
    text = "\x1f".join(repr(row[name]) for name in SPAN_SCHEMA.names)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
