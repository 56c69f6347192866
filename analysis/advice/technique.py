"""What a technique is, and the verdicts it can give on the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from analysis.advice.evidence import Evidence
from analysis.replay.scenario import Scenario

LAYERS: Final = (
    "client", "access", "scheduling", "runtime", "observability", "control", "application",
    "model", "engine",
)  # fmt: skip
RISK_FACTOR: Final = {"low": 1.0, "medium": 1.5, "high": 2.5}
GRADES: Final = ("published", "derived", "estimate")
LEVELS: Final = ("low", "typical", "high")

Figures = Mapping[str, int | float | str]
"""Named figures of a reason; the name's end tells the unit: `_ns`, `_share`, `_ratio`, `_tokens`,
`stage` (stage ids joined by `+`), `whole` (the objective whose part a share is), else a count."""


@dataclass(frozen=True)
class Assumption:
    """A number that the data do not hold; `low` to `high` in the order of the saving they bring."""

    name: str
    low: float
    typical: float
    high: float
    grade: str = "estimate"

    def at(self, level: str) -> float:
        """Its value at one of `LEVELS`."""
        return {"low": self.low, "typical": self.typical, "high": self.high}[level]


@dataclass(frozen=True)
class Technique:
    """One row of the catalogue.

    Args:
        frees: the stage that gets shorter (the colour of its row).
        effort_days: fewest and most person-days; an estimate.
        needs: ids of what must be there before.
        conflicts: ids of techniques that cannot be had with this one.
        subsumes: ids of techniques that add nothing once this one is in.
        sources: keys of docs/techniques.md's list of sources.
    """

    id: str
    layer: str
    frees: str
    effort_days: tuple[float, float]
    risk: str
    needs: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    subsumes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    assumes: tuple[Assumption, ...] = ()


@dataclass(frozen=True)
class Applies:
    """The data show the sign that the technique helps against."""

    reason: str
    figures: Figures = field(default_factory=dict)


@dataclass(frozen=True)
class Not:
    """The data speak against it."""

    reason: str
    figures: Figures = field(default_factory=dict)


@dataclass(frozen=True)
class Lacks:
    """The data cannot tell; `what` is the id of what to record."""

    what: str
    figures: Figures = field(default_factory=dict)


Verdict = Applies | Not | Lacks
Level = Mapping[str, float]
"""The technique's assumptions at one level: name -> value."""


class TechniqueModule(Protocol):
    """What each module of analysis/techniques/ offers."""

    TECHNIQUE: Technique

    def applies(self, evidence: Evidence) -> Verdict:
        """Whether the technique helps here, and why."""

    def scenario(self, evidence: Evidence, level: Level) -> Scenario:
        """What it changes; asked only where it applies."""
