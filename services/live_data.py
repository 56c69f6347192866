"""What was received, as one data set a day that grows."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

import pyarrow as pa

from analysis.spans import SPAN_SCHEMA, MetricBatch, SpanBatch
from collectors import ReadReport
from data.store import Store

FORMAT: Final = "otlp"


def name_of(day: str) -> str:
    """The name of a day's data set: `received 2026-11-30`, the day in UTC."""
    return f"received {day}"


class LiveData:
    """Adds batches to today's data set, with what its requests left out since the last time."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store, self._lock = store, threading.Lock()
        self._dropped: Counter[str] = Counter()
        self._rejected: dict[str, dict[str, Any]] = {}
        self._bytes = 0

    def note(self, report: ReadReport) -> None:
        """Keep what one request left out until the next `store`."""
        with self._lock:
            self._dropped.update(report.dropped)
            self._bytes += report.bytes_read
            for row in map(asdict, report.rejected):
                known = self._rejected.setdefault(row["reason"], {**row, "count": 0})
                known["count"] += row["count"]

    def store(self, tables: list[pa.Table]) -> None:
        """Store tables of spans and points; all of them or none."""
        store, today = self._store(), name_of(datetime.now(UTC).date().isoformat())
        into = _known(store, today)
        import_id = store.begin(today, f"{today}:{time.time_ns()}:{uuid.uuid4()}")
        if import_id is None:
            raise RuntimeError("what is received never has a known hash")
        with self._lock:
            rejected = [dict(row) for row in self._rejected.values()]
            dropped = dict(self._dropped)
            taken = self._bytes
        try:
            for batch in _batches(tables):
                store.add(import_id, batch)
            store.settle(import_id, FORMAT, rejected, dropped, bytes_read=taken, into=into)
        except BaseException:
            store.abort(import_id)
            raise
        self._forget(rejected, dropped, taken)

    def _forget(self, rejected: list[dict[str, Any]], dropped: dict[str, int], taken: int) -> None:
        with self._lock:
            self._bytes -= taken
            self._dropped -= Counter(dropped)
            for row in rejected:
                left = self._rejected[row["reason"]]["count"] - row["count"]
                self._rejected[row["reason"]]["count"] = left
            self._rejected = {k: row for k, row in self._rejected.items() if row["count"]}


def _known(store: Store, name: str) -> int | None:
    mine = store.query("data_set_named", called=name, format=FORMAT)
    return None if mine.empty else int(mine["import_id"].iloc[0])


def _batches(tables: list[pa.Table]) -> list[SpanBatch | MetricBatch]:
    spans = [table for table in tables if table.schema.equals(SPAN_SCHEMA)]
    points = [table for table in tables if not table.schema.equals(SPAN_SCHEMA)]
    found: list[SpanBatch | MetricBatch] = []
    if spans:
        found.append(SpanBatch(pa.concat_tables(spans)))
    if points:
        found.append(MetricBatch(pa.concat_tables(points)))
    return found
