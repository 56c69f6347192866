"""A report's input in full: three bands, ten techniques, hostile names."""

from typing import Any

from analysis.attribution import Breakdown, StageShare, apportioned
from analysis.stages import STAGES
from reports.data import Figure, ReportData

MS = 1_000_000
HOSTILE = '<script>alert("x")</script> [a](javascript:1) | `b` & "c"'
WEIGHTS = {
    "client_network": 140, "cdn_edge": 15, "api_gateway": 46, "auth_rate_limit": 42,
    "request_queue": 1840, "routing": 26, "autoscale_cold_start": 310, "mesh_sidecar": 20,
    "internal_network": 38, "connection_setup": 18, "external_network": 8, "pod_gpu_runtime": 12,
    "observability_export": 19, "guardrails": 142, "retries_backoff": 288, "app_logic": 52,
    "retrieval": 236, "tools": 20, "datastore": 58, "tokenize_detokenize": 9,
    "pre_post_processing": 11, "prefill": 842, "decode": 2050, "kv_transfer": 40,
    "embedding_rerank": 13, "unattributed": 103,
}  # fmt: skip


def breakdown(band: str, scale: float, low: float, high: float) -> Breakdown:
    """A band in which every stage is `scale` times its weight, the queue twice that."""
    sums = [round(WEIGHTS.get(s, 0) * MS * scale * 82 * (2 if s == "request_queue" else 1))
            for s in STAGES]  # fmt: skip
    means = apportioned(sums, 82)
    total = sum(sums)
    parts = tuple(
        StageShare(s, ns, x / total) for s, ns, x in zip(STAGES, means, sums, strict=True)
    )
    ns = sum(means)
    return Breakdown("e2e", band, 4_118, 31, 82, low, high, ns, ns, ns, ns, ns, ns, parts)


def finding(i: int, **changes: Any) -> dict[str, Any]:
    typical = 1_190 // i
    made = {
        "id": f"technique_{i}", "title": f"Technique {i}", "applies": True, "not_because": None,
        "n": 4_087, "current_ns": 6_400 * MS, "predicted_ns": (6_400 - typical) * MS,
        "saving_ns": {"low": typical * MS * 7 // 10, "typical": typical * MS,
                      "high": typical * MS * 12 // 10},
        "effort_days": [0.5, 2], "risk": "low", "tie_with": ["technique_2"] if i == 3 else [],
        "because": "The request queue holds 29 % of p95.", "stage": "request_queue",
    }  # fmt: skip
    return {**made, **changes}


def request(i: int) -> dict[str, Any]:
    stages = {stage: weight * MS * (4 - i) for stage, weight in WEIGHTS.items()}
    return {
        "trace_id": f"{i:032x}", "root_span_id": f"{i:016x}", "name": "POST /chat",
        "service": "web", "start_ns": 1_773_304_927_318_000_000, "e2e_ns": sum(stages.values()),
        "ttft_ns": 1_470 * MS, "tpot_ns": None, "input_tokens": 2_736, "cached_tokens": None,
        "output_tokens": 110, "model": "llama", "status": "ok", "stages": stages, "flags": [],
        "attributes": {"gen_ai.prompt": "the secret prompt"},
    }  # fmt: skip


def report_data(**changes: Any) -> ReportData:
    """A full report; keyword arguments replace fields."""
    idle = {"low": 0, "typical": 0, "high": 0}
    none = finding(9, title="Quantise", applies=False, not_because="No GPU.", saving_ns=idle)
    findings = (*(finding(i) for i in range(1, 9)), none, finding(10, title="Tenth"))
    fields: dict[str, Any] = {
        "title": "Chat, production: latency, 12 March 2026",
        "answer": "Slow requests wait: 29\u202f% of p95 is the request queue, "
        "against 3.0\u202f% of the median.",
        "scope": "Chat, production · 12 March 2026, 08:00 to 20:00 (UTC+8) · objective E2E",
        "version": "0.1.0",
        "data_sets": ("Chat, production",),
        "figures": (
            Figure("requests", 4_118), Figure("e2e_p50", 2_100 * MS, 2_070 * MS, 2_130 * MS),
            Figure("e2e_p95", 6_400 * MS, 6_110 * MS, 6_740 * MS),
            Figure("e2e_p99", 11_200 * MS, 10_300 * MS, 12_600 * MS),
            Figure("ttft_p95", 3_550 * MS, 3_310 * MS, 3_800 * MS),
            Figure("within_slo", 0.861, 0.85, 0.871),
        ),
        "bands": {
            "p50": breakdown("p50", 0.3, 0.45, 0.55), "p95": breakdown("p95", 1, 0.94, 0.96),
            "p99": breakdown("p99", 1.7, 0.985, 0.995),
        },
        "findings": findings,
        "plan": {"steps": [finding(1), finding(2)], "current_ns": 6_400 * MS,
                 "predicted_ns": 4_360 * MS},
        "requests": tuple(request(i) for i in range(3)),
        "flags": {"skew_corrected": 214, "incomplete": 12},
        "excluded": {"incomplete": 31},
        "slo_ns": 4_000 * MS,
        "replayed": 4_087,
        "tz": "Asia/Shanghai",
        "made_ns": 1_773_309_600_000_000_000,
    }  # fmt: skip
    return ReportData(**{**fields, **changes})
