"""What a writer does inside one transaction: append records, derive touched traces, forget."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from analysis.derive import Derived
from analysis.rules import RuleSet
from analysis.spans import METRIC_SCHEMA, SPAN_SCHEMA, MetricBatch, SpanBatch
from data.opening import DERIVED

Progress = Callable[[int, int], None]
Derive = Callable[[pa.Table, RuleSet], Derived]

BATCH_RECORDS: Final = 20_000
"""Records that are derived at a time: what bounds the memory of `settle`."""

RECORD_COLUMNS: Final = ", ".join(SPAN_SCHEMA.names)


@dataclass(frozen=True)
class Added:
    """What one batch brought: `spans` not seen in this import before, `new` to the whole store."""

    spans: int
    new: int
    duplicates: int
    points: int


@contextmanager
def transaction(cursor: Any) -> Iterator[None]:
    """All or nothing; whatever is raised inside leaves the file as it was."""
    cursor.execute("BEGIN")
    try:
        yield
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
    cursor.execute("COMMIT")


def append(cursor: Any, import_id: int, batch: SpanBatch | MetricBatch) -> Added:
    """Store the records of a batch once per import, and count which of them were known."""
    spans = isinstance(batch, SpanBatch)
    table, schema = ("records", SPAN_SCHEMA) if spans else ("metric_points", METRIC_SCHEMA)
    cursor.register("batch", batch.table)
    cursor.execute(_INCOMING.format(table=table), {"import_id": import_id})
    cursor.unregister("batch")
    names = ", ".join(schema.names)
    cursor.execute(
        f"INSERT INTO {table} SELECT $import_id, record_hash, {names} "  # noqa: S608
        "FROM incoming WHERE NOT here ORDER BY row",
        {"import_id": import_id},
    )
    fresh, new = cursor.execute(
        "SELECT count(*) FILTER (NOT here), count(*) FILTER (NOT here AND NOT elsewhere) "
        "FROM incoming"
    ).fetchall()[0]
    repeated = batch.table.num_rows - new
    cursor.execute(
        "UPDATE imports SET duplicates = duplicates + $repeated, points = points + $points "
        "WHERE import_id = $import_id",
        {"import_id": import_id, "repeated": repeated, "points": 0 if spans else fresh},
    )
    return Added(fresh, new, repeated, 0) if spans else Added(0, 0, repeated, fresh)


_INCOMING = """
CREATE OR REPLACE TEMP TABLE incoming AS
WITH hashed AS (
    SELECT row_number() OVER () AS row, md5_number(to_json(b)::VARCHAR) AS record_hash, b.*
    FROM batch AS b
), known AS (
    SELECT record_hash, bool_or(import_id = $import_id) AS here,
        bool_or(state = 'done') AS elsewhere
    FROM {table} JOIN imports USING (import_id)
    WHERE record_hash IN (SELECT record_hash FROM hashed)
        AND (state = 'done' OR import_id = $import_id)
    GROUP BY record_hash
)
SELECT hashed.*, coalesce(here, false) AS here, coalesce(elsewhere, false) AS elsewhere
FROM (SELECT DISTINCT ON (record_hash) * FROM hashed ORDER BY row) AS hashed
    LEFT JOIN known USING (record_hash)
"""


def touch(cursor: Any, import_id: int) -> tuple[int, int]:
    """Note the traces of an import, and which of them it alone changes (`dirty`).

    Returns:
        distinct spans of the import, and how many of them no other import has brought
    """
    cursor.execute(_TOUCHED, {"import_id": import_id})
    found = cursor.execute(
        "SELECT coalesce(sum(spans), 0)::BIGINT, coalesce(sum(own_spans), 0)::BIGINT FROM touched"
    ).fetchall()[0]
    return int(found[0]), int(found[1])


_TOUCHED = """
CREATE OR REPLACE TEMP TABLE touched AS
WITH others AS (
    SELECT DISTINCT record_hash
    FROM records JOIN imports USING (import_id)
    WHERE state = 'done' AND import_id <> $import_id
        AND record_hash IN (SELECT record_hash FROM records WHERE import_id = $import_id)
)
SELECT
    trace_id,
    bool_or(others.record_hash IS NULL) AS dirty,
    count(DISTINCT (span_id, shared)) AS spans,
    count(DISTINCT (span_id, shared)) FILTER (others.record_hash IS NULL) AS own_spans
FROM records LEFT JOIN others USING (record_hash)
WHERE import_id = $import_id
GROUP BY trace_id
"""


def touch_all(cursor: Any) -> None:
    """Note every trace of the file as dirty."""
    cursor.execute(
        "CREATE OR REPLACE TEMP TABLE touched AS SELECT DISTINCT trace_id, true AS dirty "
        "FROM records"
    )


def derive_touched(
    cursor: Any, derive: Derive, rules: RuleSet, progress: Progress | None = None
) -> None:
    """Replace the derived rows of the dirty traces, and renew who contributed to the others."""
    cursor.execute(_CONTRIBUTORS)
    for table in DERIVED:
        cursor.execute(
            f"DELETE FROM {table} WHERE trace_id IN (SELECT trace_id FROM touched WHERE dirty)"  # noqa: S608
        )
    cursor.execute(_WORK, {"size": BATCH_RECORDS})
    batches = cursor.execute(
        "SELECT batch, count(*), min(low), max(high) FROM work GROUP BY batch ORDER BY batch"
    ).fetchall()
    done, total = 0, sum(traces for _, traces, _, _ in batches)
    for number, traces, low, high in batches:
        if progress is not None:
            progress(done, total)
        values = {"batch": number, "low": low, "high": high}
        _insert(cursor, derive(cursor.sql(_BATCH, params=values).to_arrow_table(), rules))
        done += traces
    cursor.execute(
        "UPDATE requests SET import_ids = c.import_ids, sample = c.sample FROM contributors AS c "
        "WHERE requests.trace_id = c.trace_id AND requests.import_ids <> c.import_ids"
    )
    if progress is not None:
        progress(done, total)


_CONTRIBUTORS = """
CREATE OR REPLACE TEMP TABLE contributors AS
SELECT trace_id, list_sort(list(DISTINCT import_id)) AS import_ids, bool_and(sample) AS sample
FROM records JOIN imports USING (import_id)
WHERE state = 'done' AND trace_id IN (SELECT trace_id FROM touched)
GROUP BY trace_id
"""

# The range of row numbers lets DuckDB skip what lies outside: the spans of a trace mostly arrive
# together, so that a batch reads its own part of the table and not the whole.
_WORK = """
CREATE OR REPLACE TEMP TABLE work AS
SELECT *, (sum(records) OVER (ORDER BY low, trace_id) - records) // $size AS batch
FROM (
    SELECT trace_id, count(*) AS records, min(records.rowid) AS low, max(records.rowid) AS high
    FROM records JOIN imports USING (import_id)
    WHERE state = 'done' AND trace_id IN (SELECT trace_id FROM touched WHERE dirty)
    GROUP BY trace_id
)
"""

_BATCH = f"""
SELECT {RECORD_COLUMNS}
FROM (
    SELECT DISTINCT ON (record_hash) *
    FROM records
    WHERE rowid BETWEEN $low AND $high
        AND trace_id IN (SELECT trace_id FROM work WHERE batch = $batch)
        AND import_id IN (SELECT import_id FROM imports WHERE state = 'done')
)
ORDER BY trace_id, record_hash
"""  # noqa: S608


def _insert(cursor: Any, derived: Derived) -> None:
    for table in DERIVED:
        cursor.register("derived", getattr(derived, table))
        source = "derived JOIN contributors USING (trace_id)" if table == "requests" else "derived"
        cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM {source}")  # noqa: S608
        cursor.unregister("derived")


def outcome(cursor: Any) -> tuple[int, dict[str, int]]:
    """Requests of the touched traces, and how often each flag stands on their spans."""
    traces = "WHERE trace_id IN (SELECT trace_id FROM touched)"
    requests = cursor.execute(f"SELECT count(*) FROM requests {traces}").fetchall()[0][0]  # noqa: S608
    flags = cursor.execute(
        f"SELECT flag, count(*) FROM flags {traces} GROUP BY flag ORDER BY flag"  # noqa: S608
    ).fetchall()
    return int(requests), dict(flags)


def forget(cursor: Any, import_id: int) -> int:
    """Delete an import and its records; returns how many records went."""
    for table in ("metric_points", "imports"):
        cursor.execute(f"DELETE FROM {table} WHERE import_id = ?", [import_id])  # noqa: S608
    gone = cursor.execute("DELETE FROM records WHERE import_id = ?", [import_id]).fetchall()[0]
    return int(gone[0])


def forget_pending(cursor: Any) -> None:
    """Delete what an import left that was never settled."""
    pending = "import_id NOT IN (SELECT import_id FROM imports WHERE state = 'done')"
    for table in ("records", "metric_points", "imports"):
        cursor.execute(f"DELETE FROM {table} WHERE {pending}")  # noqa: S608


def describe(cursor: Any, import_id: int, **columns: Any) -> None:
    """Write what is known of an import once it is settled; objects become JSON."""
    values = {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
        for name, value in columns.items()
    }
    assignments = ", ".join(f"{name} = ${name}" for name in values)
    cursor.execute(
        f"UPDATE imports SET {assignments} WHERE import_id = $import_id",  # noqa: S608
        {"import_id": import_id, **values},
    )


def announce(cursor: Any, name: str, content_hash: str, sample: bool, now_ns: int) -> int | None:
    """A new pending import; None where a settled one has this content."""
    known = cursor.execute(
        "SELECT 1 FROM imports WHERE hash = ? AND state = 'done'", [content_hash]
    ).fetchall()
    if known:
        return None
    import_id = int(cursor.execute("SELECT nextval('import_ids')").fetchall()[0][0])
    cursor.execute(
        "INSERT INTO imports VALUES "
        "(?, ?, '', ?, 'pending', ?, 0, ?, 0, 0, 0, 0, '[]', '{}', 0, '{}')",
        [import_id, name, content_hash, sample, now_ns],
    )
    return import_id


def state(cursor: Any, import_id: int) -> str | None:
    """pending, done or None where there is no such import."""
    rows = cursor.execute("SELECT state FROM imports WHERE import_id = ?", [import_id]).fetchall()
    return rows[0][0] if rows else None


def counted(cursor: Any, import_id: int) -> tuple[int, int]:
    """Duplicates and metric points that `append` counted."""
    row = cursor.execute(
        "SELECT duplicates, points FROM imports WHERE import_id = ?", [import_id]
    ).fetchall()[0]
    return int(row[0]), int(row[1])
