"""Answer DNS lookups on the node, and ask for full names."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed
from analysis.replay.model import Mask
from analysis.replay.scenario import Scenario, scale_spans

TECHNIQUE = Technique(
    id="dns_tuning",
    layer="runtime",
    frees="connection_setup",
    effort_days=(0.5, 2),
    risk="low",
    needs=("cluster_admin",),
    sources=("nodelocal",),
    assumes=(Assumption("removed", 0.5, 0.8, 1.0),),
)


def _lookups(evidence: Evidence) -> Mask:
    return evidence.named(r"\bdns\b|dns[._]|lookup|getaddrinfo") & evidence.in_stage(
        "connection_setup"
    )


def applies(evidence: Evidence) -> Verdict:
    """Where lookups on the path take over 5 ms at p95."""
    found = _lookups(evidence) & evidence.on_path
    if not found.any():
        return Lacks("dns_spans")
    p95 = int(np.percentile(evidence.lengths_ns[found], 95))
    figures = {"lookups": int(found.sum()), "p95_ns": p95}
    return Applies("lookups_slow", figures) if p95 > 5_000_000 else Not("lookups_quick", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Lookups shrink."""
    return scale_spans(_lookups(evidence), removed(level))
