"""Draft tokens with a small model and check them together."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_engine, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="spec_model",
    layer="engine",
    frees="decode",
    effort_days=(3, 12),
    risk="medium",
    needs=("draft_model", "spare_compute"),
    sources=("sdbench", "eagle3", "vllm-sdblog", "leviathan"),
    assumes=(Assumption("removed", -0.4, 0.33, 0.58),),
)
FEW, MANY, LEAST_TOKENS = 16, 64, 32


def applies(evidence: Evidence) -> Verdict:
    """Where decode holds 20 %, answers have 32 tokens or more and under 64 calls run at once."""
    refusal = no_engine(evidence, ("decode",), 0.2)
    if refusal:
        return refusal
    running, tokens = evidence.crowd, evidence.call("output_tokens")
    figures = {**weight(evidence, "decode"), "running": running, "most": MANY}
    if running >= MANY:
        return Not("many_at_once", figures)
    median = int(np.median(tokens[tokens > 0])) if (tokens > 0).any() else LEAST_TOKENS
    if median < LEAST_TOKENS:
        return Not("answers_short", {"median_tokens": median})
    return Applies("few_at_once", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Decode shrinks; a loss is possible only where 16 calls or more run at once."""
    gained = level["removed"]
    return scale("decode", 1.0 - (max(gained, 0.0) if evidence.crowd < FEW else gained))
