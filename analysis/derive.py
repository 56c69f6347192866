"""Whole traces in; their requests, spans, calls, segments and flags out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.call_rows import call_row, emitter
from analysis.cleaning import clean
from analysis.clock_offsets import Offsets
from analysis.critical_path import partition
from analysis.derived import (
    CALLS_SCHEMA,
    FLAGS_SCHEMA,
    REQUESTS_SCHEMA,
    ROWS_SCHEMA,
    SEGMENTS_SCHEMA,
    SLICES_SCHEMA,
    SPANS_SCHEMA,
    Derived,
    parted,
)
from analysis.json_text import encoded, events_text, links_text, pieces_text
from analysis.metrics import (
    Segment,
    answer_call,
    first_token,
    identity,
    on_path,
    segments,
    stage_sums,
    token_columns,
    tpot_ns,
)
from analysis.parsing import parse
from analysis.rules import RuleSet
from analysis.stages import STAGE_NUMBER, STAGES
from analysis.staging.matching import Matcher
from analysis.staging.model_calls import Call
from analysis.staging.pieces import Staged, stage
from analysis.staging.token_gaps import gap_columns
from analysis.tree import Span

__all__ = [
    "CALLS_SCHEMA",
    "FLAGS_SCHEMA",
    "REQUESTS_SCHEMA",
    "SEGMENTS_SCHEMA",
    "SLICES_SCHEMA",
    "SPANS_SCHEMA",
    "Derived",
    "derive",
]

Row = dict[str, Any]

MANY: Final = 20_000
"""Records from which on plain traces are derived by columns; loading that takes a second."""


def derive(
    records: pa.Table,
    rules: RuleSet,
    correct_clocks: bool = True,
    offsets: Offsets | None = None,
) -> Derived:
    """What whole traces say: one Arrow table for requests, spans, calls, segments and flags.

    `records` has the columns of `SPAN_SCHEMA`, in any order, every record of each trace;
    `offsets` is what a wider set of traces says of the clocks (`analysis.clock_offsets`).
    Rows come out by trace id, request start and tree order, whatever the order of the records.
    Raises: RuntimeError that names the trace where deriving it fails, which is a bug.
    """
    if records.num_rows < MANY:
        return derive_each(records, rules, correct_clocks, offsets)
    return derive_columns(records, rules, correct_clocks, offsets)


def derive_columns(
    records: pa.Table,
    rules: RuleSet,
    correct_clocks: bool = True,
    offsets: Offsets | None = None,
) -> Derived:
    """The same, plain traces column by column, which pays where there are many."""
    from analysis.plain import derive_plain  # noqa: PLC0415  # loads a compiler, which few need

    plain, awkward = derive_plain(records, Matcher(rules), offsets)
    if not awkward.any():
        return plain
    rest = records.filter(pa.array(awkward))
    return _merged(plain, derive_each(rest, rules, correct_clocks, offsets))


def _merged(one: Derived, other: Derived) -> Derived:
    """The rows of both, by trace id."""
    tables, orders = {}, {}
    more = {name: getattr(other, name) for name in ("requests", "calls", "flags")}
    looks = pc.add(other.rows.column("look"), one.looks.num_rows)
    more["rows"] = other.rows.set_column(0, ROWS_SCHEMA.field("look"), looks)
    for name in ("requests", "rows", "calls", "flags"):
        table = pa.concat_tables([getattr(one, name), more[name]]).combine_chunks()
        orders[name] = np.argsort(_ranks(table.column("trace_id")), kind="stable")
        tables[name] = table.take(pa.array(orders[name]))
    places = np.argsort(orders["rows"])  # where each row of the spans went
    owners = [made.slices.column("owner").to_numpy() for made in (one, other)]
    owner = places[np.concatenate([owners[0], owners[1] + one.rows.num_rows])]
    order = pa.array(np.argsort(_traces(tables["rows"])[owner], kind="stable"))
    slices = pa.concat_tables([one.slices, other.slices]).set_column(0, "owner", pa.array(owner))
    return Derived(
        **tables,
        looks=pa.concat_tables([one.looks, other.looks]),
        slices=slices.combine_chunks().take(order).cast(SLICES_SCHEMA),
    )


def _traces(spans: pa.Table) -> Any:
    """The number of the trace of each row; those of one trace lie together."""
    return _ranks(spans.column("trace_id"))


def _ranks(column: pa.ChunkedArray) -> Any:
    """The place of each text among all of them."""
    coded = column.combine_chunks().dictionary_encode()
    texts = coded.dictionary.to_pylist()
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks[coded.indices.to_numpy()]


def derive_each(
    records: pa.Table,
    rules: RuleSet,
    correct_clocks: bool = True,
    offsets: Offsets | None = None,
) -> Derived:
    """The same, trace by trace: what is awkward about a trace is put right here."""
    matcher, rows = Matcher(rules), _Rows()
    for trace_id, spans in sorted(parse(records).items()):
        try:
            matcher.assign(spans)
            known = None if offsets is None else offsets.between
            for root in clean(spans, correct_clocks, known):
                _request(root, matcher, rows)
        except Exception as error:
            raise RuntimeError(f"trace {trace_id} cannot be derived: {error!r}") from error
    return rows.tables()


class _Rows:
    """The rows of the five tables while they grow."""

    def __init__(self) -> None:
        self.requests: list[Row] = []
        self.spans: list[Row] = []
        self.calls: list[Row] = []
        self.slices: list[Row] = []
        self.flags: list[Row] = []

    def tables(self) -> Derived:
        return Derived(
            pa.Table.from_pylist(self.requests, schema=REQUESTS_SCHEMA),
            *parted(self.spans),
            pa.Table.from_pylist(self.calls, schema=CALLS_SCHEMA),
            pa.Table.from_pylist(self.slices, schema=SLICES_SCHEMA),
            pa.Table.from_pylist(self.flags, schema=FLAGS_SCHEMA),
        )


def _request(root: Span, matcher: Matcher, rows: _Rows) -> None:
    staged = stage(root, matcher)
    slices = partition(root)
    for owned in slices:
        owned.span.self_ns += owned.end - owned.start
    parts = segments(slices)
    ids = {"trace_id": root.trace_id, "root_key": root.key}
    path = on_path(owned.span for owned in slices)
    call = answer_call(staged, path)
    rows.requests.append(ids | _request_row(staged, parts, call))
    places = {span.key: len(rows.spans) + place for place, span in enumerate(staged.spans)}
    rows.spans.extend(ids | row for row in _span_rows(staged))
    rows.calls.extend(
        ids
        | {"key": found.span.key, "span_id": found.span.span_id}
        | call_row(found, found.span.key in path, found is call)
        for found in staged.calls.values()
    )
    rows.slices.extend(_slice_row(part, places) for part in parts)
    for span in staged.spans:
        for flag, amount in sorted(span.flags.items()):
            rows.flags.append(ids | {"key": span.key, "flag": flag, "amount_ns": amount})


def _request_row(staged: Staged, parts: list[Segment], call: Call | None) -> Row:
    root = staged.spans[0]
    seen = first_token(staged, call) if call is not None else None
    before = stage_sums(parts, seen.at) if seen is not None else {}
    return {
        "root_span_id": root.span_id,
        **identity(staged),
        "model": None if call is None else call.model,
        "emitter": None if call is None else emitter(call),
        "start_ns": root.start,
        "end_ns": root.end,
        "e2e_ns": root.end - root.start,
        "ttft_ns": None if seen is None else seen.at - root.start,
        "ttft_source": None if seen is None else seen.source,
        "tpot_ns": None if call is None else tpot_ns(call, seen),
        **gap_columns(None if call is None else call.gaps),
        **token_columns(staged, call),
        **_counts(staged.spans),
        "flags": sorted({flag for span in staged.spans for flag in span.flags}),
        **{f"{name}_ns": ns for name, ns in stage_sums(parts).items()},
        **{f"ttft_{name}_ns": before.get(name) for name in STAGES},
    }


def _counts(spans: list[Span]) -> Row:
    real = [span for span in spans if not span.placeholder]
    return {
        "n_spans": len(real),
        "n_services": len({span.service for span in real if span.service is not None}),
        "n_async": sum(not span.blocking for span in real),
    }


def _span_rows(staged: Staged) -> Iterable[Row]:
    depths: dict[str, int] = {}
    root = staged.spans[0]
    for span in staged.spans:
        parent = None if span is root else span.parent
        depths[span.key] = 0 if parent is None else depths[parent.key] + 1
        yield {
            "key": span.key,
            "span_id": span.span_id,
            "parent_key": None if parent is None else parent.key,
            "service": span.service,
            "host": span.host,
            "name": span.name,
            "kind": span.kind,
            "status": span.status,
            "start_ns": span.start,
            "end_ns": span.end,
            "raw_start_ns": span.raw_start,
            "raw_end_ns": span.raw_end,
            "self_ns": span.self_ns,
            "stage": span.stage,
            "rule": "fallback" if span.rule is None else span.rule.id,
            "role": "" if span.rule is None else span.rule.role,
            "blocking": span.blocking,
            "observer": span.observer,
            "depth": depths[span.key],
            "pieces": pieces_text(span.pieces),
            "flags": encoded(dict(sorted(span.flags.items()))),
            "attributes": encoded(span.attributes),
            "events": events_text(span.events),
            "links": links_text(span.links),
        }


def _slice_row(part: Segment, places: dict[str, int]) -> Row:
    return {
        "owner": places[part.span.key],
        "stage": STAGE_NUMBER[part.stage],
        "start_ns": part.start,
        "end_ns": part.end,
    }
