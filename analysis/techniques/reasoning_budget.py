"""Bound hidden reasoning."""

import numpy as np

from analysis.advice.evidence import Evidence, Numbers
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import on_calls
from analysis.replay.scenario import Scenario, Tokens, scale

TECHNIQUE = Technique(
    id="reasoning_budget",
    layer="application",
    frees="decode",
    effort_days=(1, 5),
    risk="medium",
    needs=("quality_gate",),
    sources=("ccot", "cod"),
    assumes=(Assumption("cut_share", 0.2, 0.49, 0.9, "published"),),
)
KEYS = (
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.reasoning_tokens",
    "gen_ai.usage.output_tokens_details.reasoning",
    "llm.token_count.completion_details.reasoning",
    "llm.usage.reasoning_tokens",
    "ai.usage.reasoningTokens",
)


def _shares(evidence: Evidence) -> Numbers | None:
    """Per call the share of its output that is reasoning; None where no call says."""
    told = [evidence.attribute(*KEYS, node=int(node)) for node in evidence.call_node]
    if all(number is None for number in told):
        return None
    hidden = np.asarray([float(n) if isinstance(n, int | float) else 0.0 for n in told])
    return np.clip(hidden / np.maximum(evidence.call("output_tokens"), 1), 0.0, 1.0)


def applies(evidence: Evidence) -> Verdict:
    """Where over half of the output of calls that reason is reasoning."""
    shares = _shares(evidence)
    if shares is None:
        return Lacks("reasoning_tokens")
    typical = float(np.median(shares[shares > 0])) if (shares > 0).any() else 0.0
    figures = {"reasoning_share": typical, "calls": int((shares > 0).sum())}
    return Applies("reasoning_long", figures) if typical > 0.5 else Not("reasoning_short", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The reasoning part of each call's tokens shrinks, and its time with it."""
    shares = _shares(evidence)
    left = 1.0 - level["cut_share"] * (0.0 if shares is None else shares)
    by_request = np.ones(len(evidence.requests))
    answers = evidence.calls["answer"].to_numpy(bool)
    by_request[evidence.call_request[answers]] = np.broadcast_to(left, answers.shape)[answers]
    changed = on_calls(evidence, np.broadcast_to(left, answers.shape), 1.0)
    return scale(("decode", "model"), changed) + Scenario((Tokens(by_request),))
