"""Serve users over HTTP/3 (QUIC)."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="http3",
    layer="client",
    frees="client_network",
    effort_days=(1, 5),
    risk="low",
    needs=("edge_support",),
    subsumes=("tls13_0rtt",),
    sources=("quic", "tls"),
    assumes=(Assumption("removed", 0.0, 0.08, 0.33, "published"),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where the users' network is uneven: p95 over twice the median, or the median over 60 ms."""
    busy = evidence.busy_requests("client_network")
    if not len(busy):
        return Lacks("client_timing")
    p50, p95 = np.percentile(busy, [50, 95])
    figures = weight(evidence, "client_network")
    even = p95 <= 2 * p50 and p50 <= 60_000_000
    return Not("network_even", figures) if even else Applies("network_uneven", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The client's network shrinks by the measured effect on web searches."""
    return scale("client_network", removed(level))
