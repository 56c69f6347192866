"""Store weights in 4 bits."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_engine, no_precision, removed, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="weight_int4",
    layer="engine",
    frees="decode",
    effort_days=(3, 10),
    risk="medium",
    needs=("calibrated_checkpoint", "evaluation_set"),
    conflicts=("weight_fp8",),
    sources=("marlin", "bf16death"),
    assumes=(Assumption("removed", 0.2, 0.5, 0.72),),
)
MOST_RUNNING = 64


def applies(evidence: Evidence) -> Verdict:
    """Where decode holds 20 % and few calls run at once, so that reading weights is what takes."""
    refusal = no_engine(evidence, ("decode",), 0.2) or no_precision(evidence)
    if refusal:
        return refusal
    running = evidence.crowd
    figures = {**weight(evidence, "decode"), "running": running, "most": MOST_RUNNING}
    return (
        Not("many_at_once", figures) if running > MOST_RUNNING else Applies("few_at_once", figures)
    )


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Decode shrinks with the bytes; prefill gains nothing."""
    return scale("decode", removed(level))
