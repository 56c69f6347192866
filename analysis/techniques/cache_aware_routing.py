"""Send a conversation to the replica that holds its cache."""

from collections import defaultdict

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import no_engine, on_calls, saved_prefill, weight
from analysis.replay.model import UNKNOWN
from analysis.replay.scenario import Scenario, shorten

TECHNIQUE = Technique(
    id="cache_aware_routing",
    layer="scheduling",
    frees="prefill",
    effort_days=(3, 12),
    risk="medium",
    needs=("prefix_caching_on",),
    subsumes=("queue_aware_lb",),
    sources=("eks", "smg", "sglang04", "llmd"),
    assumes=(Assumption("hit_share", 0.3, 0.5, 0.8),),
)
KEYS = (
    "gen_ai.conversation.id",
    "session.id",
    "conversation.id",
    "thread.id",
    "langfuse.session.id",
)


def _sessions(evidence: Evidence) -> tuple[int, int, list[int]]:
    """Conversations with two calls or more, those spread over replicas, and their later calls."""
    turns = defaultdict(list)
    for row in np.argsort(evidence.call("start_ns"), kind="stable"):
        session = evidence.attribute(*KEYS, node=int(evidence.call_node[row]))
        if session:
            turns[str(session)].append(int(row))
    several = [rows for rows in turns.values() if len(rows) > 1]
    spread = [rows for rows in several if len({evidence.call_host[row] for row in rows}) > 1]
    return len(several), len(spread), [row for rows in spread for row in rows[1:]]


def applies(evidence: Evidence) -> Verdict:
    """Where over 30 % of the conversations change replicas and most input is not cached."""
    refusal = no_engine(evidence, ("prefill",), 0.02)
    if refusal:
        return refusal
    if len(set(evidence.call_host) - {""}) < 2:
        named = any(evidence.call_host)
        return Not("one_replica", {"replicas": 1}) if named else Lacks("replica_names")
    several, spread, _ = _sessions(evidence)
    if not several:
        return Lacks("conversations")
    figures = {**weight(evidence, "prefill"), "spread_share": spread / several}
    return Applies("cache_missed", figures) if spread > 0.3 * several else Not("sticky", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Later turns of spread conversations find `hit_share` of their input in the cache."""
    later = np.zeros(len(evidence.calls), bool)
    later[_sessions(evidence)[2]] = True
    sent = evidence.call("input_tokens")
    cached = np.maximum(evidence.call("cached_tokens"), 0)
    gained = np.where(later & (sent != UNKNOWN), level["hit_share"] * sent - cached, 0.0)
    saved = saved_prefill(evidence, np.maximum(gained, 0.0))
    return shorten("prefill", on_calls(evidence, saved, 0.0))
