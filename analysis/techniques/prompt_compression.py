"""Compress long one-off prompts with a small model."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import call_mask, on_calls, saved_prefill, small, weight
from analysis.replay.scenario import Delay, Scenario, shorten

TECHNIQUE = Technique(
    id="prompt_compression",
    layer="application",
    frees="prefill",
    effort_days=(5, 15),
    risk="medium",
    needs=("compressor", "quality_gate"),
    conflicts=("prefix_caching", "cacheable_prompt_layout"),
    sources=("lingua2", "lingua"),
    assumes=(
        Assumption("cut_share", 0.3, 0.5, 0.75, "derived"),
        Assumption("cost_ns_per_token", 30_000, 15_000, 5_000),
    ),
)
LEAST_TOKENS = 4000


def applies(evidence: Evidence) -> Verdict:
    """Where the median prompt has over 4,000 tokens and under a fifth of them is cached."""
    if not evidence.total_ns("prefill").any():
        return Lacks("engine_marks")
    sent = evidence.call("input_tokens")
    if not (sent > 0).any():
        return Lacks("input_tokens")
    median = int(np.median(sent[sent > 0]))
    cached = np.maximum(evidence.call("cached_tokens"), 0)[sent > 0].sum() / sent[sent > 0].sum()
    figures = {**weight(evidence, "prefill"), "median_tokens": median}
    figures |= {"cached_share": float(cached), "least_tokens": LEAST_TOKENS}
    if median < LEAST_TOKENS:
        return Not("prompts_short", figures)
    if cached >= 0.2:
        return Not("prompts_cached", figures)
    return small(evidence, ("prefill",), 0.1) or Applies("prompts_single_use", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Fewer tokens to prefill, less what the compressor takes to read them all."""
    sent = np.maximum(evidence.uncached_tokens, 0)
    long = sent >= LEAST_TOKENS
    saved = saved_prefill(evidence, np.where(long, level["cut_share"] * sent, 0.0))
    cost = on_calls(evidence, np.where(long, level["cost_ns_per_token"] * sent, 0.0), 0.0)
    wait = Scenario((Delay(call_mask(evidence, long), cost),))
    return shorten("prefill", on_calls(evidence, saved, 0.0)) + wait
