"""Run the mesh without sidecars."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Technique, Verdict
from analysis.advice.technique_parts import removed, small, weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="mesh_ambient",
    layer="runtime",
    frees="mesh_sidecar",
    effort_days=(5, 20),
    risk="medium",
    needs=("mesh_upgrade", "policy_review"),
    sources=("istio",),
    assumes=(Assumption("removed", 0.25, 0.6, 0.93),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where sidecars hold over 2 % of the time; one or two hops do not."""
    return small(evidence, ("mesh_sidecar",), 0.02) or Applies(
        "stage_large", weight(evidence, "mesh_sidecar")
    )


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Each hop's proxy time shrinks."""
    return scale("mesh_sidecar", removed(level))
