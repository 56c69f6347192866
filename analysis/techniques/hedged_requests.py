"""Ask a second time when a lookup takes unusually long, and take the first answer."""

import numpy as np

from analysis.advice.evidence import Evidence, Numbers
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.replay.scenario import Scenario, scale_spans

TECHNIQUE = Technique(
    id="hedged_requests",
    layer="scheduling",
    frees="retrieval",
    effort_days=(3, 10),
    risk="medium",
    needs=("idempotent_calls", "cancellable_calls", "spare_capacity"),
    sources=("tail",),
    assumes=(Assumption("independent_share", 0.5, 0.8, 0.95),),
)
STAGES = ("retrieval", "tools", "datastore", "embedding_rerank")
WRITES = r"insert|update|delete|write|commit|save|create|send|post\b"
LEAST = 40
TAIL = 4.0


def _targets(evidence: Evidence) -> tuple[Numbers, list[str]]:
    """Per node ns above its name's p95 + median (0: not hedged), and the names hedged."""
    excess, chosen = np.zeros(evidence.model.nodes), []
    calls = evidence.in_stage(*STAGES) & evidence.on_path & ~evidence.named(WRITES)
    leaves = np.asarray([not kids for kids in evidence.model.children], dtype=bool)
    for name in sorted(set(evidence.span_names[calls & leaves])):
        rows = np.nonzero(calls & leaves & (evidence.span_names == name))[0]
        lengths = evidence.lengths_ns[rows]
        p50, p95 = np.percentile(lengths, [50, 95])
        if len(rows) >= LEAST and p95 > TAIL * p50:
            excess[rows] = np.maximum(lengths - (p95 + p50), 0.0)
            chosen.append(str(name))
    return excess, chosen


def applies(evidence: Evidence) -> Verdict:
    """Where a lookup of one name, seen 40 times or more, has a p95 over 4 times its median."""
    excess, names = _targets(evidence)
    if not names:
        return Not("tails_short", {"tail_ratio": TAIL})
    slow = excess[excess > 0]
    excess_ns = int(np.mean(slow)) if len(slow) else 0
    figures = {"names": len(names), "calls": len(slow), "excess_ns": excess_ns}
    return Applies("tails_long", {**figures, "name": names[0]})


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """A call that outlasts p95 ends a median later, as far as slowness does not repeat."""
    excess, _ = _targets(evidence)
    left = 1.0 - level["independent_share"] * excess / np.maximum(evidence.lengths_ns, 1)
    return scale_spans(excess > 0, left)
