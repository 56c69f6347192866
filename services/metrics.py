"""What the metric batches hold, a row per series."""

from __future__ import annotations

from typing import Any

from analysis.errors import UserError
from analysis.metric_series import metric_rows
from data.store import Store


def series(store: Store, name: str | None = None) -> list[dict[str, Any]]:
    """The answer of `slowpath metrics [NAME]`.

    Raises:
        UserError: a name that no series has.
    """
    points = store.query("metric_points")
    if name is not None:
        known = sorted(set(points["name"]))
        points = points[points["name"] == name]
        if points.empty:
            found = f"{name!r} (there: {', '.join(known[:5]) or 'none'})"
            raise UserError("the name of a stored metric", found, "metrics")
    rows: list[dict[str, Any]] = metric_rows(points)
    return rows
