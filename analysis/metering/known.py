"""Which family a series belongs to, and which known ones are left unmapped and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.metering.engines import ENGINES
from analysis.metering.family import Family, plain, spellings
from analysis.metering.platforms import PLATFORMS

FAMILIES: Final[tuple[Family, ...]] = (*ENGINES, *PLATFORMS)

LAYER_OF: Final = {
    "genai_client": "client", "envoy": "proxy", "istio": "proxy", "kong": "proxy",
    "traefik": "proxy", "nginx": "proxy", "http_server": "application", "litellm": "gateway",
    "llm_d": "gateway", "llm_d_older": "gateway", "dynamo": "platform", "kserve": "platform",
    "ray_serve": "platform", "knative": "platform", "vllm": "engine", "sglang": "engine",
    "sglang_stages": "engine", "tgi": "engine", "triton": "engine", "tensorrt_llm": "engine",
    "genai_server": "engine",
}  # fmt: skip
"""Emitter -> its layer, for those whose families divide a request."""

UNMAPPED: Final = {
    "tgi_batch_inference_duration": "batch_step", "tgi_batch_forward_duration": "batch_step",
    "tgi_batch_decode_duration": "batch_step", "tgi_batch_filter_duration": "batch_step",
    "tgi_batch_concat_duration": "batch_step",
    "llamacpp:prompt_tokens_seconds": "throughput",
    "llamacpp:predicted_tokens_seconds": "throughput",
    "nv_inference_request_summary_us": "quantiles", "nv_inference_queue_summary_us": "quantiles",
    "nv_inference_compute_input_summary_us": "quantiles",
    "nv_inference_compute_infer_summary_us": "quantiles",
    "nv_inference_compute_output_summary_us": "quantiles",
    "vllm:prompt_tokens": "tokens", "vllm:generation_tokens": "tokens",
    "vllm:prompt_tokens_by_source": "tokens", "vllm:request_prompt_tokens": "tokens",
    "vllm:request_generation_tokens": "tokens",
    "vllm:request_prefill_kv_computed_tokens": "tokens", "gen_ai.client.token.usage": "tokens",
    "vllm:avg_latency": "averaged", "vllm:avg_itl": "averaged", "vllm:current_qps": "averaged",
    "dynamo_router_overhead_block_hashing_ms": "router_detail",
    "dynamo_router_overhead_indexer_find_matches_ms": "router_detail",
    "dynamo_router_overhead_seq_hashing_ms": "router_detail",
    "dynamo_router_overhead_scheduling_ms": "router_detail",
    "dynamo_router_overhead_total_ms": "router_detail",
    "nginx_connections_active": "connections", "nginx_connections_waiting": "connections",
    "nginx_http_requests": "connections",
}  # fmt: skip
"""Family -> why nothing is made of it.

batch_step: a step that a whole batch shares. throughput: tokens per second. quantiles: they neither
add nor average. tokens: counts. averaged: a router's own average over a window that it does not
tell. router_detail: inside the stage route. connections: counts without times.
"""


def _index() -> dict[str, list[Family]]:
    found: dict[str, list[Family]] = {}
    for family in FAMILIES:
        for name in spellings(family.name):
            found.setdefault(name, []).append(family)
    return found


_INDEX: Final = _index()


def is_known(name: str) -> bool:
    """Whether any row may hold a series of this name."""
    return plain(name) in _INDEX


def family_of(name: str, labels: Mapping[str, str]) -> Family | None:
    """The family that a series belongs to; None of one that no row names.

    `vllm:num_requests_waiting` with a label `server` is prodstack's router, not the engine.
    """
    for family in _INDEX.get(plain(name), ()):
        if family.emitter == "prodstack":
            if "server" in labels:
                return family
        elif family.holds(labels):
            return family
    return None
