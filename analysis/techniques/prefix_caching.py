"""Turn the engine's prefix cache on."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_engine, on_calls, saved_prefill, weight
from analysis.replay.scenario import Scenario, shorten

TECHNIQUE = Technique(
    id="prefix_caching",
    layer="engine",
    frees="prefill",
    effort_days=(0.5, 3),
    risk="low",
    needs=("stable_prefix",),
    conflicts=("prompt_compression",),
    sources=("openai-pc", "anth-pc"),
    assumes=(Assumption("cached_share", 0.07, 0.4, 0.8),),
)
LEAST_TOKENS = 256


def applies(evidence: Evidence) -> Verdict:
    """Where calls report their cached tokens and there is none."""
    refusal = no_engine(evidence, ("prefill",), 0.02)
    if refusal:
        return refusal
    sent, cached = evidence.call("input_tokens"), evidence.call("cached_tokens")
    known = (sent > 0) & (cached >= 0)
    if not known.any():
        return Lacks("cached_tokens")
    share, median = float(cached[known].sum() / sent[known].sum()), int(np.median(sent[known]))
    figures = {**weight(evidence, "prefill"), "cached_share": share, "median_tokens": median}
    if share > 0.01:
        return Not("cache_on", figures)
    if median < LEAST_TOKENS:
        return Not("prompts_short", {**figures, "least_tokens": LEAST_TOKENS})
    return Applies("cache_unused", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """`cached_share` of each call's input tokens need no prefill."""
    hits = level["cached_share"] * np.maximum(evidence.uncached_tokens, 0)
    return shorten("prefill", on_calls(evidence, saved_prefill(evidence, hits), 0.0))
