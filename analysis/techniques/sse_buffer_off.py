"""Stop proxies from holding a stream back."""

import numpy as np

from analysis.advice.evidence import Evidence, Numbers
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.replay.scenario import Deliver, Scenario

TECHNIQUE = Technique(
    id="sse_buffer_off",
    layer="access",
    frees="api_gateway",
    effort_days=(0.5, 1),
    risk="low",
    needs=("proxy_settings",),
    sources=("nginx",),
    assumes=(Assumption("removed", 0.5, 0.9, 1.0),),
)


def _delivery(evidence: Evidence) -> tuple[Numbers, float]:
    """Per request ns from the engine's first token to the reader's; the quickest 5 % of them."""
    delay = evidence.model.delivery_ns.astype(np.float64)
    timed = delay[evidence.counted & (delay > 0)]
    return delay, float(np.percentile(timed, 5)) if len(timed) else 0.0


def applies(evidence: Evidence) -> Verdict:
    """Where the reader's first token comes over 50 ms, and 5 % of TTFT, after the engine's."""
    delay, floor = _delivery(evidence)
    timed = evidence.counted & (delay > 0)
    if not timed.any():
        return Lacks("first_token_twice")
    held, ttft = np.median(delay[timed] - floor), np.median(evidence.model.ttft_ns[timed])
    figures = {
        "requests": int(timed.sum()),
        "delivery_ns": int(np.median(delay[timed])),
        "floor_ns": int(floor),
        "ttft_share": float(held / ttft),
    }
    if held < 50_000_000 or held < 0.05 * ttft:
        return Not("tokens_pass", figures)
    return Applies("tokens_held", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """What is above the quickest delivery goes; that much is the wire's."""
    delay, floor = _delivery(evidence)
    held = np.maximum(delay - floor, 0.0)
    return Scenario((Deliver(delay - level["removed"] * held),))
