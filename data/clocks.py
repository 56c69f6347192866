"""What all stored calls say of the clocks of hosts, and which traces that changes."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from analysis.clock_offsets import Line, Offsets, bound, offsets
from data.sql_files import step

Pair = tuple[int, str, str]


def renew(cursor: Any) -> Offsets:
    """Learn the clocks of the touched quarters of an hour from all that is stored.

    Leaves in `stale` the traces to derive: the dirty ones and those with spans on two hosts whose
    line changed. Lines are a function of the records alone, whatever the order of their imports.
    """
    quarters = {row[0] for row in cursor.execute("FROM quarters").fetchall()}
    before = {pair: line for pair, line in stored(cursor).lines.items() if pair[0] in quarters}
    calls = cursor.execute(step("calls_between")).fetchall()
    after = offsets(bound(*call[:5]) for call in calls).lines
    changed = {pair for pair, _line in before.items() ^ after.items()}
    _replace(cursor, changed, after)
    cursor.execute(step("stale"))
    return stored(cursor)


def stored(cursor: Any) -> Offsets:
    """The lines that the derived tables rest on."""
    rows = cursor.execute(
        "SELECT quarter, above, below, at_ns, shift_ns, drift_ppb FROM clock_lines"
    ).fetchall()
    return Offsets({(row[0], row[1], row[2]): Line(*row[3:]) for row in rows})


def _replace(cursor: Any, changed: set[Pair], after: dict[Pair, Line]) -> None:
    pairs = sorted(changed)
    names = ("quarter", "above", "below")
    schema = pa.schema([("quarter", pa.int64()), ("above", pa.string()), ("below", pa.string())])
    rows = [dict(zip(names, pair, strict=True)) for pair in pairs]
    cursor.register("changed", pa.Table.from_pylist(rows, schema=schema))
    cursor.execute("CREATE OR REPLACE TEMP TABLE changed_lines AS FROM changed")
    cursor.unregister("changed")
    cursor.execute(
        "DELETE FROM clock_lines "
        "WHERE (quarter, above, below) IN (SELECT (quarter, above, below) FROM changed_lines)"
    )
    lines = [[*pair, *after[pair]] for pair in pairs if pair in after]
    if lines:
        cursor.executemany("INSERT INTO clock_lines VALUES (?, ?, ?, ?, ?, ?)", lines)
