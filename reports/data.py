"""What a report holds: figures already computed, nothing that could be a prompt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from analysis.attribution import Breakdown

SECTIONS: Final = ("breakdown", "bands", "fixes", "plan", "requests", "limits", "appendix")
"""The parts that can be left out, in their order."""


@dataclass(frozen=True)
class Figure:
    """One headline figure with its 90 % interval, where there is one.

    Args:
        id: `requests`, `<objective>_p50|p95|p99` (`e2e_p95`), or `within_slo`.
        value: a count, ns, or a share from 0 to 1; None where it is not known.
    """

    id: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ReportData:
    """Everything a report says; lengths in ns, shares from 0 to 1, instants in ns.

    Args:
        title: the file's title: `Chat, production: latency, 12 March 2026`.
        answer: the one sentence, as `words.sentences` makes it.
        next_step: the sentence of the first fix; empty where nothing applies.
        scope: data set, period with zone, filters, objective and SLO, in one line.
        version: of slowpath.
        data_sets: the names of the data sets the figures come from.
        figures: six at most.
        bands: band id -> its breakdown; p50, p95 and p99, in this order.
        findings: all techniques as `slowpath rank` gives them, best first, each also with
            `because` (the user's own figures in a sentence) and `stage` (the one it frees).
        plan: {steps: [{title, stage, saving_ns: {low, typical, high}}], current_ns,
            predicted_ns}, or None.
        requests: the slowest, as `slowpath requests` gives them.
        flags: flag -> number of spans.
        excluded: flag -> requests it leaves out of percentiles.
        notes: what the author adds, plain text.
        made_ns: when the report was made.
        content_stored: whether prompts are in the database; they are never in a report.
    """

    title: str
    answer: str
    scope: str
    version: str
    data_sets: tuple[str, ...]
    figures: tuple[Figure, ...]
    bands: Mapping[str, Breakdown]
    findings: tuple[Mapping[str, Any], ...] = ()
    plan: Mapping[str, Any] | None = None
    requests: tuple[Mapping[str, Any], ...] = ()
    flags: Mapping[str, int] | None = None
    excluded: Mapping[str, int] | None = None
    next_step: str = ""
    notes: str = ""
    objective: str = "e2e"
    band: str = "p95"
    slo_ns: int | None = None
    replayed: int = 0
    tz: str = "UTC"
    made_ns: int | None = None
    content_stored: bool = False
    sections: tuple[str, ...] = SECTIONS

    @property
    def shown(self) -> Breakdown | None:
        """The breakdown that the pie shows."""
        return self.bands.get(self.band)

    @property
    def applying(self) -> tuple[Mapping[str, Any], ...]:
        """The techniques that apply, best first."""
        return tuple(finding for finding in self.findings if finding.get("applies"))
