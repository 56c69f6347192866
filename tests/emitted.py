"""Spans as emitters write them, and awkward traces made of them: `emitted_rows()`."""

import json
from typing import Any

from builders import MS, T0, row
from hypothesis import strategies as st
from strategies import trace_rows

CHAT: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
TOKENS = {"gen_ai.usage.input_tokens": 900, "gen_ai.usage.output_tokens": 51}
FIRST_EVENT = "First Token Stream Event"
VLLM = {
    "gen_ai.latency.time_in_queue": 0.004,
    "gen_ai.latency.time_in_model_prefill": 0.01,
    "gen_ai.latency.time_in_model_decode": 0.02,
    "gen_ai.latency.time_to_first_token": 0.015,
}
SPANS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("work", {}),
    ("retrieve", {}),
    ("POST", {"http.request.method": "POST", "url.path": "/v1/chat"}),
    ("POST", {"http.request.method": "POST", "http.response.status_code": 503}),
    ("POST", {"http.request.method": "POST", "http.request.resend_count": 1}),
    ("chat m", CHAT | TOKENS | {"gen_ai.response.time_to_first_chunk": 0.006}),
    ("chat m", CHAT | TOKENS | {"gen_ai.request.stream": True}),
    ("chat m", CHAT | {"gen_ai.response.time_to_first_chunk": -1}),
    ("ChatCompletion", {"openinference.span.kind": "LLM"}),
    ("llm_request", VLLM | TOKENS),
    ("llm_request", {"gen_ai.latency.time_in_queue": 9.5, "gen_ai.latency.time_to_first_token": 1}),
    ("gateway.request", {}),
    ("kong.balancer", {"try_count": 1}),
    ("ingress", {"component": "proxy", "node_id": "router~10.1.0.9~a.b"}),
    ("SELECT sessions", {"db.system.name": "postgresql"}),
)


@st.composite
def emitted_rows(draw: st.DrawFn, **options: Any) -> list[dict[str, Any]]:
    """The records of one awkward trace whose spans carry what emitters write."""
    found = []
    chosen: dict[str, tuple[str, dict[str, Any]]] = {}
    for record in draw(trace_rows(**options)):
        if record["span_id"] not in chosen:
            chosen[record["span_id"]] = draw(st.sampled_from(SPANS))
        name, attributes = chosen[record["span_id"]]
        events = json.loads(record["events"])
        if name == "ChatCompletion" and record["start_ns"] is not None:
            at = record["start_ns"] + 3 * MS
            events = [*events, {"name": FIRST_EVENT, "time_ns": at, "attributes": {}}]
        attributes = attributes | json.loads(record["attributes"])
        changed = {"name": name, "events": json.dumps(events), "attributes": json.dumps(attributes)}
        found.append(record | changed)
    return found


PLAIN = ("work", "retrieve", "rerank", "tokenize prompt", "POST /chat", "load session")


@st.composite
def tidy_rows(draw: st.DrawFn, most: int = 9) -> list[dict[str, Any]]:
    """A trace of one clock whose spans lie in their parents, whole ms apart from each other."""
    made, free = [("s0", 0, 900)], [("s0", 0, 900)]
    lines = ["s0 . web server 0 900 POST /chat"]
    for number in range(1, draw(st.integers(1, most))):
        parent, low, high = draw(st.sampled_from(free))
        if high - low < 20:
            continue
        start = draw(st.integers(low + 1, high - 12))
        end = draw(st.integers(start + 8, high - 1))
        free.remove((parent, low, high))
        free += [(parent, low, start - 1), (parent, end + 1, high), (f"s{number}", start, end)]
        kind = draw(st.sampled_from(["internal", "client"]))
        lines.append(f"s{number} {parent} web {kind} {start} {end} {draw(st.sampled_from(PLAIN))}")
        made.append((f"s{number}", start, end))
    return [row(line) for line in lines]


def moved(record: dict[str, Any], by: int, factor: int = 1) -> dict[str, Any]:
    """A record with all its times `factor` times as far from `T0`, and `by` ns later."""
    times = {
        name: None if record[name] is None else (record[name] - T0) * factor + T0 + by
        for name in ("start_ns", "end_ns")
    }
    events = [
        {**e, "time_ns": (e["time_ns"] - T0) * factor + T0 + by}
        for e in json.loads(record["events"])
    ]
    return record | times | {"events": json.dumps(events)}
