"""From spans in the store to segments in the store, phase by phase."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from analysis import derive as derived
from analysis import plain
from analysis.derive import derive
from analysis.plain import batch, calls, cutting, owners, tables
from bench import traces
from bench.measuring import Phases, best, on_one_core
from data import writing
from data.rules_file import default_rules
from data.store import Store

PHASES = (
    (batch, "connected", "cleaning"),
    (batch, "described", "cleaning"),
    (batch, "fit", "cleaning"),
    (plain, "ruled", "staging"),
    (calls, "read", "staging"),
    (tables, "pieces_of", "staging"),
    (plain, "_partitioned", "partition"),
    (cutting, "shares", "partition"),
    (cutting, "segments", "partition"),
    (plain, "_derived", "tables"),
    (derived, "derive_each", "awkward traces"),
    (writing, "_insert", "writing"),
)


def run(count: int) -> None:
    """Print the table for that many requests."""
    on_one_core()
    rules = default_rules()
    derive(_warm(), rules)  # compiles, or loads what was compiled
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "bench.duckdb", rules)
        import_id = store.begin("bench", "bench")
        assert import_id is not None
        for made in traces.batches(count):
            store.add(import_id, made)
        phases = Phases()
        for room, name, phase in PHASES:
            phases.timed(room, name, phase)
        started = time.process_time()
        with phases.watching(), phases.phase("reading and the rest"):
            store.settle(import_id, "otlp_json", [], {})
        total = time.process_time() - started
        store.close()
    _print(count * traces.SPANS, total, phases)
    _partition_alone(count)


def _warm() -> pa.Table:
    return pa.concat_tables([made.table for made in traces.batches(2_000)])


def _print(spans: int, total: float, phases: Phases) -> None:
    texts = [text for made in traces.batches(2_000) for text in _attributes(made)]
    unit, _answer = best(lambda: [json.loads(text) for text in texts])
    unit *= spans / len(texts)
    print(f"{spans} spans; baseline: json.loads of their attributes {unit:.2f} CPU s")
    rows = [("store to store", total), *phases.seconds.items()]
    apart = ("reading and the rest", "writing")
    rows.append(("without reading and writing", total - sum(phases.seconds[n] for n in apart)))
    for name, seconds in rows:
        peak = max(phases.megabytes.values()) if name == "store to store" else 0
        peak = phases.megabytes.get(name, peak)
        memory = f"{peak:7.0f} MB" if peak else ""
        rate = spans / max(seconds, 1e-9)
        print(f"{name:28} {seconds:8.2f} s {rate:12,.0f} spans/s {seconds / unit:7.2f} × {memory}")


def _attributes(made: Any) -> list[str]:
    texts: list[str] = made.table.column("attributes").to_pylist()
    return texts


def _partition_alone(count: int) -> None:
    """Trees in memory, slices in memory."""
    table = pa.concat_tables([made.table for made in traces.batches(min(count, 20_000))])
    made, columns = batch.described(batch.connected(table), table)
    made = batch.fit(made, columns["kind"])
    forest = plain._forest(made)
    seconds, _answer = best(lambda: owners.slices(forest))
    print(f"{'partition alone':28} {seconds:8.2f} s {table.num_rows / seconds:12,.0f} spans/s")
