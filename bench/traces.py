"""Chat requests of 15 spans each, as many as wanted, as the batches that a collector hands over."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from analysis.spans import SPAN_SCHEMA, SpanBatch

SEED = 20_261_130
SPANS = 15
TRACES_PER_BATCH = 2_000
BEGIN_NS = 1_772_000_000_000_000_000

# parent, service, kind, name, start and end in thousandths of the parent, attributes
CHAT = (
    (
        -1,
        "gateway",
        "server",
        "POST /chat",
        0,
        1000,
        {"http.route": "/chat", "http.method": "POST"},
    ),
    (0, "gateway", "internal", "auth", 5, 15, {}),
    (0, "gateway", "internal", "rate_limit", 15, 20, {}),
    (0, "gateway", "client", "POST", 25, 995, {"http.request.method": "POST"}),
    (3, "api", "server", "POST /chat", 3, 997, {"http.route": "/chat", "http.method": "POST"}),
    (4, "api", "client", "HGETALL", 5, 15, {"db.system": "redis"}),
    (4, "api", "internal", "retrieval", 20, 150, {"retrieval.documents": 8}),
    (6, "api", "client", "embeddings bge", 10, 400, {"gen_ai.operation.name": "embeddings"}),
    (6, "api", "client", "query_points", 450, 950, {"db.system": "qdrant"}),
    (4, "api", "internal", "prompt_build", 155, 165, {}),
    (4, "api", "internal", "guardrails.request", 170, 220, {}),
    (4, "api", "client", "chat llama", 230, 970, {"gen_ai.operation.name": "chat"}),
    (11, "engine", "server", "POST /v1/chat/completions", 5, 995, {"http.method": "POST"}),
    (12, "engine", "internal", "llm_request", 2, 998, {}),
    (4, "api", "internal", "postprocess", 975, 985, {}),
)
FIRST_OF_SCOPE = {13: "vllm.llm_engine"}


def batches(traces: int) -> Iterator[SpanBatch]:
    """The same records at every call."""
    rng = np.random.default_rng(SEED)
    for first in range(0, traces, TRACES_PER_BATCH):
        yield SpanBatch(_table(rng, first, min(TRACES_PER_BATCH, traces - first)))


def _table(rng: np.random.Generator, first: int, traces: int) -> pa.Table:
    start, end = _times(rng, first, traces)
    ids = rng.integers(1, 1 << 63, (traces, SPANS), np.int64)
    number = np.arange(first, first + traces)
    columns = {
        "trace_id": [f"{_mixed(n):016x}{n:016x}" for n in number.tolist() for _span in CHAT],
        "span_id": [f"{key:016x}" for key in ids.ravel().tolist()],
        "parent_id": [
            None if span[0] < 0 else f"{row[span[0]]:016x}" for row in ids.tolist() for span in CHAT
        ],
        "name": [span[3] for span in CHAT] * traces,
        "service": [span[1] for span in CHAT] * traces,
        "host": [f"{span[1]}-{n % 4}" for n in number.tolist() for span in CHAT],
        "kind": [span[2] for span in CHAT] * traces,
        "status": ["unset"] * SPANS * traces,
        "scope": [FIRST_OF_SCOPE.get(place) for place in range(SPANS)] * traces,
        "start_ns": start.ravel(),
        "end_ns": end.ravel(),
        "shared": np.zeros(SPANS * traces, np.bool_),
        "attributes": _attributes(rng, start, end),
        "resource": [json.dumps({"service.name": span[1]}) for span in CHAT] * traces,
        "events": ["[]"] * SPANS * traces,
        "links": ["[]"] * SPANS * traces,
        "flags": pa.array([[]] * SPANS * traces, pa.list_(pa.string())),
    }
    return pa.table(columns, schema=SPAN_SCHEMA)


def _mixed(number: int) -> int:
    """Trace ids do not come in order."""
    return (number * 0x9E3779B97F4A7C15) % (1 << 64)


def _times(rng: np.random.Generator, first: int, traces: int) -> tuple[np.ndarray, np.ndarray]:
    start, end = np.zeros((2, traces, SPANS), np.int64)
    start[:, 0] = BEGIN_NS + np.arange(first, first + traces) * 50_000_000
    end[:, 0] = start[:, 0] + rng.integers(800_000_000, 6_000_000_000, traces)
    for place, (parent, _service, _kind, _name, low, high, _told) in enumerate(CHAT[1:], 1):
        length = end[:, parent] - start[:, parent]
        jitter = rng.integers(0, 1_000, traces)
        start[:, place] = start[:, parent] + length * low // 1000 + jitter
        end[:, place] = start[:, parent] + length * high // 1000 - jitter
    return start, end


def _attributes(rng: np.random.Generator, start: np.ndarray, end: np.ndarray) -> list[str]:
    """Every request has its own tokens, engine times and session; the rest repeats."""
    fixed = [_text(span[6]) for span in CHAT]
    traces = len(start)
    asked, answered = rng.integers(200, 9_000, traces), rng.integers(20, 900, traces)
    found = []
    for trace in range(traces):
        tokens = {
            "gen_ai.usage.input_tokens": int(asked[trace]),
            "gen_ai.usage.output_tokens": int(answered[trace]),
        }
        seconds = (end[trace, 13] - start[trace, 13]) / 1e9
        texts = list(fixed)
        texts[0] = _text({**CHAT[0][6], "session.id": f"s{trace * 7919 % 100_003}"})
        texts[11] = _text({**CHAT[11][6], **CALL, **tokens})
        texts[13] = _text({**_engine(float(seconds)), **tokens})
        found += texts
    return found


CALL = {"gen_ai.request.model": "llama-3.1-8b", "gen_ai.request.stream": True}


def _engine(seconds: float) -> dict[str, float]:
    return {
        "gen_ai.latency.time_in_queue": round(seconds * 0.05, 6),
        "gen_ai.latency.time_in_model_prefill": round(seconds * 0.15, 6),
        "gen_ai.latency.time_to_first_token": round(seconds * 0.22, 6),
        "gen_ai.latency.time_in_model_decode": round(seconds * 0.75, 6),
        "gen_ai.latency.e2e": round(seconds, 6),
    }


def _text(told: dict[str, object]) -> str:
    return json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
