"""Derive what other rules would give, beside the store, and count the time that moves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from analysis.rule_changes import Moved, changed
from analysis.rules import RuleSet
from data import clocks
from data.reach import reach
from data.sql_files import step
from data.writing import BATCH_RECORDS, Derive, Progress


@dataclass
class Trial:
    """What other rules would change, over `tried` of the `traces` that they can touch.

    `rules` counts the spans that each rule would take in them.
    """

    traces: int = 0
    tried: int = 0
    moved: Moved = field(default_factory=Moved)
    rules: Counter[str] = field(default_factory=Counter)


def trial(
    cursor: Any,
    derive: Derive,
    before: RuleSet,
    after: RuleSet,
    most: int | None = None,
    progress: Progress | None = None,
) -> Trial:
    """The outcome of `after` in place of `before`, which the derived tables rest on.

    Over more than `most` records a sample of the traces is tried, the same at every call.
    """
    found = Trial()
    if not reach(cursor, changed(before, after)):
        return found
    cursor.execute(step("seen"))
    cursor.execute(step("sample"), {"most": most})
    found.traces = int(cursor.execute("SELECT count(*) FROM seen").fetchall()[0][0])
    offsets = clocks.stored(cursor)
    told = {"offsets": offsets} if offsets.lines else {}
    cursor.execute(step("work"), {"size": BATCH_RECORDS})
    batches = cursor.execute(
        "SELECT batch, count(*), min(low), max(high) FROM work GROUP BY batch ORDER BY batch"
    ).fetchall()
    total = sum(traces for _, traces, _, _ in batches)
    for number, traces, low, high in batches:
        if progress is not None:
            progress(found.tried, total)
        values = {"batch": number, "low": low, "high": high}
        records = cursor.sql(step("batch"), params=values).to_arrow_table()
        derived = derive(records, after, **told)
        old = cursor.sql(step("segments_of"), params={"batch": number}).to_arrow_table()
        found.moved.add(old, derived.segments)
        found.rules.update(derived.spans.column("rule").to_pylist())
        found.tried += traces
    if progress is not None:
        progress(found.tried, total)
    return found
