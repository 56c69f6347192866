"""The requests of plain traces, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from analysis.derived import REQUESTS_SCHEMA
from analysis.plain import asked as asking
from analysis.plain.batch import kinds
from analysis.plain.call_rows import emitters, known
from analysis.plain.calls import Calls
from analysis.plain.cutting import sums
from analysis.plain.numbering import numbered
from analysis.plain.tables import Answers, Identities
from analysis.plain.texts import text
from analysis.rules import FIRST_TOKEN
from analysis.stages import STAGES, stage_columns
from analysis.staging.token_gaps import UNKNOWN, gap_columns
from analysis.staging.usage import Usage

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array
Row = dict[str, Any]


def requests(found: Answers, ids: Identities) -> tuple[pa.Table, Flags]:
    """One row per trace, and which of `Calls` are answers."""
    batch = found.batch
    roots = batch.first[:-1]
    asked = _asked(found)
    columns: Row = {
        "trace_id": ids.trace_id.take(pa.array(roots)),
        "root_key": ids.span_id.take(pa.array(roots)),
        "root_span_id": ids.span_id.take(pa.array(roots)),
        **_identity(found, roots),
        **_times(found, roots),
        **_of_calls(found, asked),
        **_counts(found),
        "flags": _flags(found),
        "excluded": np.zeros(len(roots), np.bool_),
        **_sums(found, asked.at),
    }
    table = {name: columns[name] for name in REQUESTS_SCHEMA.names}
    answers = np.zeros(len(found.calls.place), np.bool_)
    answers[asked.answer[asked.answer >= 0]] = True
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
    pairs = trace[named] * width + batch["service"][named]
    pairs = pairs[numbered(pairs, count * width)[1]]
    return {
        "n_spans": sizes,
        "n_services": np.bincount(pairs // width, minlength=count),
        "n_async": np.bincount(trace[~batch["blocking"]], minlength=count),
    }


def _flags(found: Answers) -> Any:
    """The names of all flags in each request, in order."""
    counts = np.zeros(len(found.batch.first) - 1, np.int64)
    names: list[str] = []
    by_trace: dict[int, set[str]] = {}
    places = np.fromiter(found.flags, np.int64, len(found.flags))
    traces = np.searchsorted(found.batch.first, places, side="right") - 1
    for trace, told in zip(traces.tolist(), found.flags.values(), strict=True):
        by_trace.setdefault(trace, set()).update(told)
    for trace, flags in by_trace.items():  # in the order of places, which is that of traces
        counts[trace] = len(flags)
        names += sorted(flags)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(first), pa.array(names, pa.string()))


def _asked(found: Answers) -> asking.Asked:
    batch, calls = found.batch, found.calls
    number = np.full(len(batch.parent), -1, np.int64)
    number[calls.place] = np.arange(len(calls.place))
    at = calls.place
    failed = kinds(found.columns["status"], batch["status"], "error")[at]
    return asking.asked(
        asking.Spans(
            batch.first, batch.parent, batch["start"], batch["end"], batch["key"], number
        ),
        asking.Told(
            at, calls.call, calls.call & found.on_path[at] & batch["blocking"][at],
            calls.streams, failed, calls.cut.first, calls.cut.seen, calls.usage,
        ),
    )  # fmt: skip


def _of_calls(found: Answers, asked: asking.Asked) -> Row:
    """The columns that calls decide."""
    calls, start = found.calls, found.batch["start"][found.batch.first[:-1]]
    answered = asked.answer >= 0
    answer = np.maximum(asked.answer, 0)
    count = len(answer)
    model = calls.model[answer] if len(calls.place) else np.full(count, -1)
    rule = found.batch["rule"][calls.place[answer]] if len(calls.place) else np.zeros(count, int)
    names = Usage._fields
    return {
        "model": text(calls.models, np.where(answered, model, -1)),
        "emitter": text([*emitters(found.told), None], np.where(answered, rule, -1)),
        "ttft_ns": pa.array(asked.at - start, mask=asked.at == 0),
        "ttft_source": text([*FIRST_TOKEN.values()], np.where(asked.at > 0, asked.source, -1)),
        "tpot_ns": known(asked.tpot),
        **_gaps(calls, asked.answer),
        "n_calls": asked.calls,
        **{f"{name}_tokens": known(asked.own[:, n]) for n, name in enumerate(names)},
        **{f"total_{name}_tokens": known(asked.total[:, n]) for n, name in enumerate(names)},
    }


def _gaps(calls: Calls, answer: Ints) -> Row:
    """The gaps between tokens, which only calls tell that were read one by one."""
    fields = [REQUESTS_SCHEMA.field(name) for name in UNKNOWN]
    if not any(call.gaps for call in calls.read.values()):
        return {one.name: pa.nulls(len(answer), one.type) for one in fields}
    read = [calls.read.get(number) for number in answer.tolist()]
    rows = [gap_columns(None if call is None else call.gaps) for call in read]
    return {one.name: pa.array([row[one.name] for row in rows], one.type) for one in fields}


def _sums(found: Answers, seen: Ints) -> Row:
    """Ns per stage, of the whole request and up to its first token (0: not seen)."""
    ends = found.batch["end"][found.batch.first[:-1]]
    total = np.ascontiguousarray(sums(found.segments, ends, len(STAGES)).T)
    until, unknown = np.where(seen == 0, ends, seen), seen == 0
    before = np.ascontiguousarray(sums(found.segments, until, len(STAGES)).T)
    columns = {name: total[number] for number, name in enumerate(stage_columns())}
    for number, name in enumerate(stage_columns("ttft_")):
        columns[name] = pa.array(before[number], mask=unknown)
    return columns
