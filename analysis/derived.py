"""The tables that cleaning, staging and partitioning leave behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from analysis.stages import STAGES, stage_columns


def _text(name: str, nullable: bool = False) -> Any:
    return pa.field(name, pa.string(), nullable=nullable)


def _ints(names: Sequence[str], nullable: bool = False) -> list[Any]:
    return [pa.field(name, pa.int64(), nullable=nullable) for name in names]


def _flag(name: str, nullable: bool = False) -> Any:
    return pa.field(name, pa.bool_(), nullable=nullable)


_GAPS: Final = [
    *_ints(["token_gaps"], nullable=True),  # between events of tokens; null: there are none
    _text("itl_unit", nullable=True),  # what an event is: token, or chunk of one token or more
    *_ints(["itl_p50_ns", "itl_p99_ns", "itl_max_ns"], nullable=True),  # of these gaps
]

REQUESTS_SCHEMA: Final = pa.schema(
    [
        _text("trace_id"),
        _text("root_key"),  # with trace_id: names the request
        _text("root_span_id"),
        _text("name"),
        _text("route", nullable=True),  # http.route of the first SERVER span, or its name
        _text("service", nullable=True),  # of the root
        _text("model", nullable=True),  # of the answer call
        _text("emitter", nullable=True),  # whose marks of the answer call were read
        _text("version", nullable=True),  # service.version of the root's resource
        _text("status"),  # ok or error
        *_ints(["start_ns", "end_ns", "e2e_ns"]),
        *_ints(["raw_e2e_ns", "ttft_ns"], nullable=True),
        _text("ttft_source", nullable=True),  # client_chunk response_start proxy_first_byte engine
        *_ints(["tpot_ns"], nullable=True),
        *_GAPS,  # of the answer call
        *_ints(["input_tokens", "cached_tokens", "output_tokens"], nullable=True),  # answer call
        *_ints(
            ["total_input_tokens", "total_cached_tokens", "total_output_tokens"], nullable=True
        ),  # over all calls
        *_ints(["n_calls", "n_spans", "n_services", "n_async"]),
        pa.field("flags", pa.list_(pa.string()), nullable=False),  # sorted, distinct
        _flag("excluded"),  # from percentiles and SLO counts
        *_ints(stage_columns()),  # ns on the path; their sum is e2e_ns
        *_ints(stage_columns("ttft_"), nullable=True),  # ns up to the first token; sum: ttft_ns
    ]
)
"""One row per request."""

SPANS_SCHEMA: Final = pa.schema(
    [
        _text("trace_id"),
        _text("root_key"),
        _text("key"),
        _text("span_id"),
        _text("parent_key", nullable=True),
        _text("service", nullable=True),
        _text("host", nullable=True),
        _text("name"),
        _text("kind"),
        _text("status"),
        *_ints(["start_ns", "end_ns"]),  # after cleaning
        *_ints(["raw_start_ns", "raw_end_ns"], nullable=True),  # as exported
        *_ints(["self_ns"]),  # share of the request's partition
        _text("stage"),
        _text("rule"),
        _text("role"),
        _flag("blocking"),
        _flag("observer"),
        pa.field("depth", pa.int32(), nullable=False),
        _text("pieces"),  # JSON [[stage, start_ns, end_ns]]; "" where one piece covers the span
        _text("flags"),  # JSON {name: amount_ns or null}
        _text("attributes"),  # JSON object
        _text("events"),  # JSON [{name, time_ns, attributes}]
        _text("links"),  # JSON [{trace_id, span_id, type}]
    ]
)
"""One row per span, parents before children, siblings by start."""

LOOKS_SCHEMA: Final = pa.schema(
    [SPANS_SCHEMA.field(name) for name in ("service", "host", "name", "kind", "status", "stage")]
    + [SPANS_SCHEMA.field(name) for name in ("rule", "role", "blocking", "observer", "depth")]
)
"""One row per look: what many spans have in common."""

USUAL: Final[dict[str, str]] = {"pieces": "", "flags": "{}", "events": "[]", "links": "[]"}
"""What these columns of most spans say, which is left out of `ROWS_SCHEMA`."""

_SPARSE: Final = {*USUAL, "span_id"}

ROWS_SCHEMA: Final = pa.schema(
    [pa.field("look", pa.int64(), nullable=False)]  # row in `looks`
    + [
        field.with_nullable(True) if field.name in _SPARSE else field
        for field in SPANS_SCHEMA
        if field.name not in LOOKS_SCHEMA.names
    ]
)
"""One row per span beside its look; null: as `USUAL`, and a `span_id` that is the key."""

SEGMENTS_SCHEMA: Final = pa.schema(
    [
        _text("trace_id"),
        _text("root_key"),
        _text("key"),
        _text("span_id"),
        _text("stage"),
        *_ints(["start_ns", "end_ns"]),
    ]
)
"""One row per slice of a request's partition, in time order; they tile the request."""

CALLS_SCHEMA: Final = pa.schema(
    [
        _text("trace_id"),
        _text("root_key"),
        _text("key"),
        _text("span_id"),
        _text("model", nullable=True),
        _text("emitter", nullable=True),
        _flag("streaming", nullable=True),
        *_ints(["start_ns", "end_ns"]),
        *_ints(["queue_ns", "prefill_ns"], nullable=True),
        *_ints(["first_token_ns"], nullable=True),  # from the call's start
        *_ints(["decode_ns"], nullable=True),
        *_ints(["input_tokens", "cached_tokens", "output_tokens"], nullable=True),
        *_GAPS,
        _flag("on_path"),  # owns an instant of the request, or a span below it does
        _flag("answer"),  # the call whose first token is the request's
        _text("marks"),  # JSON {mark: the key it was read from}
        _text("reported"),  # JSON {name: ns}: lengths as the emitter gave them
    ]
)
"""One row per model call."""

FLAGS_SCHEMA: Final = pa.schema(
    [
        _text("trace_id"),
        _text("root_key"),
        _text("key"),
        _text("flag"),
        *_ints(["amount_ns"], nullable=True),
    ]
)
"""One row per flag of a span."""


SLICES_SCHEMA: Final = pa.schema(
    [
        *_ints(["owner"]),  # row in `spans`
        pa.field("stage", pa.int8(), nullable=False),  # place in `STAGES`
        *_ints(["start_ns", "end_ns"]),
    ]
)
"""The same rows by the place of their span."""


def parted(spans: Iterable[dict[str, Any]]) -> tuple[pa.Table, pa.Table]:
    """Rows as in `SPANS_SCHEMA` as the tables `rows` and `looks` of `Derived`."""
    looks: dict[tuple[Any, ...], int] = {}
    rows = []
    for span in spans:
        look = tuple(span[name] for name in LOOKS_SCHEMA.names)
        sparse = {name: None if span[name] == rest else span[name] for name, rest in USUAL.items()}
        sparse["span_id"] = None if span["span_id"] == span["key"] else span["span_id"]
        rows.append(span | sparse | {"look": looks.setdefault(look, len(looks))})
    columns = [dict(zip(LOOKS_SCHEMA.names, look, strict=True)) for look in looks]
    return (
        pa.Table.from_pylist(rows, schema=ROWS_SCHEMA),
        pa.Table.from_pylist(columns, schema=LOOKS_SCHEMA),
    )


@dataclass(frozen=True)
class Derived:
    """What was derived from whole traces: Arrow tables of the schemas above."""

    requests: pa.Table
    rows: pa.Table
    looks: pa.Table
    calls: pa.Table
    slices: pa.Table
    flags: pa.Table

    @cached_property
    def spans(self) -> pa.Table:
        """The rows with their looks (`SPANS_SCHEMA`)."""
        rows, looks = self.rows, self.looks.take(self.rows.column("look"))
        columns = {name: rows.column(name) for name in rows.column_names}
        columns |= {name: looks.column(name) for name in looks.column_names}
        columns |= {name: pc.fill_null(columns[name], rest) for name, rest in USUAL.items()}
        columns["span_id"] = pc.coalesce(columns["span_id"], columns["key"])
        return pa.table([columns[name] for name in SPANS_SCHEMA.names], schema=SPANS_SCHEMA)

    @cached_property
    def segments(self) -> pa.Table:
        """The slices with the names of their spans (`SEGMENTS_SCHEMA`)."""
        names = SEGMENTS_SCHEMA.names
        named = self.rows.select(names[:4]).take(self.slices.column("owner"))
        columns = [*named.columns, *(self.slices.column(name) for name in names[4:])]
        columns[3] = pc.coalesce(columns[3], columns[2])
        columns[4] = pa.array(STAGES).take(columns[4])
        return pa.table(columns, schema=SEGMENTS_SCHEMA)
