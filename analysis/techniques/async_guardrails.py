"""Run input checks beside the first model call instead of before it."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import between, first_calls, next_call, outermost, weight
from analysis.replay.scenario import Scenario, overlap

TECHNIQUE = Technique(
    id="async_guardrails",
    layer="application",
    frees="guardrails",
    effort_days=(2, 8),
    risk="medium",
    needs=("cancel_path", "hold_until_verdict", "policy_allows"),
    sources=("nemo",),
)


def _pairs(evidence: Evidence) -> list[tuple[int, int]]:
    """(check, span that need not wait for it): all from the check to the model call it leads to."""
    checks = np.nonzero(evidence.in_stage("guardrails"))[0]
    outer = {outermost(evidence, int(n)) for n in checks if evidence.model.parent[n] >= 0}
    first, pairs = first_calls(evidence), []
    for check in sorted(outer - set(first)):
        call = next_call(evidence, check, first)
        pairs += [(check, node) for node in between(evidence, check, call)] if call >= 0 else []
    return pairs


def applies(evidence: Evidence) -> Verdict:
    """Where a check stands before a model call, with nothing but its preparation between."""
    figures = weight(evidence, "guardrails")
    if not figures["requests"]:
        return Not("stage_absent", {"stage": "guardrails"})
    pairs = _pairs(evidence)
    if not pairs:
        return Not("checks_elsewhere", figures)
    held = {int(evidence.model.request[first]) for first, _second in pairs}
    return Applies("checks_first", {**figures, "requests": len(held)})


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Preparation and call no longer wait for the check; the answer is shown once it has passed."""
    return overlap(_pairs(evidence))
