"""Let people go before batch work."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_queue, on_calls, weight
from analysis.replay.model import Mask
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="priority_admission",
    layer="scheduling",
    frees="request_queue",
    effort_days=(2, 8),
    risk="medium",
    needs=("class_label", "shed_policy"),
    sources=("sre", "queue"),
    assumes=(Assumption("utilisation", 0.5, 0.7, 0.9),),
)
KEYS = ("priority", "request.priority", "llm.request.priority", "traffic.class", "request.class")
URGENT = ("interactive", "high", "realtime", "user", "0")


def _urgent(evidence: Evidence) -> tuple[Mask, int]:
    """Calls of the urgent class, and how many calls name a class at all."""
    named = [evidence.attribute(*KEYS, node=int(node)) for node in evidence.call_node]
    urgent = np.asarray([str(name).lower() in URGENT for name in named], dtype=bool)
    return urgent, sum(name is not None for name in named)


def applies(evidence: Evidence) -> Verdict:
    """Where calls of two classes wait in one queue and some are not urgent."""
    refusal = no_queue(evidence)
    if refusal:
        return refusal
    urgent, named = _urgent(evidence)
    if not named:
        return Lacks("request_class")
    figures = {**weight(evidence, "request_queue"), "urgent_share": float(urgent.mean())}
    mixed = urgent.any() and not urgent.all()
    return Applies("classes_mixed", figures) if mixed else Not("one_class", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The urgent wait W0/(1-rho_urgent); all together wait as long as before, so others more."""
    urgent = _urgent(evidence)[0]
    rho = level["utilisation"]
    if evidence.load is not None and evidence.load.explains:
        rho = min(evidence.load.utilisation, 0.95)
    part = float(urgent.mean())
    first = (1 - rho) / (1 - rho * part)
    last = (1 - part * first) / (1 - part)
    return scale("request_queue", on_calls(evidence, np.where(urgent, first, last), 1.0))
