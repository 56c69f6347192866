"""Prefill the fixed part of the prompt while retrieval runs."""

import numpy as np

from analysis.advice.evidence import Evidence, Numbers
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import (
    first_calls,
    next_call,
    outermost,
    prefill_ns,
    small,
    weight,
)
from analysis.replay.scenario import Scenario, shorten

TECHNIQUE = Technique(
    id="rag_overlap",
    layer="application",
    frees="prefill",
    effort_days=(5, 20),
    risk="medium",
    needs=("prefix_caching_on", "async_client"),
    sources=("ragcache",),
    assumes=(Assumption("static_share", 0.2, 0.4, 0.6),),
)


def _before(evidence: Evidence) -> Numbers:
    """Per call how long the retrieval took that led to it, in ns."""
    first, taken = first_calls(evidence), np.zeros(len(evidence.calls))
    for node in np.nonzero(evidence.in_stage("retrieval"))[0]:
        outer = outermost(evidence, int(node))
        call = next_call(evidence, outer, first)
        if call >= 0:
            row = first[call]
            taken[row] = max(taken[row], float(evidence.model.length[outer]))
    return taken


def applies(evidence: Evidence) -> Verdict:
    """Where a model call waits for retrieval, which holds 5 % of the time or more."""
    refusal = small(evidence, ("retrieval",), 0.05)
    if refusal:
        return refusal
    before, prefill = _before(evidence), prefill_ns(evidence)
    if not (before > 0).any():
        return Not("retrieval_elsewhere", weight(evidence, "retrieval"))
    if not (prefill[before > 0] > 0).any():
        return Lacks("engine_marks")
    both = (before > 0) & (prefill > 0)
    figures = {**weight(evidence, "retrieval"), "prefill_ns": int(np.median(prefill[both]))}
    return Applies("retrieval_first", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Prefill loses its fixed part, as far as retrieval lasts that long."""
    static = level["static_share"] * prefill_ns(evidence)
    nodes = np.zeros(evidence.model.nodes)
    nodes[evidence.call_node] = np.minimum(static, _before(evidence))
    return shorten("prefill", nodes)
