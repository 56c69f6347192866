"""What a technique says of the data: a claim with its evidence and the time it saves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analysis.advice.technique import Figures, Technique


@dataclass(frozen=True)
class Saving:
    """ns by which the percentile falls: the estimate and its 90 % interval; negative is slower."""

    low: int = 0
    typical: int = 0
    high: int = 0


@dataclass(frozen=True)
class Example:
    """A request that carries the finding, with its figure in ns today and after the change."""

    trace_id: str
    root_span_id: str
    current_ns: int
    predicted_ns: int


@dataclass(frozen=True)
class Finding:
    """One technique on the requests that were looked at.

    Args:
        applies: False where `not_because` says why: then nothing is saved.
        reason: id of the sign that the data show; "" where it does not apply.
        not_because: id of what speaks against it, `lacks` the id of what should be recorded.
        figures: named figures of `reason` or `not_because` (units: technique.Figures).
        assumes: the typical value of each assumption, as used.
        n: requests that the percentile counts; `current_ns` None where there is none.
        within_slo_gained: requests that come within the SLO; None without an SLO.
        score: ms saved / (middle of the effort in days x risk 1, 1.5 or 2.5).
        tie_with: techniques whose saving is larger in 20 to 80 % of the resamples.
        indicative: fewer than 200 requests, too few for a percentile to be more than a hint.
    """

    technique: Technique
    applies: bool
    objective: str
    percentile: float
    reason: str = ""
    not_because: str = ""
    lacks: str = ""
    figures: Figures = field(default_factory=dict)
    assumes: dict[str, float] = field(default_factory=dict)
    n: int = 0
    current_ns: int | None = None
    predicted_ns: int | None = None
    saving_ns: Saving = Saving()
    requests_affected: int = 0
    within_slo_gained: int | None = None
    score: float = 0.0
    tie_with: tuple[str, ...] = ()
    evidence: tuple[Example, ...] = ()
    indicative: bool = False

    @property
    def id(self) -> str:
        """The technique's id."""
        return self.technique.id

    def as_row(self) -> dict[str, Any]:
        """Plain values under the names of `slowpath rank`; the title is added with the words."""
        technique, saving = self.technique, self.saving_ns
        return {
            "id": self.id,
            "applies": self.applies,
            "not_because": self.not_because or None,
            "assumes": dict(self.assumes),
            "n": self.n,
            "current_ns": self.current_ns,
            "predicted_ns": self.predicted_ns,
            "saving_ns": {"low": saving.low, "typical": saving.typical, "high": saving.high},
            "requests_affected": self.requests_affected,
            "within_slo_gained": self.within_slo_gained,
            "effort_days": list(technique.effort_days),
            "risk": technique.risk,
            "score": self.score,
            "tie_with": list(self.tie_with),
            "evidence": [vars(example) for example in self.evidence],
            "objective": self.objective,
            "percentile": self.percentile,
            "reason": self.reason or None,
            "lacks": self.lacks or None,
            "figures": dict(self.figures),
            "indicative": self.indicative,
            "layer": technique.layer,
            "stage": technique.frees,
            "needs": list(technique.needs),
            "conflicts": list(technique.conflicts),
            "subsumes": list(technique.subsumes),
            "sources": list(technique.sources),
        }
