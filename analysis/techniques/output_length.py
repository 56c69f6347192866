"""Ask for shorter answers."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import on_calls, small, weight
from analysis.replay.model import UNKNOWN
from analysis.replay.scenario import Scenario, Tokens, scale, shorten

TECHNIQUE = Technique(
    id="output_length",
    layer="application",
    frees="decode",
    effort_days=(1, 4),
    risk="low",
    needs=("quality_gate",),
    sources=("openai-lat", "azure"),
    assumes=(Assumption("cut_share", 0.1, 0.3, 0.5),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where answers are long (median 50 tokens or p95 200) and producing them takes 10 %."""
    tokens = evidence.call("output_tokens")
    if not (tokens > 0).any():
        return Lacks("output_tokens")
    p50, p95 = np.percentile(tokens[tokens > 0], [50, 95])
    figures = {"median_tokens": int(p50), "p95_tokens": int(p95)}
    if p50 < 50 and p95 < 200:
        return Not("answers_short", figures)
    if not evidence.total_ns("decode").any() and np.isnan(_pace(evidence)).all():
        return Lacks("first_token")
    stages = ("decode", "model")
    return small(evidence, stages, 0.1) or Applies(
        "answers_long", {**weight(evidence, *stages), **figures}
    )


def _pace(evidence: Evidence) -> np.ndarray:
    """Per undivided call the fitted time of an output token, NaN where the fit is refused."""
    whole = np.where(evidence.call("decode_ns") == UNKNOWN, evidence.call_ns, UNKNOWN)
    return evidence.per_token_ns(evidence.call("output_tokens"), whole)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Decode shrinks with the tokens; an undivided call by its model's fitted time per token."""
    cut, tokens = level["cut_share"], np.maximum(evidence.call("output_tokens"), 0)
    saved = np.nan_to_num(_pace(evidence)) * cut * tokens
    fewer = Tokens(np.full(len(evidence.requests), 1.0 - cut))
    undivided = shorten("model", on_calls(evidence, saved, 0.0))
    return scale("decode", 1.0 - cut) + undivided + Scenario((fewer,))
