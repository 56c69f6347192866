"""Every technique tried on the requests in scope, the largest saving first."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from analysis.evidence import Evidence
from analysis.evidence import evidence as evidence_of
from analysis.finding import Finding
from analysis.ranking import rank
from data.store import Store
from services.scope import Scope
from words import techniques


def evidence(store: Store, scope: Scope) -> Evidence:
    """What the techniques may look at: the requests in scope with their spans and calls."""
    return evidence_of(
        requests=store.query("whole_requests", scope.filters),
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
    return [_row(finding) for finding in findings]


def _row(finding: Finding) -> dict[str, Any]:
    row = finding.as_row()
    row["assumptions"] = [asdict(assumption) for assumption in finding.technique.assumes]
    return {"id": row["id"], "title": techniques.title(row["id"]), **row,
            "because": techniques.because(row)}  # fmt: skip
