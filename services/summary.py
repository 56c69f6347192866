"""The headline figures of a scope, each percentile with its interval."""

from __future__ import annotations

from typing import Any

from analysis.attribution import usable
from analysis.headline import percentile_bounds, share_bounds
from data.store import Store
from services import breakdown
from services.request_list import records
from services.scope import Scope

Headline = tuple[str, float | None, float | None, float | None]
"""Id, value, and the low and high of its 90 % interval."""

PERCENTILES = (("e2e", 50), ("e2e", 95), ("e2e", 99), ("ttft", 95))


def counts(store: Store, scope: Scope) -> dict[str, Any]:
    """Requests, excluded, failed and percentiles, as the query `summary` gives them."""
    return records(store.query("summary", scope.filters, slo_ns=scope.slo_ns))[0]


def headlines(store: Store, scope: Scope) -> list[Headline]:
    """Requests, E2E p50, p95, p99, TTFT p95, and the share within the SLO."""
    latency = breakdown.latency(store, scope.filters)
    said = counts(store, scope)
    figures: list[Headline] = [("requests", said["n"], None, None)]
    for objective, percent in PERCENTILES:
        values = usable(latency, objective)[f"{objective}_ns"].to_numpy(dtype="int64")
        name = f"{objective}_p{percent}"
        low, high = percentile_bounds(values, percent) or (None, None)
        figures.append((name, said[f"{name}_ns"], low, high))
    values = usable(latency, scope.objective)[f"{scope.objective}_ns"].to_numpy(dtype="int64")
    hits = int((values <= scope.slo_ns).sum())
    low_share, high_share = share_bounds(hits, len(values)) or (None, None)
    share = hits / len(values) if len(values) else None
    return [*figures, ("within_slo", share, low_share, high_share)]
