"""Every technique tried on the requests in scope, the largest saving first."""

from __future__ import annotations

from typing import Any

from analysis.evidence import Evidence
from analysis.ranking import rank

from data.store import Store
from services.scope import Scope


def evidence(store: Store, scope: Scope) -> Evidence:
    """What the techniques may look at: the requests in scope with their spans and calls."""
    return Evidence(
        requests=store.query("latency", scope.filters),
        spans=store.query("spans", scope.filters),
        calls=store.query("calls", scope.filters),
        segments=store.query("segments", scope.filters),
        metrics=store.query("metric_points"),
    )


def rank_all(
    store: Store, scope: Scope, percentile: int = 95, assume: dict[str, float] | None = None
) -> list[dict[str, Any]]:
    """The answer of `slowpath rank`: every technique, applying or not."""
    findings = rank(evidence(store, scope), scope.objective, percentile, scope.slo_ns, assume)
    return [finding.as_json() for finding in findings]
