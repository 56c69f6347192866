"""Stores for tests: a small derive of our own, imports in one line, and what a store holds."""

import json
from collections import defaultdict
from typing import Any

import pyarrow as pa
from builders import spans

from analysis.derive import (
    CALLS_SCHEMA,
    FLAGS_SCHEMA,
    REQUESTS_SCHEMA,
    SLICES_SCHEMA,
    SPANS_SCHEMA,
    Derived,
)
from analysis.derived import parted
from analysis.rules import RuleSet
from analysis.spans import MetricBatch, SpanBatch
from analysis.stages import STAGES, stage_columns
from data.store import Settled, Store

RULES = RuleSet((), hash="one")
TABLES = ("requests", "spans", "calls", "segments", "flags")


def tiny_derive(records: pa.Table, rules: RuleSet) -> Derived:
    """Each trace one request, whose columns are its root's attributes of that name.

    Without stages among them all time is `model`. A span named "llm" is a model call.
    """
    traces = defaultdict(list)
    for record in records.to_pylist():
        traces[record["trace_id"]].append(record)
    made: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for trace in traces.values():
        root = min(trace, key=lambda r: (r["parent_id"] is not None, r["start_ns"], r["end_ns"]))
        request = request_row(root, trace, rules)
        made["requests"].append(request)
        made["slices"] += slices(request, len(made["spans"]) + trace.index(root))
        made["spans"] += [span_row(record, request) for record in trace]
        made["calls"] += [call_row(record, request) for record in trace if record["name"] == "llm"]
        made["flags"] += [flag_row(request, flag) for flag in request["flags"]]
    return Derived(
        pa.Table.from_pylist(made["requests"], schema=REQUESTS_SCHEMA),
        *parted(made["spans"]),
        pa.Table.from_pylist(made["calls"], schema=CALLS_SCHEMA),
        pa.Table.from_pylist(made["slices"], schema=SLICES_SCHEMA),
        pa.Table.from_pylist(made["flags"], schema=FLAGS_SCHEMA),
    )


def request_row(root: dict, trace: list[dict], rules: RuleSet) -> dict[str, Any]:
    length = root["end_ns"] - root["start_ns"]
    row: dict[str, Any] = dict.fromkeys(REQUESTS_SCHEMA.names)
    row |= dict.fromkeys(stage_columns(), 0)
    row |= {name: root[name] for name in ("trace_id", "name", "service", "start_ns", "end_ns")}
    row |= {"root_key": root["span_id"], "root_span_id": root["span_id"], "route": root["name"]}
    row |= {"status": "ok", "e2e_ns": length, "version": rules.hash}
    row |= {"n_calls": 0, "n_spans": len(trace), "n_services": 1, "n_async": 0}
    row |= {"flags": [], "excluded": False}
    row |= json.loads(root["attributes"])
    row["model_ns"] += row["e2e_ns"] - sum(row[name] for name in stage_columns())
    return row


def span_row(record: dict, request: dict) -> dict[str, Any]:
    row = {name: record.get(name) for name in SPANS_SCHEMA.names}
    row |= {"root_key": request["root_key"], "key": record["span_id"], "stage": "model"}
    row |= {"rule": "tiny", "role": "", "pieces": "", "flags": "{}", "depth": 0, "self_ns": 0}
    row |= {"blocking": True, "observer": False, "parent_key": record["parent_id"]}
    return row | {"raw_start_ns": record["start_ns"], "raw_end_ns": record["end_ns"]}


def slices(request: dict, owner: int) -> list[dict[str, Any]]:
    at, made = request["start_ns"], []
    for number, stage in enumerate(STAGES):
        if length := request[f"{stage}_ns"]:
            made.append({"owner": owner, "stage": number, "start_ns": at, "end_ns": at + length})
            at += length
    return made


def call_row(record: dict, request: dict) -> dict[str, Any]:
    row = {name: record.get(name) for name in CALLS_SCHEMA.names}
    row |= {"root_key": request["root_key"], "key": record["span_id"], "on_path": True}
    return row | {"answer": True, "marks": "{}", "reported": "{}"}


def flag_row(request: dict, flag: str) -> dict[str, Any]:
    names = {name: request[name] for name in ("trace_id", "root_key")}
    return names | {"key": request["root_key"], "flag": flag, "amount_ns": 5}


def trace(number: int, *lines: str, **root: Any) -> SpanBatch:
    """The spans of trace `number`; keywords are columns of its request. The first line is its root.

    Without lines: one span that starts `number` seconds in and takes `number` times 100 ms.
    """
    lines = lines or (f"a . web server {number * 1000} {number * 1100} chat",)
    return spans(*lines, trace_id=f"{number:032x}", **{lines[0].split()[0]: {"attributes": root}})


def tiny_store(path: Any = ":memory:", rules: RuleSet = RULES, **options: Any) -> Store:
    return Store(path, rules, derive=tiny_derive, **options)


def bring(
    store: Store, name: str, *batches: SpanBatch | MetricBatch, sample: bool = False
) -> tuple[int, Settled]:
    """Import batches whole, as one data set."""
    import_id = store.begin(name, f"hash of {name}", sample=sample)
    assert import_id is not None
    for batch in batches:
        store.add(import_id, batch)
    return import_id, store.settle(import_id, "otlp_json", [], {})


def contents(store: Store) -> dict[str, list[str]]:
    """Every row of every derived table, in an order of their own, whoever contributed to them."""
    columns = "SELECT COLUMNS(lambda name: name <> 'place')"
    with store._connection.cursor() as cursor:
        return {
            table: sorted(map(repr, cursor.execute(f"FROM {table} {columns}").fetchall()))
            for table in TABLES
        }
