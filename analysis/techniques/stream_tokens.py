"""Show the answer as it is written."""

import numpy as np

from analysis.advice.evidence import Evidence, Numbers
from analysis.advice.technique import Applies, Assumption, Lacks, Level, Not, Technique, Verdict
from analysis.replay.model import UNKNOWN
from analysis.replay.scenario import Scenario

TECHNIQUE = Technique(
    id="stream_tokens",
    layer="application",
    frees="decode",
    effort_days=(1, 5),
    risk="low",
    needs=("hops_pass_chunks",),
    sources=("openai-lat",),
    assumes=(Assumption("hidden_share", 0.9, 0.99, 1.0, "derived"),),
)
MACHINE = {"json", "json_object", "json_schema"}
KEYS = ("gen_ai.output.type", "gen_ai.openai.request.response_format", "llm.response_format")


def _last_calls(evidence: Evidence) -> list[int]:
    """Rows of the last call of each request, where it is not streamed and a person reads it."""
    last: dict[int, int] = {}
    for row in np.argsort(evidence.call("end_ns"), kind="stable"):
        last[int(evidence.call_request[row])] = int(row)
    flags = evidence.calls["streaming"].tolist()
    whole = [row for row in last.values() if flags[row] is False]
    nodes = evidence.call_node
    kinds = {row: evidence.attribute(*KEYS, node=int(nodes[row])) for row in whole}
    return [row for row in whole if str(kinds[row]).lower() not in MACHINE]


def _decode(evidence: Evidence) -> Numbers:
    """Per call its decode: as marked, else tokens at the model's fitted pace; NaN unknown."""
    marked, tokens = evidence.call("decode_ns"), evidence.call("output_tokens")
    pace = evidence.per_token_ns(tokens, evidence.call_ns)
    fitted = np.minimum(pace * np.maximum(tokens - 1, 0), evidence.call_ns)
    return np.where(marked != UNKNOWN, marked, fitted)


def applies(evidence: Evidence) -> Verdict:
    """Where answers that people read arrive at once."""
    flags = evidence.calls["streaming"].tolist()
    if not any(flag is False for flag in flags):
        known = any(flag is True for flag in flags)
        return Not("already_streaming") if known else Lacks("stream_flag")
    rows = _last_calls(evidence)
    if not rows:
        return Not("machine_reads")
    hidden = _decode(evidence)[rows]
    if np.isnan(hidden).all():
        return Lacks("first_token")
    figures = {"requests": len(rows), "hidden_ns": int(np.nanmedian(hidden))}
    return Applies("answers_at_once", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """The first token is seen as long before the end as the last call decodes."""
    hidden, rows = np.full(len(evidence.requests), np.nan), _last_calls(evidence)
    hidden[evidence.call_request[rows]] = _decode(evidence)[rows] * level["hidden_share"]
    return Scenario((), hidden)
