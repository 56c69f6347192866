"""Keep replicas warm."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="warm_pool",
    layer="control",
    frees="autoscale_cold_start",
    effort_days=(2, 10),
    risk="low",
    needs=("idle_memory",),
    subsumes=("image_prepull",),
    sources=("runai", "sleep", "sllm"),
    assumes=(Assumption("removed", 0.5, 0.8, 0.99),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where any request waited for a replica to start."""
    figures = weight(evidence, "autoscale_cold_start")
    if not figures["requests"]:
        return Not("stage_absent", {"stage": "autoscale_cold_start"})
    return Applies("cold_starts", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Cold starts shrink to a wake-up."""
    return scale("autoscale_cold_start", removed(level))
