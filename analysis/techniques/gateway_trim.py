"""Give the gateway more room and fewer plugins."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed, small, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="gateway_trim",
    layer="access",
    frees="api_gateway",
    effort_days=(1, 6),
    risk="low",
    needs=("plugin_inventory",),
    sources=("litellm",),
    assumes=(Assumption("removed", 0.2, 0.7, 0.83, "published"),),
)
STAGES = ("api_gateway", "auth_rate_limit", "cdn_edge")


def applies(evidence: Evidence) -> Verdict:
    """Where the gateway itself takes over 20 ms at p95, and 1 % of the time."""
    refusal = small(evidence, STAGES, 0.01)
    if refusal:
        return refusal
    figures = weight(evidence, *STAGES)
    if np.percentile(evidence.busy_requests(*STAGES), 95) <= 20_000_000:
        return Not("gateway_quick", figures)
    return Applies("gateway_slow", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The gateway's own time shrinks as it did when a saturated one got twice the instances."""
    return scale(STAGES, removed(level))
