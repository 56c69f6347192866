"""Keep the KV cache in 8 bits."""

import numpy as np

from analysis.advice.evidence import Evidence, Numbers
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_engine, on_calls, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="kv_fp8",
    layer="engine",
    frees="decode",
    effort_days=(1, 3),
    risk="low",
    needs=("kernel_support", "calibrated_scales"),
    sources=("vllm-kvq",),
    assumes=(Assumption("gain_ratio", 0.5, 1.0, 1.5),),
)
CONTEXT_TOKENS = (0, 2048, 8192, 16384, 32768)
GAIN = (0.0, 0.01, 0.06, 0.11, 0.21)
"""Decode speed gained at these context lengths, as measured for a 4B model on an L4 [vllm-kvq]."""
LEAST_TOKENS = 4096


def _context(evidence: Evidence) -> Numbers:
    sent, made = evidence.call("input_tokens"), evidence.call("output_tokens")
    return np.where(sent >= 0, sent + np.maximum(made, 0) / 2, 0.0)


def applies(evidence: Evidence) -> Verdict:
    """Where decode holds 10 % and a tenth of the calls has a context over 4,096 tokens."""
    refusal = no_engine(evidence, ("decode",), 0.1)
    if refusal:
        return refusal
    if not (evidence.call("input_tokens") >= 0).any():
        return Lacks("input_tokens")
    p90 = int(np.percentile(_context(evidence), 90))  # calls are there: their input is known
    figures = {**weight(evidence, "decode"), "context_tokens": p90, "least_tokens": LEAST_TOKENS}
    return Not("context_short", figures) if p90 < LEAST_TOKENS else Applies("context_long", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Each call's decode shrinks by the gain measured at its own context length."""
    gain = level["gain_ratio"] * np.interp(_context(evidence), CONTEXT_TOKENS, GAIN)
    return scale("decode", on_calls(evidence, 1.0 / (1.0 + gain), 1.0))
