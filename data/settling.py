"""Make a pending import visible: on its own, or as more of one that is there already."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from data import opening, writing
from data.sql_files import step

Deriving = Callable[..., None]
"""Replaces what follows from the touched traces; calls what it is given right before."""

_COUNTED: Final = "counted"
"""In `meta`: data set and revision at which `joined` counted last."""


@dataclass(frozen=True)
class Settled:
    """What an import left: requests of its traces, and how often each flag stands on a span.

    `spans` are the distinct spans of the import, `new_spans` those that no other one had brought;
    `duplicates` all other records of it, so that new spans and duplicates are all there were.
    """

    requests: int
    flags: dict[str, int]
    spans: int
    new_spans: int
    duplicates: int
    points: int


@dataclass(frozen=True)
class Reading:
    """What the reader of an import reports: as the columns of that name in `imports`."""

    format: str
    rejected: list[dict[str, Any]]
    dropped: dict[str, int]
    bytes: int


def alone(cursor: Any, import_id: int, read: Reading, derive: Callable[[], None]) -> Settled:
    """Show an import as a data set of its own; `derive` replaces what follows from its traces."""
    writing.describe(cursor, import_id, state="done")
    spans, new_spans, retold = writing.touch(cursor, import_id)
    duplicates, points = writing.counted(cursor, import_id)
    derive()
    settled = Settled(*writing.outcome(cursor), spans, new_spans, duplicates + retold, points)
    writing.describe(
        cursor, import_id, spans=spans, new_spans=new_spans, duplicates=settled.duplicates,
        requests=settled.requests, flags=settled.flags, **vars(read),
    )  # fmt: skip
    return settled


def joined(cursor: Any, import_id: int, into: int, read: Reading, derive: Deriving) -> Settled:
    """Show an import as more of the data set `into`; it leaves no data set of its own."""
    revision = int(opening.facts(cursor).get("revision", 0))
    spans, new_spans, retold = writing.touch(cursor, import_id)
    duplicates, points = writing.counted(cursor, import_id)
    duplicates += retold
    more_spans, more_points = _move(cursor, import_id, into)
    before = _row(cursor, into)
    requests, flags = _counted(cursor, into, before, revision, derive)
    settled = Settled(*writing.outcome(cursor), spans, new_spans, duplicates, points)
    writing.describe(
        cursor, into, requests=requests, flags=flags,
        spans=before["spans"] + more_spans,
        new_spans=before["new_spans"] + new_spans,
        duplicates=before["duplicates"] + duplicates,
        points=before["points"] + more_points,
        bytes=before["bytes"] + read.bytes,
        rejected=_by_reason(json.loads(before["rejected"]), read.rejected),
        dropped=dict(Counter(json.loads(before["dropped"])) + Counter(read.dropped)),
    )  # fmt: skip
    return settled


def _counted(
    cursor: Any, into: int, before: dict[str, Any], revision: int, derive: Deriving
) -> tuple[int, dict[str, int]]:
    """What `writing.totals` would count after `derive`, looking at the traces that change only.

    That needs counts that still hold: any other change of the file since then makes it count all.
    """
    known = opening.facts(cursor).get(_COUNTED) == f"{into}:{revision}"
    opening.note(cursor, _COUNTED, f"{into}:{revision + 1}")
    if not known:
        derive()
        return writing.totals(cursor, into)
    left: list[tuple[int, Counter[str]]] = []
    derive(lambda: left.append(writing.part(cursor, into)))
    (gone, gone_flags), (more, more_flags) = left[0], writing.part(cursor, into)
    flags = Counter(json.loads(before["flags"]))
    flags.subtract(gone_flags)
    flags.update(more_flags)
    return before["requests"] - gone + more, {flag: n for flag, n in sorted(flags.items()) if n}


def _move(cursor: Any, import_id: int, into: int) -> tuple[int, int]:
    """Hand records and points over; returns the spans and points that `into` lacked."""
    both = {"import_id": import_id, "into": into}
    moved = []
    for table in ("records", "metric_points"):
        cursor.execute(step("leave").format(table=table), both)
        if table == "records":
            moved.append(cursor.execute(step("joining"), both).fetchall()[0][0])
        count = cursor.execute(
            f"UPDATE {table} SET import_id = $into WHERE import_id = $import_id",  # noqa: S608
            both,
        ).fetchall()[0][0]
        moved.append(count)
    cursor.execute("DELETE FROM imports WHERE import_id = ?", [import_id])
    return int(moved[0]), int(moved[2])


def _row(cursor: Any, import_id: int) -> dict[str, Any]:
    cursor.execute("SELECT * FROM imports WHERE import_id = ?", [import_id])
    names = [column[0] for column in cursor.description]
    return dict(zip(names, cursor.fetchall()[0], strict=True))


def _by_reason(before: list[dict[str, Any]], more: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rejected records of both, one entry per reason with the first example."""
    merged: dict[str, dict[str, Any]] = {}
    for entry in (*before, *more):
        known = merged.setdefault(entry["reason"], {**entry, "count": 0})
        known["count"] += entry["count"]
    return list(merged.values())
