"""Keep calls between services inside one zone."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed, small, weight
from analysis.replay.model import Mask
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="topology_routing",
    layer="runtime",
    frees="internal_network",
    effort_days=(1, 4),
    risk="low",
    needs=("balanced_zones",),
    sources=("az",),
    assumes=(Assumption("removed", 0.3, 0.6, 0.9),),
)
ZONE_KEYS = ("cloud.availability_zone", "topology.kubernetes.io/zone", "k8s.node.zone", "zone")


def _zone(evidence: Evidence, node: int) -> str | None:
    zone = evidence.attribute(*ZONE_KEYS, node=node)
    return str(zone) if zone else None


def _crossings(evidence: Evidence) -> tuple[Mask, bool]:
    """Network spans with a child in another zone; whether any zone is known."""
    found, known = np.zeros(evidence.model.nodes, bool), False
    for node in np.nonzero(evidence.in_stage("internal_network"))[0]:
        here = _zone(evidence, int(node))
        there = {_zone(evidence, kid) for kid in evidence.model.children[node]} - {None}
        known = known or bool(here and there)
        found[node] = bool(here) and bool(there - {here})
    return found, known


def applies(evidence: Evidence) -> Verdict:
    """Where calls cross zones and the network between services holds 1 % of the time."""
    refusal = small(evidence, ("internal_network",), 0.01)
    if refusal:
        return refusal
    crossings, known = _crossings(evidence)
    if not known:
        return Lacks("zones")
    figures = {"hops": int(crossings.sum()), **weight(evidence, "internal_network")}
    return Applies("zones_crossed", figures) if crossings.any() else Not("zones_kept", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The wire of the hops that cross zones shrinks."""
    return scale("internal_network", removed(level), _crossings(evidence)[0])
