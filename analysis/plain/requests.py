"""The requests of plain traces, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from analysis.call_rows import emitter
from analysis.derived import REQUESTS_SCHEMA
from analysis.metrics import FirstToken
from analysis.plain.batch import kinds
from analysis.plain.calls import Asked, by_trace
from analysis.plain.cutting import sums
from analysis.plain.tables import Answers, Identities, text
from analysis.stages import STAGES, stage_columns
from analysis.staging.model_calls import Call
from analysis.staging.token_gaps import UNKNOWN, gap_columns

Ints = Any  # numpy int64 array
Row = dict[str, Any]

_ASKED = (
    "model", "emitter", "ttft_ns", "ttft_source", "tpot_ns", "n_calls", *UNKNOWN,
    *(f"{sums}{name}_tokens" for sums in ("", "total_") for name in ("input", "cached", "output")),
)  # fmt: skip


def requests(found: Answers, ids: Identities) -> tuple[pa.Table, set[int]]:
    """One row per trace, and the places of the answer calls."""
    batch = found.batch
    roots = batch.first[:-1]
    asked, answers, seen = _asked(found)
    columns: Row = {
        "trace_id": ids.trace_id.take(pa.array(roots)),
        "root_key": ids.span_id.take(pa.array(roots)),
        "root_span_id": ids.span_id.take(pa.array(roots)),
        **_identity(found, roots),
        **_times(found, roots),
        **asked,
        **_counts(found),
        "flags": _flags(found),
        "excluded": np.zeros(len(roots), np.bool_),
        **_sums(found, seen),
    }
    table = {name: columns[name] for name in REQUESTS_SCHEMA.names}
    return pa.table(table, schema=REQUESTS_SCHEMA), answers


def _times(found: Answers, roots: Ints) -> Row:
    start, end = found.batch["start"][roots], found.batch["end"][roots]
    return {"start_ns": start, "end_ns": end, "e2e_ns": end - start, "raw_e2e_ns": end - start}


def _identity(found: Answers, roots: Ints) -> Row:
    """What a request is called, as `metrics.identity` says."""
    batch, columns, told = found.batch, found.columns, found.told
    server = kinds(columns["kind"], batch["kind"], "server")
    entry = _first(found, server & (batch["route"] >= 0))
    names, named = columns["name"].values, _first(found, server)
    route = np.where(named < 0, -1, batch["name"][named])
    route = np.where(entry < 0, route, len(names) + batch["route"][entry])
    version = told.resource.version[batch["resource"]]
    of_root, of_entry = version[roots], np.where(entry < 0, -1, version[entry])
    failed = kinds(columns["status"], batch["status"], "error") | batch["server_error"]
    known = np.where(entry < 0, roots, entry)
    return {
        "name": text(names, batch["name"][roots]),
        "route": text(names + told.routes, route),
        "service": text(columns["service"].values, batch["service"][known]),
        "version": text(told.resource.versions, np.where(of_entry < 0, of_root, of_entry)),
        "status": text(["ok", "error"], failed[roots].astype(np.int64)),
    }


def _first(found: Answers, wanted: Any) -> Ints:
    """The first place of each trace where something holds, -1 where nowhere."""
    places = np.full(len(found.batch.first) - 1, -1, np.int64)
    at = np.flatnonzero(wanted)[::-1]
    places[found.batch.trace()[at]] = at  # the last to be written is the first of its trace
    return places


def _counts(found: Answers) -> Row:
    batch, sizes = found.batch, np.diff(found.batch.first)
    trace, count = batch.trace(), len(sizes)
    width = len(found.columns["service"].values) + 1
    named = batch["service"] >= 0
    pairs = np.unique(trace[named] * width + batch["service"][named])
    return {
        "n_spans": sizes,
        "n_services": np.bincount(pairs // width, minlength=count),
        "n_async": np.bincount(trace[~batch["blocking"]], minlength=count),
    }


def _flags(found: Answers) -> list[list[str]]:
    flags: list[set[str]] = [set() for _root in found.batch.first[:-1]]
    places = np.fromiter(found.flags, np.int64, len(found.flags))
    traces = np.searchsorted(found.batch.first, places, side="right") - 1
    for trace, told in zip(traces.tolist(), found.flags.values(), strict=True):
        flags[trace].update(told)
    return [sorted(names) for names in flags]


def _asked(found: Answers) -> tuple[Row, set[int], dict[int, int]]:
    """The columns that calls decide, the answers' places, and first tokens by trace."""
    count = len(found.batch.first) - 1
    columns: dict[str, list[Any]] = {name: [None] * count for name in _ASKED}
    columns["n_calls"] = [0] * count
    told = Asked(found.batch, found.calls, found.on_path)
    answers: set[int] = set()
    seen: dict[int, int] = {}
    starts, ends = found.batch["start"].tolist(), found.batch["end"].tolist()
    first = found.batch.first.tolist()
    for trace, places in by_trace(found.batch, found.calls):
        answer = told.answer(places)
        row: Row = dict(told.tokens(places, answer))
        if answer is not None:
            answers.add(answer)
            start = starts[first[trace]]
            token = told.first_token(trace, start, ends[first[trace]], answer)
            row |= _answered(found.calls.calls[answer], token, told.tpot_ns(answer, token))
            if token is not None:
                seen[trace] = token.at
                row["ttft_ns"] = token.at - start
        for name, value in row.items():
            columns[name][trace] = value
    return columns, answers, seen


def _answered(call: Call, token: FirstToken | None, tpot: int | None) -> Row:
    return {
        "model": call.model,
        "emitter": emitter(call),
        "ttft_source": None if token is None else token.source,
        "tpot_ns": tpot,
        **gap_columns(call.gaps),
    }


def _sums(found: Answers, seen: dict[int, int]) -> Row:
    """Ns per stage, of the whole request and up to its first token."""
    ends = found.batch["end"][found.batch.first[:-1]]
    total = sums(found.segments, ends, len(STAGES))
    until, unknown = ends.copy(), np.ones(len(ends), np.bool_)
    until[list(seen)] = list(seen.values())
    unknown[list(seen)] = False
    before = sums(found.segments, until, len(STAGES))
    columns = {name: total[:, number] for number, name in enumerate(stage_columns())}
    for number, name in enumerate(stage_columns("ttft_")):
        columns[name] = pa.array(before[:, number], mask=unknown)
    return columns
