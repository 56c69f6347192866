"""One request: its spans after cleaning, its segments and its model calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from analysis.derive import Derived, derive
from analysis.errors import UserError
from analysis.rules import TOKENS
from data.filters import Filters
from data.store import Store
from services.request_list import records, request_json

SPAN = (
    "key", "span_id", "service", "name", "kind", "start_ns", "end_ns", "raw_start_ns",
    "raw_end_ns", "self_ns", "stage", "rule", "blocking", "observer", "status", "depth",
    "role", "host", "parent_key",
)  # fmt: skip


def show(store: Store, trace: str, root: str | None = None, raw: bool = False) -> dict[str, Any]:
    """The answer of `slowpath show TRACE[/ROOT]`.

    Args:
        trace: a trace id, or the only beginning of one.
        root: the root span's id or key; the longest request of the trace where absent.
        raw: times as exported, with no clock corrected.

    Raises:
        UserError: no such trace or root; the closest known trace ids are named.
    """
    trace_id = _trace_id(store, trace)
    derived = derive(store.records(trace_id), store.rules, not raw, store.offsets())
    requests = sorted(records(derived.requests.to_pandas()), key=lambda row: -row["e2e_ns"])
    chosen = _chosen(requests, root, trace_id)
    others = [request_json(row) for row in requests if row is not chosen]
    return {"request": request_json(chosen), "other_requests": others, **_parts(derived, chosen)}


def _trace_id(store: Store, given: str) -> str:
    text = given.strip().lower().removeprefix("0x")
    if not text:
        raise UserError("the id of a trace", "none", "show")
    found = store.query("trace_ids", trace=text)["trace_id"].tolist()
    exact = [trace for trace in found if trace in (text, text.rjust(32, "0"), given)]
    if len(found) == 1 or exact:
        return str((exact or found)[0])
    if found:
        raise UserError("one trace", f"{len(found)} that begin so: {', '.join(found[:3])}", given)
    close = store.query("closest_traces", trace=text)["trace_id"].tolist()
    known = f"none; the closest are {', '.join(close)}" if close else "none; the store is empty"
    raise UserError("the id of a trace in the store", known, given)


def _chosen(requests: list[dict[str, Any]], root: str | None, trace_id: str) -> dict[str, Any]:
    if root is None:
        return requests[0]
    for row in requests:
        if root in (row["root_key"], row["root_span_id"], str(row["root_span_id"]).lstrip("0")):
            return row
    roots = ", ".join(str(row["root_span_id"]) for row in requests)
    raise UserError(f"one of the roots {roots}", repr(root), trace_id)


def _parts(derived: Derived, chosen: dict[str, Any]) -> dict[str, Any]:
    def own(table: Any) -> list[dict[str, Any]]:
        rows = records(table.to_pandas())
        return [row for row in rows if row["root_key"] == chosen["root_key"]]

    segment = ("key", "span_id", "stage", "start_ns", "end_ns")
    spans = [_span(row) for row in own(derived.spans)]
    return {
        "spans": spans,
        "segments": [{name: row[name] for name in segment} for row in own(derived.segments)],
        "calls": [_call(row, spans) for row in own(derived.calls)],
    }


def _span(row: dict[str, Any]) -> dict[str, Any]:
    parent = row["parent_key"]
    return {
        **{name: row[name] for name in SPAN},
        "parent_id": None if parent is None else str(parent).split("/")[0],
        "attributes": json.loads(row["attributes"]),
        "events": json.loads(row["events"]),
        "links": json.loads(row["links"]),
        "pieces": json.loads(row["pieces"]) if row["pieces"] else [],
        "flags": json.loads(row["flags"]),
    }


def _call(row: dict[str, Any], spans: list[dict[str, Any]]) -> dict[str, Any]:
    rest = {name: row[name] for name in row if name not in ("trace_id", "root_key")}
    marks = json.loads(row["marks"])
    return {
        **rest,
        "marks": marks,
        "reported": json.loads(row["reported"]),
        "token_offsets_ns": _offsets(row, marks, spans),
    }


def _offsets(row: dict[str, Any], marks: dict[str, str], spans: list[dict[str, Any]]) -> list[int]:
    """The instants of a call's tokens or chunks, in ns from its start; [] where none is known."""
    pattern = next((marks[name] for name in TOKENS if name in marks), None)
    if pattern is None:
        return []
    for span in _near(row["key"], spans):
        found = [e["time_ns"] for e in span["events"] if re.search(pattern, e["name"])]
        at = sorted(ns - row["start_ns"] for ns in found if ns is not None)
        if at:
            return at
    return []


def _near(key: str, spans: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The span of a call, those right below it, then those around it, the nearest first."""
    known = {span["key"]: span for span in spans}
    yield known[key]
    yield from (span for span in spans if span["parent_key"] == key)
    while (key := known[key]["parent_key"]) is not None:
        yield known[key]


def usual(store: Store, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Per stage the p5, p50 and p95 over requests of the same route, with their count `n`."""
    frame = store.query(
        "peers", Filters(), trace_id=request["trace_id"], root_key=request["root_key"]
    )
    return records(frame)
