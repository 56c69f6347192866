"""Have container images on the nodes before they are needed."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import removed
from analysis.replay.model import Mask
from analysis.replay.scenario import Scenario, scale_spans

TECHNIQUE = Technique(
    id="image_prepull",
    layer="control",
    frees="autoscale_cold_start",
    effort_days=(1, 4),
    risk="low",
    needs=("node_agent",),
    sources=("slacker",),
    assumes=(Assumption("removed", 0.3, 0.6, 0.9),),
)


def _pulls(evidence: Evidence) -> Mask:
    return evidence.named(r"\bpull|image.?pull|containercreating") & evidence.in_stage(
        "autoscale_cold_start", "pod_gpu_runtime"
    )


def applies(evidence: Evidence) -> Verdict:
    """Where requests wait for an image to be pulled."""
    if not len(evidence.busy_requests("autoscale_cold_start", "pod_gpu_runtime")):
        return Not("stage_absent", {"stage": "autoscale_cold_start"})
    pulls = _pulls(evidence)
    if not pulls.any():
        return Lacks("pull_spans")
    p50 = int(np.median(evidence.lengths_ns[pulls]))
    return Applies("images_pulled", {"pulls": int(pulls.sum()), "p50_ns": p50})


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Pulls shrink."""
    return scale_spans(_pulls(evidence), removed(level))
