"""Limit attempts, time-outs and retries."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="retry_budget",
    layer="control",
    frees="retries_backoff",
    effort_days=(2, 6),
    risk="low",
    needs=("idempotent_calls",),
    sources=("sre",),
    assumes=(Assumption("removed", 0.1, 0.4, 0.7),),
)
STAGES = ("retries_backoff", "circuit_breaking")


def applies(evidence: Evidence) -> Verdict:
    """Where requests wait for attempts that failed."""
    figures = weight(evidence, *STAGES)
    if not figures["requests"]:
        return Not("no_retries")
    return Applies("retries", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Failed attempts and pauses shrink: shorter time-outs, fewer attempts."""
    return scale(STAGES, removed(level))
