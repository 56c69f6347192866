"""Answer repeated questions from a cache."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import call_mask, small, weight
from analysis.replay.scenario import Delay, Scenario, remove

TECHNIQUE = Technique(
    id="semantic_cache",
    layer="application",
    frees="decode",
    effort_days=(5, 15),
    risk="high",
    needs=("embedding_service", "invalidation_rule", "false_hit_review"),
    sources=("gptsem",),
    assumes=(
        Assumption("hit_share", 0.02, 0.15, 0.6),
        Assumption("lookup_ns", 30_000_000, 15_000_000, 5_000_000),
    ),
)
STAGES = ("decode", "prefill", "model", "request_queue")


def applies(evidence: Evidence) -> Verdict:
    """Where model calls hold 30 % of the time and requests use no tools."""
    tools = len(evidence.busy_requests("tools"))
    if tools > 0.1 * max(int(evidence.counted.sum()), 1):
        return Not("tools_used", {"requests": tools})
    return small(evidence, STAGES, 0.3) or Applies("calls_long", weight(evidence, *STAGES))


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """A part of the requests, always the same ones, lose their calls; all pay for the lookup."""
    names = [f"{trace}" for trace in evidence.requests["trace_id"]]
    hit = evidence.drawn(names, level["hit_share"], TECHNIQUE.id)
    calls = call_mask(evidence, np.ones(len(evidence.calls), bool))
    first = np.zeros(len(evidence.calls), bool)
    order = np.argsort(evidence.call("start_ns"), kind="stable")
    first[order[np.unique(evidence.call_request[order], return_index=True)[1]]] = True
    hits = calls & (evidence.model.request >= 0) & hit[evidence.model.request]
    wait = Delay(call_mask(evidence, first), level["lookup_ns"])
    return remove(hits) + Scenario((wait,))
