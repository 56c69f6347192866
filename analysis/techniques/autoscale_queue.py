"""Scale out on queue length, before requests wait."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_queue, queue_factor, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="autoscale_queue",
    layer="scheduling",
    frees="request_queue",
    effort_days=(2, 8),
    risk="low",
    needs=("metrics_adapter", "spare_capacity"),
    sources=("gkehpa", "k8shpa", "queue"),
    assumes=(
        Assumption("added_share", 0.25, 0.5, 1.0),
        Assumption("removed", 0.1, 0.5, 0.95),
    ),
)


def applies(evidence: Evidence) -> Verdict:
    """Where the queue takes over 50 ms at p95."""
    refusal = no_queue(evidence)
    if refusal:
        return refusal
    figures = weight(evidence, "request_queue")
    if np.percentile(evidence.busy_requests("request_queue"), 95) <= 50_000_000:
        return Not("queue_small", figures)
    return Applies("queue_long", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """More slots while requests wait; where the queue formula does not hold, the assumption."""
    grown = 1.0 + level["added_share"]
    return scale("request_queue", queue_factor(evidence, grown, level["removed"]))
