"""The tables that cleaning, staging and partitioning leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import pyarrow as pa

from analysis.stages import stage_columns


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
    [*_ints(["owner"]), _text("stage"), *_ints(["start_ns", "end_ns"])]  # owner: row in `spans`
)
"""The same rows by the place of their span."""


@dataclass(frozen=True)
class Derived:
    """What was derived from whole traces: Arrow tables of the schemas above."""

    requests: pa.Table
    spans: pa.Table
    calls: pa.Table
    slices: pa.Table
    flags: pa.Table

    @cached_property
    def segments(self) -> pa.Table:
        """The slices with the names of their spans (`SEGMENTS_SCHEMA`)."""
        names = SEGMENTS_SCHEMA.names
        named = self.spans.select(names[:4]).take(self.slices.column("owner"))
        columns = [*named.columns, *(self.slices.column(name) for name in names[4:])]
        return pa.table(columns, schema=SEGMENTS_SCHEMA)
