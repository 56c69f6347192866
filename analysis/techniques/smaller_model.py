"""Answer with a smaller or distilled model."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Technique, Verdict
from analysis.advice.technique_parts import removed, small, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="smaller_model",
    layer="model",
    frees="decode",
    effort_days=(10, 60),
    risk="high",
    needs=("evaluation_set", "quality_slack"),
    subsumes=("model_routing",),
    sources=("anyscale",),
    assumes=(Assumption("removed", 0.3, 0.5, 0.88),),
)
STAGES = ("decode", "prefill", "model")


def applies(evidence: Evidence) -> Verdict:
    """Where the models hold 30 % of the time or more."""
    return small(evidence, STAGES, 0.3) or Applies("stage_large", weight(evidence, *STAGES))


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Prefill and decode shrink with the weights that are read and multiplied."""
    return scale(STAGES, removed(level))
