"""Rerank fewer candidates, or with a smaller model."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed
from analysis.replay.model import Mask
from analysis.replay.scenario import Scenario, scale_spans

TECHNIQUE = Technique(
    id="reranker_trim",
    layer="application",
    frees="embedding_rerank",
    effort_days=(1, 5),
    risk="low",
    needs=("retrieval_metric",),
    sources=("sbert",),
    assumes=(Assumption("removed", 0.5, 0.8, 0.96, "derived"),),
)
COUNT_KEYS = ("reranker.input_documents.count", "rerank.candidates", "rerank.documents", "top_n")
FEW = 20


def _reranks(evidence: Evidence) -> Mask:
    return evidence.named(r"re-?rank|cross.?encoder") & evidence.in_stage(
        "embedding_rerank", "retrieval"
    )


def applies(evidence: Evidence) -> Verdict:
    """Where reranking holds 5 % of all time and is not known to see few candidates."""
    found = np.nonzero(_reranks(evidence) & evidence.on_path)[0]
    if not len(found):
        return Not("no_rerank")
    share = float(evidence.lengths_ns[found].sum() / max(evidence.model.e2e_ns.sum(), 1))
    figures = {"reranks": len(found), "rerank_share": share, "least_share": 0.05}
    figures["p95_ns"] = int(np.percentile(evidence.lengths_ns[found], 95))
    if share < figures["least_share"]:
        return Not("rerank_small", figures)
    counts = [evidence.attribute(*COUNT_KEYS, node=int(node)) for node in found]
    known = [float(count) for count in counts if isinstance(count, int | float)]
    if known and np.median(known) < FEW:
        return Not("candidates_few", {"candidates": int(np.median(known))})
    return Applies("rerank_long", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Reranking shrinks with the documents scored per second, or with the candidates."""
    return scale_spans(_reranks(evidence), removed(level))
