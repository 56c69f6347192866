"""Keep connections open, so that few requests pay for DNS, TCP and TLS."""

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import weight
from analysis.replay.scenario import Scenario, scale

TECHNIQUE = Technique(
    id="connection_reuse",
    layer="client",
    frees="connection_setup",
    effort_days=(0.5, 3),
    risk="low",
    needs=("idle_timeouts_aligned",),
    subsumes=("tls13_0rtt",),
    sources=("rubyoa", "tls"),
    assumes=(Assumption("new_left_share", 0.3, 0.1, 0.02),),
)


def applies(evidence: Evidence) -> Verdict:
    """Where more than 5 % of the requests wait for a new connection."""
    figures = weight(evidence, "connection_setup")
    if not figures["requests"]:
        return Lacks("connection_spans")
    if float(figures["requests_share"]) <= 0.05:
        return Not("connections_reused", figures)
    return Applies("connections_opened", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Set-up shrinks in proportion, until `new_left_share` of the requests open one."""
    opened = float(weight(evidence, "connection_setup")["requests_share"])
    return scale("connection_setup", min(level["new_left_share"] / opened, 1.0))
