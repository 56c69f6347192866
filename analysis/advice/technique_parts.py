"""Checks and arrays that several techniques share."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from analysis.advice.evidence import Evidence, Numbers
from analysis.advice.technique import Lacks, Level, Not
from analysis.replay.model import UNKNOWN, Mask

QUANTISED: Final = re.compile(r"fp8|fp4|int8|int4|awq|gptq|gguf|w8a8|w4a16|bnb|q4_|q8_", re.I)
NO_FP8: Final = re.compile(r"\b(A10G?|A30|A40|A100|T4|V100|P100|P40|RTX ?[23]0\d0|A6000)\b")
GPU_KEYS: Final = ("gpu.name", "gpu.model", "hw.gpu.model", "hw.model", "nvidia.gpu.name")

PREPARES: Final = (
    "app_logic", "pre_post_processing", "retrieval", "datastore", "embedding_rerank", "guardrails",
    "internal_network", "connection_setup", "unattributed",
)  # fmt: skip
"""Stages that may stand between a check or a retrieval and the call for which it is made."""

MOST_STEPS: Final = 8

QUEUE_LEAST_NS: Final = 20_000_000
QUEUE_LEAST_SHARE: Final = 0.02


def small(evidence: Evidence, stages: tuple[str, ...], least: float) -> Not | None:
    """A refusal where the stages hold no time at all, or less than `least` of it."""
    share, whole = evidence.share_of(*stages)
    figures: dict[str, float | str] = {
        "stage": "+".join(stages),
        "stage_share": share,
        "whole": whole,
    }
    if share == 0.0:
        return Not("stage_absent", figures)
    if share < least:
        return Not("stage_small", {**figures, "least_share": least})
    return None


def weight(evidence: Evidence, *stages: str) -> dict[str, int | float | str]:
    """Figures on what the stages cost: their share, and p50, p95 and count where they occur."""
    busy = evidence.busy_requests(*stages)
    p50, p95 = np.percentile(busy, [50, 95]) if len(busy) else (0, 0)
    share, whole = evidence.share_of(*stages)
    return {
        "stage": "+".join(stages),
        "stage_share": share,
        "whole": whole,
        "p50_ns": int(p50),
        "p95_ns": int(p95),
        "requests": len(busy),
        "requests_share": len(busy) / max(int(evidence.counted.sum()), 1),
    }


def no_queue(evidence: Evidence) -> Not | Lacks | None:
    """A refusal where no queue is seen, or none that is worth shortening."""
    busy = evidence.busy_requests("request_queue")
    if not len(busy):
        seen = (evidence.call("queue_ns") != UNKNOWN).any()
        return Not("stage_absent", {"stage": "request_queue"}) if seen else Lacks("queue_marks")
    figures = weight(evidence, "request_queue")
    share = evidence.share("request_queue")
    if share < QUEUE_LEAST_SHARE and np.percentile(busy, 95) < QUEUE_LEAST_NS:
        return Not("queue_small", figures)
    return None


def no_engine(evidence: Evidence, stages: tuple[str, ...], least: float) -> Not | Lacks | None:
    """A refusal where the engine is not the user's, is not seen, or takes little time."""
    if evidence.operator == "provider":
        return Not("hosted_model")
    if not evidence.total_ns("prefill", "decode").any():
        return Lacks("engine_marks")
    return small(evidence, stages, least)


def no_precision(evidence: Evidence) -> Not | None:
    """A refusal where the model's name says that its weights are small numbers already."""
    for name in sorted(evidence.calls["model"].dropna().unique()):
        if QUANTISED.search(name):
            return Not("already_quantised", {"model": name})
    return None


def gpu_name(evidence: Evidence) -> str:
    """The GPU that spans or metrics name, "" where none does."""
    for node in evidence.call_node:
        name = evidence.attribute(*GPU_KEYS, node=int(node))
        if name:
            return str(name)
    labels = evidence.metrics.get("labels", ())
    found = (re.search(r'"(?:modelName|gpu_name|gpu_model)": ?"([^"]+)"', text) for text in labels)
    return next((match.group(1) for match in found if match), "")


def queue_factor(evidence: Evidence, slots_ratio: float, removed: float) -> float:
    """What is left of a wait with `slots_ratio` times the slots.

    By Allen-Cunneen where that formula explains today's wait, else `1 - removed`.
    """
    load = evidence.load
    if load is None or not load.explains:
        return 1.0 - removed
    return load.ratio(load.slots * slots_ratio)


def call_mask(evidence: Evidence, rows: Mask) -> Mask:
    """Nodes of these calls."""
    found = np.zeros(evidence.model.nodes, bool)
    found[evidence.call_node[rows]] = True
    return found


def on_calls(evidence: Evidence, values: Numbers, rest: float) -> Numbers:
    """A number per call -> a number per node, `rest` on all other nodes."""
    spread = np.full(evidence.model.nodes, rest)
    spread[evidence.call_node] = values
    return spread


def holds_call(evidence: Evidence) -> Mask:
    """Nodes that are a model call or wait for one."""
    found, parent = np.zeros(evidence.model.nodes, bool), evidence.model.parent
    for call in evidence.call_node:
        node = int(call)
        while node >= 0 and not found[node]:
            found[node] = True
            node = parent[node]
    return found


def follower(evidence: Evidence, node: int) -> int:
    """The first sibling that, by its times, was released by this node's end; -1 without."""
    model = evidence.model
    above = model.parent[node]
    if above < 0:
        return -1
    for kid in model.children[above]:
        waits = model.waits[kid]
        if waits and model.by_end[above][waits - 1] == node:
            return kid
    return -1


def first_calls(evidence: Evidence) -> dict[int, int]:
    """Node -> the row of the first call that it is or waits for."""
    found: dict[int, int] = {}
    parent = evidence.model.parent
    for row in np.argsort(evidence.call("start_ns"), kind="stable"):
        node = int(evidence.call_node[row])
        while node >= 0 and node not in found:
            found[node] = int(row)
            node = parent[node]
    return found


def next_call(evidence: Evidence, node: int, first: dict[int, int]) -> int:
    """The sibling with a model call to which this node leads, past preparing siblings; -1."""
    for _step in range(MOST_STEPS):
        node = follower(evidence, node)
        if node < 0 or node in first:
            return node
        if evidence.stages[innermost(evidence, node)] not in PREPARES:
            return -1
    return -1


def between(evidence: Evidence, first: int, last: int) -> list[int]:
    """Siblings that start after one of them has ended, up to another one, itself included."""
    start, ended = evidence.model.start, evidence.model.end[first]
    kids = evidence.model.children[evidence.model.parent[first]]
    return [kid for kid in kids if ended <= start[kid] <= start[last]]


def outermost(evidence: Evidence, node: int) -> int:
    """The ancestor up to which this node is its parent's only child (a client around a server)."""
    model = evidence.model
    above = model.parent[node]
    while above >= 0 and model.parent[above] >= 0 and len(model.children[above]) == 1:
        node, above = above, model.parent[above]
    return node


def innermost(evidence: Evidence, node: int) -> int:
    """The descendant reached through only children."""
    children = evidence.model.children
    while len(children[node]) == 1:
        node = children[node][0]
    return node


def prefill_ns(evidence: Evidence) -> Numbers:
    """The prefill of every call, 0 where it is not known."""
    return np.maximum(evidence.call("prefill_ns"), 0).astype(np.float64)


def saved_prefill(evidence: Evidence, tokens_removed: Numbers) -> Numbers:
    """Prefill time per call that so many fewer uncached tokens save.

    By the fitted time per token of the call's model, else in proportion within the call; never
    more than the call's prefill.
    """
    held, tokens = prefill_ns(evidence), evidence.uncached_tokens
    slope = evidence.per_token_ns(tokens, evidence.call("prefill_ns"))
    own = held / np.maximum(tokens, 1)
    return np.minimum(np.where(np.isnan(slope), own, slope) * tokens_removed, held)


def removed(level: Level) -> float:
    """What is left of a stage of which a technique removes `removed`."""
    return 1.0 - level["removed"]
