"""Stages over many requests: the pie, the bands, the groups of one column."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.attribution import breakdown, grouped
from analysis.errors import UserError
from data.filters import Filters
from data.store import Store

BY = ("minute", "model", "service", "version", "route")
MINUTE_NS = 60_000_000_000


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
) -> dict[str, Any]:
    """The answer of `slowpath breakdown`: one breakdown, or `{"groups": […]}` with `by`.

    Raises:
        UserError: an unknown objective, band or grouping.
    """
    frame = latency(store, filters, objective)
    if by is None:
        return breakdown(frame, objective, band, slo_ns).as_json()
    if by not in BY:
        raise UserError(f"one of {', '.join(BY)}", repr(by), "by")
    if by == "minute":
        frame = frame.assign(minute=frame["start_ns"] // MINUTE_NS * MINUTE_NS)
    groups = grouped(frame, by, objective, band, slo_ns)
    if by == "minute":
        groups.sort(key=lambda row: row[0])
    return {
        "groups": [
            {"key": key if key is None or isinstance(key, str) else int(key), **parts.as_json()}
            for key, parts in groups
        ]
    }
