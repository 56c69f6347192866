"""Meet users nearer: an edge location or a second region."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed, small, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="edge_pop",
    layer="client",
    frees="client_network",
    effort_days=(3, 20),
    risk="medium",
    needs=("second_location", "residency_check"),
    sources=("tls",),
    assumes=(Assumption("removed", 0.1, 0.4, 0.7),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where the median request spends over 60 ms, and 3 % of its time, in the users' network."""
    busy = evidence.busy_requests("client_network")
    if not len(busy):
        return Lacks("client_timing")
    figures = weight(evidence, "client_network")
    if np.median(busy) <= 60_000_000:
        return Not("network_short", figures)
    return small(evidence, ("client_network",), 0.03) or Applies("network_long", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The client's network shrinks with the distance."""
    return scale("client_network", removed(level))
