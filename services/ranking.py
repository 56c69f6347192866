"""Every technique tried on the requests in scope, the largest saving first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from typing import Any

from analysis.advice.evidence import Evidence
from analysis.advice.evidence import evidence as evidence_of
from analysis.advice.finding import Finding
from analysis.advice.ranking import rank
from analysis.errors import UserError
from analysis.metering.measuring import measured
from analysis.metering.signs import of_stage, signs
from analysis.techniques import TECHNIQUES
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
    """The answer of `slowpath rank`: every technique, applying or not.

    `signs` are gauges and counters that speak of the stage it frees: evidence, no part of a saving.
    """
    own = assumptions(assume or {})
    findings = rank(evidence(store, scope), scope.objective, percentile, scope.slo_ns, own)
    found = signs(measured(store.query("metric_points")))
    return [_row(finding) | {"signs": of_stage(found, finding.technique.frees)}
            for finding in findings]  # fmt: skip


def assumptions(given: Mapping[str, float]) -> dict[str, float]:
    """A user's values by `technique.assumption`; a technique's id alone names its only one.

    Raises:
        UserError: a value that is no finite number, an id of several assumptions.
    """
    for name, value in given.items():
        if not isfinite(value):
            raise UserError("a finite number", repr(value), f"assume {name}")
    return {_full(name): value for name, value in given.items()}


def _full(name: str) -> str:
    of = {module.TECHNIQUE.id: module.TECHNIQUE.assumes for module in TECHNIQUES}
    names = [f"{name}.{assumption.name}" for assumption in of.get(name, ())]
    if len(names) > 1:
        raise UserError(f"one of {', '.join(names)}", repr(name), "assume")
    return names[0] if names else name


def _row(finding: Finding) -> dict[str, Any]:
    row = finding.as_row()
    row["assumptions"] = [asdict(assumption) for assumption in finding.technique.assumes]
    return {"id": row["id"], "title": techniques.title(row["id"]), **row,
            "because": techniques.because(row)}  # fmt: skip
