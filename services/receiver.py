"""What exporters send: acknowledged once it is on disk, stored once its traces are quiet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from analysis.spans import SPAN_SCHEMA, MetricBatch, SpanBatch
from collectors import JSON, MAX_BODY, PROTOBUF, ReadReport, TooLargeError, received, unpacked
from data.journal import Journal
from data.store import Store
from services.live_data import LiveData
from services.quiet import Quiet
from services.rate import Rate

__all__ = [
    "JSON",
    "MAX_BODY",
    "NOTHING",
    "PROTOBUF",
    "BusyError",
    "Receiver",
    "Status",
    "Taken",
    "TooLargeError",
    "unpacked",
]

MAX_HELD: Final = 192 << 20
"""Bytes that may wait for the store before senders are told to slow down."""

TICK_S: Final = 0.5


class BusyError(Exception):
    """Nothing was taken; the sender shall try again in `retry_s` seconds.

    `full` where too much is waiting, else the disk or the store does not take it.
    """

    def __init__(self, retry_s: int, reason: str, full: bool) -> None:
        self.retry_s, self.reason, self.full = retry_s, reason, full
        super().__init__(reason)


@dataclass(frozen=True)
class Taken:
    """What one request brought: spans or points that were left out, and why."""

    rejected: int
    reason: str


@dataclass(frozen=True)
class Status:
    """How receiving goes: `spans_per_s` of the last ten seconds, `waiting` records not stored yet,
    the oldest of them for `lag_s`; `since_s` the last request came, None where none did."""

    spans_per_s: float
    accepted: int
    rejected: int
    waiting: int
    lag_s: float
    since_s: float | None
    error: str | None


NOTHING: Final = Status(0.0, 0, 0, 0, 0.0, None, None)


@dataclass(frozen=True)
class _Held:
    file: int
    table: pa.Table
    came: float


class Receiver:
    """Takes export requests of one app into its store.

    Args:
        store: the open store, asked for each time.
        folder: of the journal.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        store: Callable[[], Store],
        folder: Path,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._live, self._journal, self._clock = LiveData(store), Journal(folder), clock
        self._lock, self._drain = threading.Lock(), threading.Lock()
        self._held: list[_Held] = []
        self._storing: list[_Held] = []
        self._bytes = 0
        self._quiet, self._rate = Quiet(), Rate()
        self._accepted = self._rejected = 0
        self._last: float | None = None
        self._error: str | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="receiver", daemon=True)
        for file, table in self._journal.replay():
            self._hold(file, table)

    def start(self) -> None:
        """Store in the background from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Store what is held and end; what the store refuses stays in the journal."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self.tick(everything=True)
        self._journal.close()

    def take(self, signal: str, kind: str, body: bytes) -> Taken:
        """Acknowledge one unpacked request: when this returns, all that it holds is on disk.

        Raises:
            UserError: the body is no export request; nothing was taken.
            BusyError: too much is waiting, or the disk is full; nothing was taken.
        """
        if self._bytes > MAX_HELD:
            raise BusyError(5, "more is waiting to be stored than fits in memory", full=True)
        report = ReadReport()
        batches = received(signal, kind, body, report)
        try:
            self._keep([batch.table for batch in batches])
        except OSError as error:
            raise BusyError(30, error.strerror or str(error), full=False) from error
        self._count(batches, report)
        return Taken(report.rejected_count, "; ".join(_reasons(report)))

    def _keep(self, tables: list[pa.Table]) -> None:
        ticket = 0
        with self._lock:
            for table in tables:
                file, ticket = self._journal.write(table)
                self._hold(file, table)
        if ticket:
            self._journal.sync(ticket)

    def _hold(self, file: int, table: pa.Table) -> None:
        now = self._clock()
        self._held.append(_Held(file, table, now))
        self._bytes += table.nbytes
        if "trace_id" in table.column_names:
            self._quiet.heard(pc.unique(table["trace_id"]).to_pylist(), now)

    def _count(self, batches: list[SpanBatch | MetricBatch], report: ReadReport) -> None:
        now = self._clock()
        with self._lock:
            records = sum(batch.table.num_rows for batch in batches)
            self._accepted += records
            self._rejected += report.rejected_count
            self._rate.add(records, now)
            self._last = now
            self._live.note(report)

    def status(self) -> Status:
        """How receiving goes now."""
        now = self._clock()
        with self._lock:
            here = [*self._storing, *self._held]
            oldest = min((held.came for held in here), default=now)
            waiting = sum(held.table.num_rows for held in here)
            since = None if self._last is None else now - self._last
            per_s, error = self._rate.per_second(now), self._error
            counts = self._accepted, self._rejected
        return Status(per_s, *counts, waiting, now - oldest, since, error)

    def _run(self) -> None:
        while not self._stop.wait(TICK_S):
            self.tick()

    def tick(self, everything: bool = False) -> None:
        """Store the traces that are quiet; what fails is kept and tried again."""
        with self._drain:
            try:
                chosen, rest, file = self._chosen(everything)
            except OSError as error:  # the journal cannot go on: nothing was chosen
                self._error = f"{type(error).__name__}: {error}"
                return
            if not chosen:
                return
            try:
                self._live.store([held.table for held in chosen])
                self._error = None
            except Exception as error:  # a full disk, a closed store: seen on the page, tried again
                self._error = f"{type(error).__name__}: {error}"
                self._put_back(chosen)
                return
            self._release(chosen, {held.file for held in rest}, file)

    def _chosen(self, everything: bool) -> tuple[list[_Held], list[_Held], int]:
        """(what to store, what waits on, the newest file that is complete)."""
        with self._lock:
            now = self._clock()
            ready = self._quiet.ready(now, everything or self._bytes > MAX_HELD // 2)
            split = [(held, _parts(held, ready, len(self._quiet) == 0)) for held in self._held]
            chosen = [part for _held, (part, _later) in split if part is not None]
            if not chosen:
                return [], self._held, 0
            try:
                complete = self._journal.turn()
            except OSError:
                self._quiet.heard(ready, now)
                raise
            self._held = [later for _held, (_part, later) in split if later is not None]
            self._storing = chosen
            return chosen, list(self._held), complete

    def _put_back(self, chosen: list[_Held]) -> None:
        with self._lock:
            self._held, self._storing = [*chosen, *self._held], []
            now = self._clock()
            for held in chosen:
                if "trace_id" in held.table.column_names:
                    self._quiet.heard(pc.unique(held.table["trace_id"]).to_pylist(), now)

    def _release(self, chosen: list[_Held], needed: set[int], newest: int) -> None:
        for file in {held.file for held in chosen} - needed:
            if file <= newest:
                self._journal.forget(file)
        with self._lock:
            self._storing = []
            self._bytes = sum(held.table.nbytes for held in self._held)


def _parts(held: _Held, ready: set[str], all_ready: bool) -> tuple[_Held | None, _Held | None]:
    """What of a table to store now, and what later; metric points wait for nothing."""
    if all_ready or held.table.schema != SPAN_SCHEMA:
        return held, None
    now = pc.is_in(held.table["trace_id"], value_set=pa.array(sorted(ready), pa.string()))
    chosen, later = held.table.filter(now), held.table.filter(pc.invert(now))
    return _part(held, chosen), _part(held, later)


def _part(held: _Held, table: pa.Table) -> _Held | None:
    return _Held(held.file, table, held.came) if table.num_rows else None


def _reasons(report: ReadReport) -> list[str]:
    return [f"{row.count} × {row.reason} ({row.example})" for row in report.rejected]
