"""Lift CPU limits that stop gateway, application and tokenizer."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="cpu_throttle",
    layer="runtime",
    frees="app_logic",
    effort_days=(0.5, 2),
    risk="low",
    needs=("requests_sized",),
    sources=("cfs",),
    assumes=(Assumption("removed", 0.2, 0.5, 1.0),),
)
STAGES = ("app_logic", "api_gateway", "tokenize_detokenize", "pre_post_processing")


def _increase(evidence: Evidence, name: str) -> float:
    metrics = evidence.metrics
    if "name" not in metrics:
        return 0.0
    rows = metrics[metrics["name"].str.contains(name, regex=False)]
    spread = rows.groupby("labels")["value"].agg(["min", "max"])
    return float((spread["max"] - spread["min"]).sum())


def _throttled(evidence: Evidence) -> float | None:
    """The share of scheduler periods in which a container was stopped; None unknown."""
    periods = _increase(evidence, "cpu_cfs_periods")
    return _increase(evidence, "cpu_cfs_throttled_periods") / periods if periods > 0 else None


def applies(evidence: Evidence) -> Verdict:
    """Where containers were stopped in over 5 % of the periods."""
    share = _throttled(evidence)
    if share is None:
        return Lacks("cpu_metrics")
    figures = {"throttled_share": share}
    return Applies("cpu_stopped", figures) if share > 0.05 else Not("cpu_free", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """CPU work loses its stopped share, as far as `removed` says."""
    return scale(STAGES, 1.0 - (_throttled(evidence) or 0.0) * level["removed"])
