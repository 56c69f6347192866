"""Put what never changes first in the prompt."""

import numpy as np

from analysis.advice.evidence import Evidence, Numbers
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import on_calls, saved_prefill, weight
from analysis.replay.model import UNKNOWN
from analysis.replay.scenario import Scenario, shorten

TECHNIQUE = Technique(
    id="cacheable_prompt_layout",
    layer="application",
    frees="prefill",
    effort_days=(1, 4),
    risk="low",
    needs=("prefix_caching_on",),
    conflicts=("prompt_compression",),
    sources=("openai-pc", "anth-pc"),
    assumes=(
        Assumption("hit_share", 0.6, 0.75, 0.87),
        Assumption("prefix_share", 0.3, 0.5, 0.7),
    ),
)
LEAST_TOKENS = 1024


def _gained(evidence: Evidence, hit: float, prefix: float) -> Numbers:
    """Per call the tokens more that would come from the cache."""
    sent, cached = evidence.call("input_tokens"), evidence.call("cached_tokens")
    gained = hit * prefix * sent - np.maximum(cached, 0)
    return np.where((sent >= LEAST_TOKENS) & (cached != UNKNOWN), np.maximum(gained, 0.0), 0.0)


def applies(evidence: Evidence) -> Verdict:
    """Where the cache works and yet serves under half of prompts of 1,024 tokens and more."""
    sent, cached = evidence.call("input_tokens"), evidence.call("cached_tokens")
    known = (sent > 0) & (cached != UNKNOWN)
    if not known.any():
        return Lacks("cached_tokens")
    if not evidence.total_ns("prefill").any():
        return Lacks("engine_marks")
    share = float(cached[known].sum() / sent[known].sum())
    figures = {**weight(evidence, "prefill"), "cached_share": share}
    figures |= {"median_tokens": int(np.median(sent[known])), "least_tokens": LEAST_TOKENS}
    if np.median(sent[known]) < LEAST_TOKENS:
        return Not("prompts_short", figures)
    if share == 0.0:
        return Not("cache_off", figures)
    return Not("prompts_cached", figures) if share >= 0.5 else Applies("cache_little", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """A fixed prefix of `prefix_share` of each prompt is found `hit_share` of the time."""
    gained = _gained(evidence, level["hit_share"], level["prefix_share"])
    return shorten("prefill", on_calls(evidence, saved_prefill(evidence, gained), 0.0))
