"""Send each request to the replica that waits least."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.load import markov_wait
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_queue, removed, weight
from analysis.replay.model import UNKNOWN
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="queue_aware_lb",
    layer="scheduling",
    frees="request_queue",
    effort_days=(2, 8),
    risk="low",
    needs=("replica_metrics",),
    sources=("gkeig", "prequal", "queue"),
    assumes=(Assumption("removed", 0.1, 0.5, 0.93),),
)


def _waits(evidence: Evidence) -> dict[str, float]:
    """The mean wait on each replica that served at least five calls, in ns."""
    held, waits = evidence.call("queue_ns"), {}
    hosts = np.asarray(evidence.call_host, dtype=object)
    for host in sorted(set(evidence.call_host) - {""}):
        rows = (hosts == host) & (held != UNKNOWN)
        if rows.sum() >= 5:
            waits[host] = float(held[rows].mean())
    return waits


def applies(evidence: Evidence) -> Verdict:
    """Where requests queue on some replicas twice as long as on others."""
    refusal = no_queue(evidence)
    if refusal:
        return refusal
    if not any(evidence.call_host):
        return Lacks("replica_names")
    waits = _waits(evidence)
    if len(waits) < 2:
        return Not("one_replica", {"replicas": len(set(evidence.call_host) - {""})})
    low, high = min(waits.values()), max(waits.values())
    figures = {**weight(evidence, "request_queue"), "replicas": len(waits)}
    figures |= {"low_ns": int(low), "high_ns": int(high)}
    return Applies("queue_uneven", figures) if high > 2 * low else Not("queue_even", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """One queue in front of all replicas instead of one each, by Allen-Cunneen where it holds."""
    load, replicas = evidence.load, len(_waits(evidence))
    if load is None or not load.explains or load.slots < replicas:
        return scale("request_queue", removed(level))
    offered = load.utilisation * load.slots
    alone = markov_wait(max(load.slots // replicas, 1), offered / replicas)
    pooled = markov_wait(load.slots, offered)
    return scale("request_queue", pooled / alone if np.isfinite(alone) else removed(level))
