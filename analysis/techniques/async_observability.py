"""Export spans and logs after the answer."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="async_observability",
    layer="observability",
    frees="observability_export",
    effort_days=(1, 4),
    risk="low",
    needs=("bounded_queue",),
    sources=("coroot", "litellm"),
    assumes=(Assumption("removed", 0.3, 0.8, 1.0),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where requests wait for a log or an export."""
    figures = weight(evidence, "observability_export")
    if not figures["requests"]:
        return Not("export_off_path")
    return Applies("export_waited_for", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The export leaves the path."""
    return scale("observability_export", removed(level))
