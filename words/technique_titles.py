"""What each technique is called, and the names of its assumptions."""

from typing import Final

from words import _

TITLES: Final[dict[str, str]] = {
    "connection_reuse": _("Keep connections open"),
    "tls13_0rtt": _("Shorten the TLS handshake"),
    "http3": _("Serve users over HTTP/3"),
    "edge_pop": _("Meet users nearer"),
    "sse_buffer_off": _("Stop proxies from buffering streams"),
    "gateway_trim": _("Scale and slim the gateway"),
    "queue_aware_lb": _("Route to the shortest queue"),
    "autoscale_queue": _("Scale out on queue length"),
    "batch_cap_tuning": _("Tune concurrency per replica"),
    "priority_admission": _("Let people go before batch work"),
    "cache_aware_routing": _("Route conversations to their cache"),
    "hedged_requests": _("Hedge slow lookups"),
    "dns_tuning": _("Cache DNS on the node"),
    "mesh_ambient": _("Run the mesh without sidecars"),
    "topology_routing": _("Keep calls inside one zone"),
    "cpu_throttle": _("Lift CPU limits that throttle"),
    "rdma_mtu": _("Move KV caches over RDMA"),
    "async_observability": _("Export telemetry after the answer"),
    "warm_pool": _("Keep replicas warm"),
    "image_prepull": _("Pull images ahead of time"),
    "retry_budget": _("Budget retries and time-outs"),
    "async_guardrails": _("Run guardrails beside the model"),
    "parallel_tools": _("Run independent tools side by side"),
    "rag_overlap": _("Prefill while retrieving"),
    "reranker_trim": _("Rerank less"),
    "prompt_trim": _("Send fewer input tokens"),
    "prompt_compression": _("Compress one-off prompts"),
    "cacheable_prompt_layout": _("Put the fixed part of prompts first"),
    "semantic_cache": _("Cache answers to repeated questions"),
    "fewer_llm_calls": _("Merge or drop model calls"),
    "output_length": _("Ask for shorter answers"),
    "reasoning_budget": _("Bound hidden reasoning"),
    "stream_tokens": _("Stream answers"),
    "smaller_model": _("Use a smaller model"),
    "model_routing": _("Route easy requests to a small model"),
    "prefix_caching": _("Turn prefix caching on"),
    "weight_fp8": _("Run the model in FP8"),
    "weight_int4": _("Store weights in 4 bits"),
    "kv_fp8": _("Keep the KV cache in FP8"),
    "spec_model": _("Draft tokens with a small model"),
    "engine_cpu_offpath": _("Take tokenizing off the hot path"),
    "preemption_avoidance": _("Stop preemptions in the engine"),
}

ASSUMPTIONS: Final[dict[str, str]] = {
    "removed": _("share of the affected time that goes"),
    "new_left_share": _("share of requests that still open a connection"),
    "added_share": _("capacity added while requests wait, as a share of today’s"),
    "cap_change": _("change of the cap, as a share of today’s"),
    "queued_share": _("share of the saved decode that is waited for instead"),
    "utilisation": _("utilisation of the engine, where the data do not tell it"),
    "hit_share": _("share of the lookups that hit the cache"),
    "prefix_share": _("share of a prompt that never changes"),
    "cached_share": _("share of the input tokens served from the cache"),
    "independent_share": _("share that is independent of what came before"),
    "static_share": _("share of prefill that does not need what is retrieved"),
    "cut_share": _("share of the tokens that goes"),
    "cost_ns_per_token": _("what compressing takes, in ns per token"),
    "lookup_ns": _("what a lookup takes, in ns"),
    "dropped_share": _("share of the preparing calls that goes"),
    "hidden_share": _("share of decode that is no longer waited for unseen"),
    "easy_share": _("share of requests that the small model can answer"),
    "router_ns": _("what the router takes, in ns"),
    "gain_ratio": _("gain against the one measured at this context length"),
}

GRADES: Final[dict[str, str]] = {
    "published": _("published"),
    "derived": _("derived"),
    "estimate": _("estimate"),
}

RISKS: Final[dict[str, str]] = {
    "low": _("low risk"),
    "medium": _("medium risk"),
    "high": _("high risk"),
}
