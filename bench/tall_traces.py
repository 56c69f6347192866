"""Single traces that are long, wide or large."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa

from analysis.derive import derive
from analysis.spans import SPAN_SCHEMA
from data.rules_file import default_rules

BEGIN_NS = 1_772_000_000_000_000_000


def run() -> None:
    """Print the CPU seconds of each."""
    rules = default_rules()
    shapes = {
        "chain of 20,000": np.arange(-1, 19_999),
        "fan of 20,000": np.concatenate([[-1], np.zeros(20_000, np.int64)]),
        "trace of 200,000": np.concatenate([[-1], np.arange(199_999) // 4]),
    }
    for name, parents in shapes.items():
        table = trace(parents)
        derive(table, rules)
        started = time.process_time()
        rows = derive(table, rules).segments.num_rows
        seconds = time.process_time() - started
        print(f"{name:28} {seconds:8.2f} s {table.num_rows / seconds:12,.0f} spans/s {rows} slices")


def trace(parents: np.ndarray) -> pa.Table:
    """One trace by the place of each span's parent, which comes before it."""
    count = len(parents)
    depth = np.zeros(count, np.int64)
    turn = np.zeros(count, np.int64)
    children = np.zeros(count, np.int64)
    for span, parent in enumerate(parents.tolist()):
        if parent >= 0:
            depth[span], turn[span] = depth[parent] + 1, children[parent]
            children[parent] += 1
    start, end = np.zeros((2, count), np.int64)
    start[0], end[0] = BEGIN_NS, BEGIN_NS + 3_600_000_000_000
    for span, parent in enumerate(parents.tolist()[1:], 1):
        width = (end[parent] - start[parent]) // (children[parent] + 1)
        if children[parent] == 1:
            start[span], end[span] = start[parent] + 1, end[parent] - 1
        else:
            start[span] = start[parent] + turn[span] * width
            end[span] = start[span] + max(1, width - 1)
    ids = [f"{span + 1:016x}" for span in range(count)]
    return pa.table(
        {
            "trace_id": ["1" * 32] * count,
            "span_id": ids,
            "parent_id": [None if parent < 0 else ids[parent] for parent in parents.tolist()],
            "name": ["work"] * count,
            "service": ["api"] * count,
            "host": [None] * count,
            "kind": ["internal"] * count,
            "status": ["unset"] * count,
            "scope": [None] * count,
            "start_ns": start,
            "end_ns": end,
            "shared": np.zeros(count, np.bool_),
            **{name: ["{}"] * count for name in ("attributes", "resource")},
            **{name: ["[]"] * count for name in ("events", "links")},
            "flags": pa.array([[]] * count, pa.list_(pa.string())),
        },
        schema=SPAN_SCHEMA,
    )
