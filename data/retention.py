"""What a sweep takes: whole traces that are too old, or the oldest of a file that is too large."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from data import writing
from data.sql_files import step

DAY_NS: Final = 86_400_000_000_000

ROOM: Final = 0.95
"""A file that is too large is swept to this share of its limit, so that the next span fits."""


@dataclass(frozen=True)
class Limits:
    """How much is kept: for `days`, in `bytes` of the database; None is no limit."""

    days: float | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Swept:
    """What a sweep takes: requests, span records and metric points of whole traces."""

    traces: int
    requests: int
    spans: int
    points: int


@dataclass(frozen=True)
class Disk:
    """Bytes of the database file, of these in use, and of the log of its last changes.

    What is free within the file is used again before it grows; the file itself hardly shrinks.
    """

    file: int
    used: int
    log: int


def lay(cursor: Any) -> None:
    """Make the tables of pins and sweeps where they are absent."""
    cursor.execute(step("kept"))


def choose(cursor: Any, limits: Limits, now_ns: int) -> Swept:
    """Leave what goes in `doomed` and `old_points`, and count it; nothing is changed."""
    before = None if limits.days is None else now_ns - int(limits.days * DAY_NS)
    share = 0.0
    if limits.bytes is not None:
        share = max(0.0, 1 - limits.bytes * ROOM / max(1, disk(cursor, "").used))
        share = share if disk(cursor, "").used > limits.bytes else 0.0
    cursor.execute(step("ages"))
    bound = {"before": before, "share": share}
    cursor.execute(step("doomed"), bound)
    cursor.execute(step("old_points"), bound)
    counts = [
        cursor.execute(f"SELECT count(*) FROM {of}").fetchall()[0][0]  # noqa: S608
        for of in ("doomed", "requests SEMI JOIN doomed USING (trace_id)",
                   "records SEMI JOIN doomed USING (trace_id)", "old_points")
    ]  # fmt: skip
    return Swept(*counts)


def take(
    cursor: Any, limits: Limits, now_ns: int, swept: Swept, derive: Callable[[], None]
) -> None:
    """Remove what `choose` left, with all that follows from it, and note that it went."""
    cursor.execute("CREATE OR REPLACE TEMP TABLE touched AS FROM doomed")
    cursor.execute(step("quarters"))
    changed = [row[0] for row in cursor.execute(step("shrink")).fetchall()]
    cursor.execute("DELETE FROM records WHERE trace_id IN (SELECT trace_id FROM doomed)")
    cursor.execute("DELETE FROM metric_points WHERE rowid IN (SELECT place FROM old_points)")
    derive()
    for import_id in changed:
        requests, flags = writing.totals(cursor, import_id)
        writing.describe(cursor, import_id, requests=requests, flags=flags)
    cursor.execute(
        "DELETE FROM imports WHERE import_id IN (SELECT unnest($changed)) "
        "AND import_id NOT IN (SELECT import_id FROM records) "
        "AND import_id NOT IN (SELECT import_id FROM metric_points)",
        {"changed": changed},
    )
    cursor.execute(
        "INSERT INTO sweeps VALUES (?, ?, ?, ?, ?, ?)",
        [now_ns, limits.days, limits.bytes, swept.requests, swept.spans, swept.points],
    )


def free(cursor: Any) -> None:
    """Give what was removed free for use within the file; later, where someone is reading."""
    with contextlib.suppress(duckdb.TransactionException):
        cursor.execute("CHECKPOINT")


def pin(cursor: Any, trace_id: str, now_ns: int | None) -> None:
    """Keep a trace whatever its age; without a time, let it go when its time comes."""
    if now_ns is None:
        cursor.execute("DELETE FROM pins WHERE trace_id = ?", [trace_id])
    else:
        cursor.execute("INSERT OR IGNORE INTO pins VALUES (?, ?)", [trace_id, now_ns])


def disk(cursor: Any, path: str) -> Disk:
    """What the database takes; a store without a file has 0 bytes of it."""
    size, used = cursor.execute(
        "SELECT block_size * total_blocks, block_size * used_blocks FROM pragma_database_size()"
    ).fetchall()[0]
    log = Path(f"{path}.wal")
    file = Path(path).stat().st_size if path and Path(path).is_file() else int(size)
    return Disk(file, int(used), log.stat().st_size if path and log.is_file() else 0)
