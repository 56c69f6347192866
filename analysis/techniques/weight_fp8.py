"""Run weights and activations in 8 bits."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import (
    NO_FP8,
    gpu_name,
    no_engine,
    no_precision,
    removed,
    weight,
)
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="weight_fp8",
    layer="engine",
    frees="decode",
    effort_days=(2, 6),
    risk="low",
    needs=("fp8_hardware", "evaluation_set"),
    conflicts=("weight_int4",),
    sources=("vllm-fp8", "bf16death"),
    assumes=(Assumption("removed", 0.15, 0.37, 0.5, "published"),),
)
STAGES = ("decode", "prefill")


def applies(evidence: Evidence) -> Verdict:
    """Where your own engine's model holds 20 %, in 16 bits, on no GPU known to lack FP8."""
    refusal = no_engine(evidence, STAGES, 0.2) or no_precision(evidence)
    if refusal:
        return refusal
    gpu = gpu_name(evidence)
    if NO_FP8.search(gpu):
        return Not("gpu_without_fp8", {"gpu": gpu})
    return Applies("stage_large", weight(evidence, *STAGES))


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Half the bytes to read, twice the arithmetic: prefill and decode shrink alike."""
    return scale(STAGES, removed(level))
