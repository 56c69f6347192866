"""Move KV caches between servers over RDMA."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Technique, Verdict
from analysis.advice.technique_parts import removed, small, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="rdma_mtu",
    layer="runtime",
    frees="kv_transfer",
    effort_days=(3, 15),
    risk="medium",
    needs=("rdma_fabric",),
    sources=("vllm-pd",),
    assumes=(Assumption("removed", 0.0, 0.3, 0.8),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where moving KV caches holds over 5 % of the time."""
    return small(evidence, ("kv_transfer",), 0.05) or Applies(
        "stage_large", weight(evidence, "kv_transfer")
    )


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Transfers shrink with the bandwidth."""
    return scale("kv_transfer", removed(level))
