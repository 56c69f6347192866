"""Tokenize and detokenize beside the engine's loop."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Technique, Verdict
from analysis.advice.technique_parts import no_engine, removed, small, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="engine_cpu_offpath",
    layer="engine",
    frees="tokenize_detokenize",
    effort_days=(1, 5),
    risk="low",
    needs=("engine_upgrade", "cpu_cores"),
    sources=("vllm060", "vllm-opt"),
    assumes=(Assumption("removed", 0.3, 0.6, 0.9),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where tokenizing and what the engine's marks leave over holds 2 % or more."""
    refusal = no_engine(evidence, ("decode", "prefill"), 0.0)
    return (
        refusal
        or small(evidence, ("tokenize_detokenize",), 0.02)
        or Applies("stage_large", weight(evidence, "tokenize_detokenize"))
    )


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Work of the CPU leaves the path."""
    return scale("tokenize_detokenize", removed(level))
