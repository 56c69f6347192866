"""Stop the engine from throwing running requests out."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_engine, removed, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="preemption_avoidance",
    layer="engine",
    frees="request_queue",
    effort_days=(0.5, 3),
    risk="low",
    needs=("spare_gpu_memory",),
    sources=("vllm-opt",),
    assumes=(Assumption("removed", 0.0, 0.3, 0.9),),
)


def _preemptions(evidence: Evidence) -> float | None:
    """How many requests the engines threw out; None where no counter says."""
    metrics = evidence.metrics
    if "name" not in metrics:
        return None
    rows = metrics[metrics["name"].str.contains("num_preemptions", regex=False)]
    if rows.empty:
        return None
    spread = rows.groupby("labels")["value"].agg(["min", "max", "size"])
    grown = (spread["max"] - spread["min"]).where(spread["size"] > 1, spread["max"])
    return float(grown.sum())


def applies(evidence: Evidence) -> Verdict:
    """Where the engine's counter of preemptions grew."""
    refusal = no_engine(evidence, ("decode", "prefill"), 0.0)
    if refusal:
        return refusal
    preempted = _preemptions(evidence)
    if preempted is None:
        return Lacks("preemption_metrics")
    figures = {**weight(evidence, "request_queue"), "preemptions": int(preempted)}
    return Applies("preempted", figures) if preempted > 0 else Not("no_preemptions", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The wait to get in again shrinks."""
    return scale("request_queue", removed(level))
