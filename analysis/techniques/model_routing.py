"""Send easy requests to a small model."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import call_mask, small, weight
from analysis.replay.scenario import Delay, Scenario, scale

TECHNIQUE = Technique(
    id="model_routing",
    layer="model",
    frees="decode",
    effort_days=(5, 20),
    risk="medium",
    needs=("router", "evaluation_set"),
    sources=("routellm",),
    assumes=(
        Assumption("easy_share", 0.2, 0.5, 0.8),
        Assumption("removed", 0.3, 0.5, 0.8),
        Assumption("router_ns", 50_000_000, 20_000_000, 5_000_000),
    ),
)
STAGES = ("decode", "prefill", "model")


def applies(evidence: Evidence) -> Verdict:
    """Where one model answers everything and holds 30 % of the time."""
    used = evidence.calls["model"].dropna().nunique()
    if used > 1:
        return Not("several_models", {"models": int(used)})
    return small(evidence, STAGES, 0.3) or Applies("one_model", weight(evidence, *STAGES))


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """A part of the requests, always the same ones, gets the quicker model; all pay the router."""
    names = [f"{trace}" for trace in evidence.requests["trace_id"]]
    easy = evidence.drawn(names, level["easy_share"], TECHNIQUE.id)
    calls = call_mask(evidence, np.ones(len(evidence.calls), bool))
    quick = calls & easy[evidence.model.request]
    router = Scenario((Delay(calls, level["router_ns"]),))
    return scale(STAGES, 1.0 - level["removed"], quick) + router
