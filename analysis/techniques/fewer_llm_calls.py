"""Merge or drop model calls that only prepare the answer."""

import numpy as np

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import call_mask
from analysis.replay.model import Mask
from analysis.replay.scenario import Scenario, remove

TECHNIQUE = Technique(
    id="fewer_llm_calls",
    layer="application",
    frees="decode",
    effort_days=(3, 15),
    risk="medium",
    needs=("evaluation_set",),
    sources=("openai-lat",),
    assumes=(Assumption("dropped_share", 0.1, 0.25, 0.5),),
)


def _helpers(evidence: Evidence) -> Mask:
    """Calls on the path that end before their request's last call starts."""
    start, end = evidence.call("start_ns"), evidence.call("end_ns")
    on_path = evidence.calls["on_path"].to_numpy(bool)
    last = np.full(len(evidence.requests), -1, np.int64)
    np.maximum.at(last, evidence.call_request[on_path], start[on_path])
    return np.asarray(on_path & (end <= last[evidence.call_request]), dtype=bool)


def applies(evidence: Evidence) -> Verdict:
    """Where over 10 % of the requests wait for two calls before the last, or for one short one."""
    helpers, counted = _helpers(evidence), evidence.counted
    if not helpers.any():
        return Not("single_call")
    many = np.bincount(evidence.call_request[helpers], minlength=len(counted))
    spent = np.bincount(
        evidence.call_request[helpers], evidence.call_ns[helpers], minlength=len(counted)
    )
    chained = counted & ((many >= 2) | ((many == 1) & (spent < 0.3 * evidence.model.e2e_ns)))
    figures = {
        "requests": int(chained.sum()),
        "requests_share": float(chained.sum() / max(counted.sum(), 1)),
        "calls": int(helpers.sum()),
        "calls_share": float(spent[counted].sum() / max(evidence.model.e2e_ns[counted].sum(), 1)),
    }
    return (
        Applies("calls_chained", figures)
        if figures["requests_share"] > 0.1
        else Not("chains_rare", figures)
    )


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """A part of the preparing calls, always the same ones, is gone."""
    calls = evidence.calls
    names = [f"{t}/{k}" for t, k in zip(calls["trace_id"], calls["key"], strict=True)]
    dropped = evidence.drawn(names, level["dropped_share"], TECHNIQUE.id)
    return remove(call_mask(evidence, _helpers(evidence) & dropped))
