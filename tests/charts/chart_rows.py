"""Plain rows for charts: bands, and one request drawn by hand."""

from typing import Any

MS = 1_000_000
START = 1_773_304_927_318_000_000
P95 = {
    "client_network": 140 * MS, "request_queue": 1840 * MS, "autoscale_cold_start": 310 * MS,
    "guardrails": 142 * MS, "retries_backoff": 288 * MS, "retrieval": 236 * MS, "tools": 20 * MS,
    "prefill": 842 * MS, "decode": 2050 * MS, "kv_transfer": 40 * MS, "unattributed": 103 * MS,
    "routing": 26 * MS, "datastore": 58 * MS, "app_logic": 52 * MS, "api_gateway": 46 * MS,
    "cdn_edge": 15 * MS,
}  # fmt: skip
P50 = {**{stage: ns // 2 for stage, ns in P95.items()}, "request_queue": 62 * MS, "tools": 90 * MS}


def slices(means: dict[str, int]) -> list[tuple[str, int, float]]:
    total = sum(means.values())
    return [(stage, ns, ns / total) for stage, ns in means.items()]


def span(key: str, parent: str | None, start: float, end: float, **columns: Any) -> dict[str, Any]:
    """A span as `slowpath show --json` gives it; times in ms from the request's start."""
    low, high = START + round(start * MS), START + round(end * MS)
    made = {
        "key": key, "span_id": key, "parent_key": parent, "service": "svc", "name": f"op {key}",
        "start_ns": low, "end_ns": high, "raw_start_ns": low, "raw_end_ns": high, "stage": "tools",
        "rule": "rule.id", "blocking": True, "observer": False, "status": "ok", "flags": {},
        "pieces": "", "attributes": {},
    }  # fmt: skip
    return {**made, **columns}


def segment(key: str, stage: str, start: float, end: float) -> dict[str, Any]:
    return {"key": key, "stage": stage, "start_ns": START + round(start * MS),
            "end_ns": START + round(end * MS)}  # fmt: skip


def request() -> dict[str, Any]:
    """A root over a failed and a good attempt, an unwaited span, an async one, six equal reads."""
    call = [["request_queue", START + 300 * MS, START + 500 * MS],
            ["decode", START + 500 * MS, START + 900 * MS]]  # fmt: skip
    spans = [
        span("root", None, 0, 1000, name="POST /chat", stage="app_logic"),
        span("try1", "root", 100, 200, stage="retries_backoff", status="error"),
        span("try2", "root", 300, 900, stage="model", pieces=call),
        span("side", "root", 310, 360, stage="datastore", name="<b>side</b> %{x}"),
        span("audit", "root", 950, 1200, stage="observability_export", blocking=False),
        span("guard", "root", 910, 940, stage="guardrails", flags={"skew_corrected": 38 * MS}),
        span("open", "try2", 310, 320, flags={"incomplete": None}),
        *(span(f"read{i}", "try1", 110 + i, 120 + i, name="GET doc") for i in range(6)),
    ]
    segments = [
        segment("root", "app_logic", 0, 100), segment("try1", "retries_backoff", 100, 110),
        segment("read0", "tools", 110, 111), segment("read5", "tools", 111, 125),
        segment("try1", "retries_backoff", 125, 200), segment("root", "retries_backoff", 200, 300),
        segment("try2", "request_queue", 300, 500), segment("try2", "decode", 500, 900),
        segment("root", "app_logic", 900, 910), segment("guard", "guardrails", 910, 940),
        segment("root", "app_logic", 940, 1000),
    ]  # fmt: skip
    calls = [{"key": "try2", "first_token_ns": 200 * MS, "decode_ns": 400 * MS,
              "output_tokens": 21}]  # fmt: skip
    return {"spans": spans, "segments": segments, "calls": calls}
