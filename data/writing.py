"""What a writer does inside one transaction: append records, derive touched traces, forget."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from analysis.derive import Derived
from analysis.rules import RuleSet
from analysis.spans import MetricBatch, SpanBatch
from data import clocks, looks
from data.opening import DERIVED
from data.slices import with_slices
from data.sql_files import step

Progress = Callable[[int, int], None]
Derive = Callable[..., Derived]
"""(records, rules, offsets=what is known of the clocks) -> the derived tables; `offsets` is left
out where nothing is known."""

BATCH_RECORDS: Final = 5_000
"""Records that are derived at a time: bounds the memory of `settle` and how long a cancel waits."""

MANY_BATCHES: Final = 20
TOGETHER: Final = 10
"""Of so many batches so many are derived together: plain traces in bulk cost far less each."""


@dataclass(frozen=True)
class Added:
    """What one batch brought: `spans` not seen in this import before, `new` to the whole store."""

    spans: int
    new: int
    duplicates: int
    points: int


@dataclass(frozen=True)
class Deleted:
    """What went with an import: requests that no other import holds, and span records."""

    requests: int
    spans: int


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
    table = "records" if spans else "metric_points"
    cursor.register("batch", batch.table)
    for name in ("incoming", "append"):
        cursor.execute(step(name).format(table=table), {"import_id": import_id})
    cursor.unregister("batch")
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


def touch(cursor: Any, import_id: int) -> tuple[int, int, int]:
    """Note the traces of an import, and which of them it alone changes (`dirty`).

    Returns:
        distinct spans of the import; how many of them no other import has brought; and how many
        of its new records tell of a span that another record has told of already
    """
    known = {"import_id": import_id}
    others = cursor.execute(step("others"), known).fetchall()[0][0]
    cursor.execute(step("touched" if others else "touched_alone"), known)
    cursor.execute(step("quarters"))
    spans, own, records = cursor.execute(
        "SELECT coalesce(sum(spans), 0)::BIGINT, coalesce(sum(own_spans), 0)::BIGINT, "
        "coalesce(sum(own_records), 0)::BIGINT FROM touched"
    ).fetchall()[0]
    return int(spans), int(own), int(records) - int(own)


def touch_all(cursor: Any) -> None:
    """Note every trace of the file as dirty."""
    cursor.execute(
        "CREATE OR REPLACE TEMP TABLE touched AS SELECT DISTINCT trace_id, true AS dirty "
        "FROM records"
    )
    cursor.execute(step("quarters"))


def touch_reached(cursor: Any) -> None:
    """Note every trace in `reached` as dirty; clocks follow from records, which are the same."""
    cursor.execute("CREATE OR REPLACE TEMP TABLE touched AS SELECT *, true AS dirty FROM reached")
    cursor.execute("CREATE OR REPLACE TEMP TABLE quarters (quarter BIGINT)")


def derive_touched(
    cursor: Any,
    derive: Derive,
    rules: RuleSet,
    progress: Progress | None = None,
    leaving: Callable[[], None] | None = None,
) -> None:
    """Replace the derived rows of the dirty traces, and renew who contributed to the others.

    Where their calls tell more of two clocks, other traces of that quarter of an hour go along.
    `leaving` is called when `contributors` names all traces that change and none has changed yet.
    """
    offsets = clocks.renew(cursor)
    told = {"offsets": offsets} if offsets.lines else {}
    cursor.execute(step("contributors"))
    if leaving is not None:
        leaving()
    for table in DERIVED:
        cursor.execute(
            f"DELETE FROM {table} WHERE trace_id IN (SELECT trace_id FROM stale)"  # noqa: S608
        )
    cursor.execute(step("work"), {"size": BATCH_RECORDS})
    cursor.execute(
        "UPDATE work SET batch = batch // $together WHERE (SELECT max(batch) FROM work) >= $many",
        {"many": MANY_BATCHES, "together": TOGETHER},
    )
    batches = cursor.execute(step("batches")).fetchall()
    done, total = 0, sum(traces for _, traces, *_rest in batches)
    for number, traces, low, high, alone in batches:
        if progress is not None:
            progress(done, total)
        values = {"low": low, "high": high} | ({} if alone else {"batch": number})
        wanted = step("batch_alone" if alone else "batch")
        records = cursor.sql(wanted, params=values).to_arrow_table()
        _insert(cursor, derive(records, rules, **told))
        done += traces
    cursor.execute(step("renew"))
    if progress is not None:
        progress(done, total)


def _insert(cursor: Any, derived: Derived) -> None:
    for table in DERIVED:
        if table == "span_rows":
            made = with_slices(looks.with_stored_looks(cursor, derived), derived)
        else:
            made = getattr(derived, table)
        cursor.register("derived", made)
        source = "derived JOIN contributors USING (trace_id)" if table == "requests" else "derived"
        cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM {source}")  # noqa: S608
        cursor.unregister("derived")


def outcome(cursor: Any, of: str = "touched") -> tuple[int, dict[str, int]]:
    """Requests of the traces in a table, and how often each flag stands on their spans."""
    traces = f"WHERE trace_id IN (SELECT trace_id FROM {of})"  # noqa: S608
    requests = cursor.execute(f"SELECT count(*) FROM requests {traces}").fetchall()[0][0]  # noqa: S608
    flags = cursor.execute(
        f"SELECT flag, count(*) FROM flags {traces} GROUP BY flag ORDER BY flag"  # noqa: S608
    ).fetchall()
    return int(requests), dict(flags)


def totals(cursor: Any, import_id: int) -> tuple[int, dict[str, int]]:
    """Requests that an import contributed to, and how often each flag stands on their spans."""
    cursor.execute(
        "CREATE OR REPLACE TEMP TABLE contributing AS SELECT DISTINCT trace_id "
        "FROM requests WHERE list_contains(import_ids, ?)",
        [import_id],
    )
    return outcome(cursor, "contributing")


def part(cursor: Any, import_id: int) -> tuple[int, Counter[str]]:
    """What `totals` counts, of the traces in `contributors` alone."""
    rows = cursor.execute(step("part"), {"import_id": import_id}).fetchall()
    found = {flag: int(count) for flag, count in rows}
    return found.pop(None, 0), Counter(found)


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
