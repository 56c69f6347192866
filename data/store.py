"""The one door to the database: imports in, derived again where needed, questions answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from analysis.clock_offsets import Offsets
from analysis.derive import derive as derive_traces
from analysis.errors import UserError
from analysis.rule_changes import changed
from analysis.rules import RuleSet
from analysis.spans import SPAN_SCHEMA, MetricBatch, SpanBatch
from data import clocks, looks, opening, reading, retention, rule_text, settling, writing
from data.filters import Filters
from data.opening import StoreLocked
from data.reach import reach
from data.retention import Disk, Limits, Swept
from data.settling import Reading, Settled
from data.trial import Trial, trial
from data.writing import Added, Deleted, Derive, Progress
from words import _

__all__ = [
    "Added", "Deleted", "Disk", "Filters", "Limits", "Settled", "Store", "StoreLocked", "Swept",
    "Trial",
]  # fmt: skip


def _nothing() -> None:
    """What is kept beside the database where nothing is."""


class Store:
    """Records, and what is derived from them, in one DuckDB file.

    One thread writes at a time; any number read, each question seeing only finished imports.

    Args:
        path: the file, made where absent; ":memory:" for none.
        rules: stage rules; what those that differ from the last opening's can touch is derived
            again.
        memory_limit: of DuckDB, which moves to disk what does not fit.
        derive: makes the derived tables of whole traces.
        progress: told (done traces, total) while an older file is derived again.

    Raises:
        StoreLocked: another process has the file open.
        UserError: the file is no database, or a newer slowpath wrote it.
    """

    def __init__(
        self,
        path: Path | str,
        rules: RuleSet,
        memory_limit: str = "1GB",
        derive: Derive = derive_traces,
        progress: Progress | None = None,
    ) -> None:
        self.path, self.rules = str(path), rules
        self._derive = derive
        self._lock = threading.RLock()
        self._connection = opening.connect(self.path, memory_limit)
        try:
            self._writer = self._connection.cursor()
            self._writer.execute("SET preserve_insertion_order = true")
            self.revision = self._prepare(progress)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._writer.close()
            self._connection.close()

    def _prepare(self, progress: Progress | None) -> int:
        """Make a new file ready, clear away what a crash left, derive again what is out of date."""
        with writing.transaction(self._writer):
            try:
                known = opening.facts(self._writer)
                opening.version(known)
            except UserError as error:
                raise UserError(error.expected, error.found, self.path) from error
            wanted = {
                "schema_version": str(opening.SCHEMA_VERSION),
                "derived": opening.fingerprint(),
                "rules": self.rules.hash,
            }
            retention.lay(self._writer)
            revision = int(known.get("revision", 0))
            if known:
                writing.forget_pending(self._writer)
            differing = {key for key, value in wanted.items() if known.get(key) != value}
            if differing:
                before = rule_text.rules_of(known.get("rule_set")) if known else None
                self._rebuild(wanted, progress, before if differing == {"rules"} else None)
                revision += 1
                opening.note(self._writer, "revision", str(revision))
            if differing or "rule_set" not in known:
                opening.note(self._writer, "rule_set", rule_text.text_of(self.rules))
        return revision

    def _rebuild(
        self, wanted: dict[str, str], progress: Progress | None, before: RuleSet | None
    ) -> None:
        """Derive again what other rules than `before` can touch; all where none are given."""
        if before is None:
            opening.create(self._writer)
            writing.touch_all(self._writer)
        else:
            reach(self._writer, changed(before, self.rules))
            writing.touch_reached(self._writer)
        writing.derive_touched(self._writer, self._derive, self.rules, progress)
        for key, value in wanted.items():
            opening.note(self._writer, key, value)

    def begin(self, name: str, content_hash: str, sample: bool = False) -> int | None:
        """Start an import that nobody sees before `settle`; None where this content is in."""
        with self._lock, writing.transaction(self._writer):
            return writing.announce(self._writer, name, content_hash, sample, time.time_ns())

    def add(self, import_id: int, batch: SpanBatch | MetricBatch) -> Added:
        """Append a batch durably; what the same import brought before is stored once."""
        with self._lock, writing.transaction(self._writer):
            self._must_be(import_id, "pending")
            return writing.append(self._writer, import_id, batch)

    def settle(
        self,
        import_id: int,
        format: str,  # noqa: A002  # the field's name in `imports`
        rejected: list[dict[str, Any]],
        dropped: dict[str, int],
        progress: Progress | None = None,
        bytes_read: int = 0,
        into: int | None = None,
    ) -> Settled:
        """Derive the traces that changed and show the import, as more of `into` where one is named.

        All or nothing: what `progress` (done traces, total) raises cancels, and nothing is shown.
        """
        read = Reading(format, rejected, dropped, bytes_read)

        def derive(leaving: Callable[[], None] | None = None) -> None:
            self._renew(progress, leaving)

        with self._lock:
            with writing.transaction(self._writer):
                self._must_be(import_id, "pending")
                if into is None:
                    settled = settling.alone(self._writer, import_id, read, derive)
                else:
                    self._must_be(into, "done")
                    settled = settling.joined(self._writer, import_id, into, read, derive)
                revision = self._bumped()
            self.revision = revision
            return settled

    def abort(self, import_id: int) -> None:
        """Forget an import that was not settled; of a settled one nothing changes."""
        with self._lock, writing.transaction(self._writer):
            if writing.state(self._writer, import_id) == "pending":
                writing.forget(self._writer, import_id)

    def delete(self, import_id: int, progress: Progress | None = None) -> Deleted:
        """Forget a settled import; only its traces are derived again.

        Raises:
            UserError: there is no such import.
        """
        with self._lock:
            with writing.transaction(self._writer):
                self._must_be(import_id, "done")
                writing.touch(self._writer, import_id)
                before, _flags = writing.outcome(self._writer)
                spans = writing.forget(self._writer, import_id)
                writing.derive_touched(self._writer, self._derive, self.rules, progress)
                looks.forget(self._writer)
                after, _flags = writing.outcome(self._writer)
                revision = self._bumped()
            self.revision = revision
            return Deleted(before - after, spans)

    def sweep(self, limits: Limits, now_ns: int, dry_run: bool = False) -> Swept:
        """Remove the traces and points beyond the limits, whole and all at once; says what went.

        Pinned traces and the sample stay. A dry run changes nothing and says what would go.
        """
        with self._lock:
            retention.free(self._writer)
            with writing.transaction(self._writer):
                swept = retention.choose(self._writer, limits, now_ns)
                if dry_run or not swept.traces + swept.points:
                    return swept
                retention.take(self._writer, limits, now_ns, swept, self._renew)
                looks.forget(self._writer)
                revision = self._bumped()
            self.revision = revision
            retention.free(self._writer)
            return swept

    def _renew(
        self, progress: Progress | None = None, leaving: Callable[[], None] | None = None
    ) -> None:
        writing.derive_touched(self._writer, self._derive, self.rules, progress, leaving)

    def pin(self, trace_id: str, pinned: bool = True) -> None:
        """Keep a trace from every sweep, or no longer."""
        with self._lock, writing.transaction(self._writer):
            retention.pin(self._writer, trace_id, time.time_ns() if pinned else None)

    def disk(self) -> Disk:
        """What the database takes on disk."""
        with closing(self._connection.cursor()) as cursor:
            return retention.disk(cursor, "" if self.path == ":memory:" else self.path)

    def change_rules(
        self, rules: RuleSet, progress: Progress | None = None, keep: Callable[[], None] = _nothing
    ) -> int:
        """Work by other rules from now on; returns how many traces were derived again for it.

        Those are the traces with a span that a rule which came, went or moved may take: all others
        come out alike. `keep` is called last; what it or `progress` raises leaves all as before.
        """
        with self._lock:
            with writing.transaction(self._writer):
                touched = reach(self._writer, changed(self.rules, rules))
                writing.touch_reached(self._writer)
                writing.derive_touched(self._writer, self._derive, rules, progress)
                looks.forget(self._writer)
                opening.note(self._writer, "rules", rules.hash)
                opening.note(self._writer, "rule_set", rule_text.text_of(rules))
                revision = self._bumped()
                keep()
            self.rules, self.revision = rules, revision
            return touched

    def try_rules(
        self, rules: RuleSet, most: int | None = None, progress: Progress | None = None
    ) -> Trial:
        """What other rules would move among what is shown; nothing is stored.

        Over more than `most` records it is a sample of the traces, and the answer says so.
        """
        with closing(self._connection.cursor()) as cursor, writing.transaction(cursor):
            return trial(cursor, self._derive, self.rules, rules, most, progress)

    def query(self, name: str, filters: Filters | None = None, **params: Any) -> pd.DataFrame:
        """The rows of `data/queries/<name>.sql` over what the filters select.

        Integers are exact: int64, or Int64 in a column where some are missing. A parameter that is
        left out is null. Raises UserError for a wrong expression in the filters.
        """
        with closing(self._connection.cursor()) as cursor:
            return reading.run(cursor, name, filters or Filters(), params)

    def records(self, trace_id: str) -> pa.Table:
        """Every distinct record of one trace, as exported (`SPAN_SCHEMA`)."""
        with closing(self._connection.cursor()) as cursor:
            return reading.records(cursor, trace_id).cast(SPAN_SCHEMA)

    def offsets(self) -> Offsets:
        """What all stored calls say of the clocks of hosts: what `derive` was told."""
        with closing(self._connection.cursor()) as cursor:
            return clocks.stored(cursor)

    def fact(self, key: str) -> str | None:
        """A fact that `note` kept in this file; None where there is none."""
        with closing(self._connection.cursor()) as cursor:
            return opening.facts(cursor).get(f"note:{key}")

    def note(self, key: str, value: str) -> None:
        """Keep a fact in this file, in place of an earlier one under its key."""
        with self._lock, writing.transaction(self._writer):
            opening.note(self._writer, f"note:{key}", value)

    def _must_be(self, import_id: int, wanted: str) -> None:
        state = writing.state(self._writer, import_id)
        if state != wanted:
            kind = _("an import that is running") if wanted == "pending" else _("a data set")
            found = _("no data set {id}").format(id=import_id)
            raise UserError(kind, found)

    def _bumped(self) -> int:
        opening.note(self._writer, "revision", str(self.revision + 1))
        return self.revision + 1
