"""Shorten the TLS handshake: version 1.3, resumption, early data."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed
from analysis.replay.model import Mask
from analysis.replay.scenario import Scenario, scale_spans

TECHNIQUE = Technique(
    id="tls13_0rtt",
    layer="client",
    frees="connection_setup",
    effort_days=(0.5, 3),
    risk="low",
    needs=("edge_support",),
    sources=("tls",),
    assumes=(Assumption("removed", 0.25, 0.5, 1.0, "derived"),),
)


def _handshakes(evidence: Evidence) -> Mask:
    return evidence.named(r"\b(tls|ssl)") & evidence.in_stage("connection_setup")


def applies(evidence: Evidence) -> Verdict:
    """Where TLS handshakes are on the path and none says that it is 1.3 already."""
    found = np.nonzero(_handshakes(evidence) & evidence.on_path)[0]
    if not len(found):
        return Lacks("tls_spans")
    keys = ("tls.protocol.version", "tls.version", "network.protocol.tls_version")
    modern = [str(evidence.attribute(*keys, node=int(n)) or "").endswith("1.3") for n in found]
    figures = {"handshakes": len(found), "p50_ns": int(np.median(evidence.lengths_ns[found]))}
    return Not("tls_modern", figures) if all(modern) else Applies("handshakes", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """1.2 to 1.3 takes one of two round trips away, early data the other."""
    return scale_spans(_handshakes(evidence), removed(level))
