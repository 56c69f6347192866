"""Derive what other rules would give, beside the store, and count the time that moves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from analysis.rule_changes import Moved, Reach, changed
from analysis.rules import RuleSet
from data import clocks
from data.reach import reach
from data.sql_files import step
from data.writing import BATCH_RECORDS, TOGETHER, Derive, Progress


@dataclass
class Trial:
    """What other rules would change, over `tried` of the `traces` that they can touch.

    `takers` counts, by the rule that would take them, the spans of which all that a changed rule
    asks of name, service, kind, status and attributes holds.
    """

    traces: int = 0
    tried: int = 0
    moved: Moved = field(default_factory=Moved)
    takers: Counter[str] = field(default_factory=Counter)


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
    found, rules = Trial(), changed(before, after)
    if not reach(cursor, rules):
        return found
    wanted = Reach(rules)
    cursor.execute(step("seen"))
    cursor.execute(step("sample"), {"most": most})
    found.traces = int(cursor.execute("SELECT count(*) FROM seen").fetchall()[0][0])
    offsets = clocks.stored(cursor)
    told = {"offsets": offsets} if offsets.lines else {}
    cursor.execute(step("work"), {"size": TOGETHER * BATCH_RECORDS})
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
        found.takers.update(_takers(derived.spans, wanted))
        found.tried += traces
    if progress is not None:
        progress(found.tried, total)
    return found


def _takers(spans: Any, wanted: Reach) -> Iterator[str]:
    """The rule of each derived span that one of the wanted rules may take."""
    names = ("name", "service", "kind", "status", "attributes", "rule")
    columns = [spans.column(name).to_pylist() for name in names]
    matcher = wanted.matcher
    for name, service, kind, status, attributes, rule in zip(*columns, strict=True):
        held = matcher.shape_bits((name, service, kind, status, None))
        if wanted.attribute_keys:
            held |= matcher.attribute_bits(json.loads(attributes))
        if any(needs & ~held == 0 for needs in wanted.needs):
            yield rule
