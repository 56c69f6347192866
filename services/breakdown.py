"""Stages over many requests: the pie, the bands, the groups of one column."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from analysis.attribution import PREFIX, breakdown, grouped, members
from analysis.errors import UserError
from analysis.metering.breakdown import metrics_breakdown
from analysis.shared_path import shared
from analysis.stages import STAGES, stage_columns
from data.filters import Filters
from data.store import Store
from services.trees import trees

BY: Final = ("hour", "minute", "model", "service", "version", "route")
AGGREGATES: Final = ("path", "shared")
"""path: an instant belongs to the span that the request waited for; shared: to all at work alike
(docs/attribution.md says when the two differ)."""

BINS_NS: Final = {"minute": 60_000_000_000, "hour": 3_600_000_000_000}
"""Groupings by time -> the width of a group in ns."""


def latency(store: Store, filters: Filters, objective: str = "e2e") -> pd.DataFrame:
    """One row per request in scope, with what `analysis.attribution` needs for an objective."""
    return store.query("latency_ttft" if objective == "ttft" else "latency", filters)


def break_down(
    store: Store,
    filters: Filters,
    objective: str = "e2e",
    band: str = "all",
    by: str | None = None,
    slo_ns: int | None = None,
    aggregate: str = "path",
) -> dict[str, Any]:
    """The answer of `slowpath breakdown`: one breakdown, or `{"groups": […]}` with `by`.

    Raises:
        UserError: an unknown objective, band, grouping or aggregate.
    """
    if by is not None and by not in BY:
        raise UserError(f"one of {', '.join(BY)}", repr(by), "by")
    if aggregate not in AGGREGATES:
        raise UserError(f"one of {', '.join(AGGREGATES)}", repr(aggregate), "aggregate")
    frame = latency(store, filters, objective)
    if by in BINS_NS:
        width = BINS_NS[str(by)]
        frame = frame.assign(**{str(by): frame["start_ns"] // width * width})
    if aggregate == "shared":
        parts = [frame] if by is None else [part for _, part in frame.groupby(by, dropna=False)]
        chosen = [members(part, objective, band, slo_ns) for part in parts]
        frame = _shared(store, filters, frame, pd.concat(chosen) if chosen else frame, objective)
    if by is None:
        whole = breakdown(frame, objective, band, slo_ns).as_json()
        means = metered(store, filters) if band == "all" and objective == "e2e" else None
        return {"basis": "traces", "aggregate": aggregate, **whole, **(means or {})}
    groups = grouped(frame, by, objective, band, slo_ns)
    if by in BINS_NS:
        groups.sort(key=lambda row: row[0])
    return {
        "groups": [
            {"key": key if key is None or isinstance(key, str) else int(key),
             "aggregate": aggregate, **parts.as_json()}
            for key, parts in groups
        ]
    }  # fmt: skip


def metered(store: Store, filters: Filters) -> dict[str, Any] | None:
    """The pie of means from metrics; None where a request has come or nothing timed one.

    Metrics have no columns to filter by but their data set and time, so that any other filter
    leaves them out.
    """
    place = Filters(filters.data_sets, filters.start_ns, filters.end_ns)
    if filters != place or int(store.query("time_range", place).iloc[0]["n"]):
        return None
    return metrics_breakdown(store.query("metric_points", place))


def largest_difference(path: dict[str, Any], split: dict[str, Any]) -> dict[str, Any] | None:
    """The stage whose mean differs most between the aggregates, with both; None of no request."""
    both = [
        {"stage": one["stage"], "path_ns": one["mean_ns"], "shared_ns": other["mean_ns"]}
        for one, other in zip(path["stages"], split["stages"], strict=True)
    ]
    return max(both, key=lambda row: abs(row["shared_ns"] - row["path_ns"]), default=None)


def _shared(
    store: Store, filters: Filters, frame: pd.DataFrame, chosen: pd.DataFrame, objective: str
) -> pd.DataFrame:
    """The frame with the time of the chosen requests split over all spans at work."""
    found = trees(store, filters, chosen["trace_id"])
    ids = zip(chosen["trace_id"], chosen["root_key"], strict=True)
    lengths = chosen[f"{objective}_ns"]
    rows = []
    for request, length_ns in zip(ids, lengths, strict=True):
        root = found[request]
        split = shared(root, root.start + int(length_ns))
        rows.append([split[stage] for stage in STAGES])
    columns = stage_columns(PREFIX[objective])
    made = frame.copy()
    made.loc[chosen.index, columns] = pd.DataFrame(
        rows, index=chosen.index, columns=columns, dtype="int64"
    )
    return made
