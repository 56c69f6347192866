"""Send fewer input tokens."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import on_calls, saved_prefill, small, weight
from analysis.replay.scenario import Scenario, shorten

TECHNIQUE = Technique(
    id="prompt_trim",
    layer="application",
    frees="prefill",
    effort_days=(2, 8),
    risk="medium",
    needs=("retrieval_metric",),
    sources=("openai-lat", "anyscale"),
    assumes=(Assumption("cut_share", 0.1, 0.3, 0.5),),
)
LEAST_TOKENS = 1000


def applies(evidence: Evidence) -> Verdict:
    """Where prefill holds 20 % and the median call prefills 1,000 uncached tokens or more."""
    if not evidence.total_ns("prefill").any():
        return Lacks("engine_marks")
    tokens = evidence.uncached_tokens[evidence.uncached_tokens >= 0]
    if not len(tokens):
        return Lacks("input_tokens")
    median = int(np.median(tokens))
    if median < LEAST_TOKENS:
        return Not("prompts_short", {"median_tokens": median, "least_tokens": LEAST_TOKENS})
    figures = {**weight(evidence, "prefill"), "median_tokens": median}
    return small(evidence, ("prefill",), 0.2) or Applies("prompts_long", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """`cut_share` of each call's uncached tokens goes, at the fitted time per token."""
    cut = level["cut_share"] * np.maximum(evidence.uncached_tokens, 0)
    return shorten("prefill", on_calls(evidence, saved_prefill(evidence, cut), 0.0))
