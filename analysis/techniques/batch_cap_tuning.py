"""Set how many requests one replica runs at once."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import (
    call_mask,
    no_engine,
    no_queue,
    on_calls,
    queue_factor,
    weight,
)
from analysis.replay.model import Mask
from analysis.replay.scenario import Delay, Scenario, Shorten, scale

TECHNIQUE = Technique(
    id="batch_cap_tuning",
    layer="scheduling",
    frees="request_queue",
    effort_days=(0.5, 2),
    risk="low",
    needs=("load_test",),
    sources=("vllm-opt", "queue"),
    assumes=(
        Assumption("cap_change", 0.1, 0.25, 0.5),
        Assumption("removed", 0.0, 0.15, 0.4),
        Assumption("queued_share", 0.9, 0.6, 0.3),
    ),
)
RISES = 1.5


def _crowded(evidence: Evidence) -> tuple[Mask, float] | None:
    """Calls in the busiest third, and their time per token over that of the quietest third."""
    decode, tokens = evidence.call("decode_ns"), evidence.call("output_tokens")
    usable, running = (decode > 0) & (tokens > 1), evidence.concurrency
    if usable.sum() < 30:
        return None
    low, high = np.percentile(running[usable], [33, 67])
    pace = decode / np.maximum(tokens - 1, 1)
    quiet, busy = usable & (running <= low), usable & (running >= high)
    if high <= low or not quiet.any() or not busy.any():
        return None
    return busy, float(np.median(pace[busy]) / np.median(pace[quiet]))


def applies(evidence: Evidence) -> Verdict:
    """Where tokens slow down in a crowd, or requests queue although they do not."""
    refusal = no_engine(evidence, ("decode",), 0.0)
    if refusal:
        return refusal
    crowded, queue = _crowded(evidence), no_queue(evidence)
    if crowded is None:
        return Lacks("many_loads")
    figures = {**weight(evidence, "request_queue"), "pace_ratio": crowded[1]}
    if crowded[1] >= RISES:
        return Applies("tokens_slow_in_crowd", figures)
    return Not("batch_fits", figures) if queue else Applies("queue_with_room", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """Raise the cap where tokens keep their pace (the queue shrinks, decode grows a little), else
    lower it (crowded calls decode faster, and wait for part of what they save)."""
    busy, ratio = _crowded(evidence) or (np.zeros(len(evidence.calls), bool), 1.0)
    change = level["cap_change"]
    if ratio < RISES:
        left = queue_factor(evidence, 1.0 + change, level["removed"])
        return scale("request_queue", left) + scale("decode", 1.0 + max(ratio - 1.0, 0.0) * change)
    decode = np.maximum(evidence.call("decode_ns"), 0)
    saved = np.where(busy, decode * (1.0 - 1.0 / ratio) * 2 * change, 0.0)
    nodes = on_calls(evidence, np.minimum(saved, decode), 0.0)
    wait = Delay(call_mask(evidence, busy), nodes * level["queued_share"])
    return Scenario((Shorten(("decode",), nodes), wait))
