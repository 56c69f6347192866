"""For each technique: evidence on which it applies, what it makes of the first request, and not.

`applies`: evidence, reason, ms that the first request loses end to end at the typical assumption
(worked out beside). `fails`: evidence, and the id of what speaks against it or of what is lacking.
"""

import pandas as pd
from evidence_frames import gathered, request

WHOLE = "r . app_logic 0 100"


def one(*lines, **values):
    return gathered(request("t0", *lines, **values))


def stage(name, start=10, end=60, **values):
    return one(WHOLE, f"a r {name} {start} {end}", **values)


def many(count, make):
    return gathered(*(make(i) for i in range(count)))


def call(
    trace="t0", queue=10, prefill=20, decode=50, host=None, at=0, late=0, attributes=None, **values
):  # fmt: skip
    """A request with one model call from its 10th ms, cut as given, and 10 ms after it.

    The reader sees the first token `late` ms after the engine has made it.
    """
    cut = [("request_queue", queue), ("prefill", prefill), ("decode", decode)]
    end = at + 10 + queue + prefill + decode
    known = {"queue_ns": queue, "prefill_ns": prefill, "decode_ns": decode, "streaming": True}
    known |= {"first_token_ns": queue + prefill, "answer": True}
    named = {"host": host, "attributes": attributes or {}}
    return request(
        trace, f"r . app_logic {at} {end + 10}", f"c r decode {at + 10} {end} call",
        pieces={"c": [part for part in cut if part[1]]}, calls={"c": known | values},
        spans={"c": named}, ttft=10 + queue + prefill + late,
    )  # fmt: skip


def calls(count=1, **values):
    return many(count, lambda i: call(f"t{i}", **values))


def held_back():
    """Eleven answers whose first token comes 300 ms late, ten with 10 ms."""
    return many(21, lambda i: call(f"t{i}", decode=500, late=10 if i % 2 else 300))


def provider_call():
    named = {"attributes": {"gen_ai.system": "openai"}}
    return one(WHOLE, "c r model 10 90 call", spans={"c": named})


def attribute(stage_name, **attributes):
    return one(WHOLE, f"a r {stage_name} 10 60", spans={"a": {"attributes": attributes}})


def counters(**values):
    rows = [
        {"name": name, "labels": "{}", "value": value}
        for name, pair in values.items()
        for value in pair
    ]
    return pd.DataFrame(rows)


def measured(metrics, **values):
    return gathered(call(**values), metrics=metrics)


def replicas(low, high):
    """Six calls on each of two replicas that queue for so many ms."""
    return gathered(
        *(call(f"a{i}", queue=high, host="a", at=1000 * i) for i in range(6)),
        *(call(f"b{i}", queue=low, host="b", at=1000 * i) for i in range(6)),
    )


def crowd(pace_ms, queue):
    """20 calls alone, then 20 at once that take `pace_ms` per token; ten tokens each."""
    alone = [call(f"a{i}", queue=0, decode=9, at=1000 * i, output_tokens=10) for i in range(20)]
    return gathered(
        call("t0", queue=queue, decode=9 * pace_ms, at=90_000, output_tokens=10),
        *alone,
        *(
            call(f"b{i}", queue=queue, decode=9 * pace_ms, at=90_000, output_tokens=10)
            for i in range(19)
        ),
    )


def classes(*names):
    return gathered(
        *(call(f"t{i}", queue=100, attributes={"priority": name}) for i, name in enumerate(names))
    )


def conversation(*hosts):
    """Turns of one conversation, 1,000 tokens each and none cached; the latest one first."""
    turns = [
        call(
            f"t{i}", host=host, at=1000 * i, attributes={"session.id": "s"}, input_tokens=1000,
            cached_tokens=0,
        )
        for i, host in enumerate(hosts)
    ]  # fmt: skip
    return gathered(*reversed(turns))


def lookups(slow_ms):
    """50 lookups of 10 ms but for the first three."""
    return many(
        50,
        lambda i: request(
            f"t{i}", "r . app_logic 0 1000", f"a r datastore 10 {10 + (slow_ms if i < 3 else 10)}",
            spans={"a": {"name": "GET doc"}},
        ),
    )  # fmt: skip


def zones(here, there):
    return one(
        WHOLE, "a r internal_network 10 60", "b a app_logic 20 50",
        spans={
            "a": {"attributes": {"cloud.availability_zone": here}},
            "b": {"attributes": {"cloud.availability_zone": there}},
        },
    )  # fmt: skip


def chained(helpers):
    """Model calls of 20 ms one after the other; the last one answers."""
    lines = [f"c{i} r decode {20 * i} {20 * i + 20} call" for i in range(helpers + 1)]
    return request("t0", f"r . app_logic 0 {20 * len(lines)}", *lines)


def unstreamed(**attributes):
    values = {"streaming": False, "decode_ns": 50, "output_tokens": 10}
    named = {"c": {"attributes": attributes}}
    return one(WHOLE, "c r model 10 90 call", calls={"c": values}, spans=named)


PERIODS, STOPPED = "container_cpu_cfs_periods_total", "container_cpu_cfs_throttled_periods_total"
THROTTLED = counters(**{PERIODS: (0, 100), STOPPED: (0, 40)})
FREE = counters(**{PERIODS: (0, 100), STOPPED: (0, 1)})
PREEMPTED = counters(**{"vllm:num_preemptions": (0, 5)})
CALM = counters(**{"vllm:num_preemptions": (5, 5)})

ALL = {
    "parallel_tools": {"independent_share": 1.0},
    "semantic_cache": {"hit_share": 1.0},
    "fewer_llm_calls": {"dropped_share": 1.0},
    "model_routing": {"easy_share": 1.0},
}
"""Draws made certain, so that the saving can be worked out by hand."""

APPLIES = {
    # 100 % open one; 10 % remain: 50 x 0.9
    "connection_reuse": (lambda: stage("connection_setup"), "connections_opened", 45),
    # half of a handshake of 50
    "tls13_0rtt": (lambda: one(WHOLE, "tls r connection_setup 10 60"), "handshakes", 25),
    # 8 % of 80
    "http3": (lambda: stage("client_network", 10, 90), "network_uneven", 6.4),
    # 40 % of 80
    "edge_pop": (lambda: stage("client_network", 10, 90), "network_long", 32),
    # end to end nothing moves: what was held back was only delivered late
    "sse_buffer_off": (held_back, "tokens_held", 0),
    "gateway_trim": (lambda: stage("api_gateway"), "gateway_slow", 35),
    # the queue formula does not hold for so few calls: half of 40
    "queue_aware_lb": (lambda: replicas(5, 40), "queue_uneven", 20),
    "autoscale_queue": (lambda: calls(queue=80), "queue_long", 40),
    # tokens keep their pace: 15 % of a queue of 40
    "batch_cap_tuning": (lambda: crowd(1, 40), "queue_with_room", 6),
    # rho 0.7, half urgent: (1 - 0.7) / (1 - 0.35) = 6/13 of 100 remain
    "priority_admission": (lambda: classes("high", "batch"), "classes_mixed", 100 * 7 / 13),
    # half of 1,000 tokens at 20 ms per 1,000
    "cache_aware_routing": (lambda: conversation("a", "b"), "cache_missed", 10),
    # p95 of 47 times 10 and three times 500 is 279.5; 80 % of what lies above 279.5 + 10
    "hedged_requests": (lambda: lookups(500), "tails_long", 168.4),
    "dns_tuning": (lambda: one(WHOLE, "dns r connection_setup 10 60"), "lookups_slow", 40),
    "mesh_ambient": (lambda: stage("mesh_sidecar"), "stage_large", 30),
    # the wire is 20 of the hop's 50
    "topology_routing": (lambda: zones("a", "b"), "zones_crossed", 12),
    # 40 % throttled, half of it goes: 20 % of the 20 ms outside the call
    "cpu_throttle": (lambda: measured(THROTTLED), "cpu_stopped", 4),
    "rdma_mtu": (lambda: stage("kv_transfer"), "stage_large", 15),
    "async_observability": (lambda: stage("observability_export"), "export_waited_for", 40),
    "warm_pool": (lambda: stage("autoscale_cold_start"), "cold_starts", 40),
    "image_prepull": (lambda: one(WHOLE, "pull r autoscale_cold_start 10 60"), "images_pulled", 30),
    "retry_budget": (lambda: stage("retries_backoff"), "retries", 20),
    # the call of 50 starts with its check of 30
    "async_guardrails": (
        lambda: one(WHOLE, "g r guardrails 10 40", "c r decode 40 90 call"), "checks_first", 30,
    ),
    # all independent: 20 beside 30
    "parallel_tools": (lambda: one(WHOLE, "a r tools 10 40", "b r tools 40 60"), "runs", 20),
    # 40 % of 20 ms of prefill, less than the retrieval of 30
    "rag_overlap": (
        lambda: one(
            "r . app_logic 0 120", "q r retrieval 0 30", "c r decode 30 110 call",
            pieces={"c": [("prefill", 20), ("decode", 60)]}, calls={"c": {"prefill_ns": 20}},
        ),
        "retrieval_first", 8,
    ),
    "reranker_trim": (lambda: one(WHOLE, "rerank r embedding_rerank 10 60"), "rerank_long", 40),
    # 30 % of the tokens of a prefill of 60
    "prompt_trim": (lambda: calls(prefill=60, input_tokens=2000), "prompts_long", 18),
    # half of 60 goes, 15 us for each of 4,000 tokens come
    "prompt_compression": (lambda: calls(prefill=60, input_tokens=4000), "prompts_single_use", -30),
    # 0.75 x 0.5 x 2,000 = 750 tokens, 100 of them cached: 650 of 1,900 in 38 ms
    "cacheable_prompt_layout": (
        lambda: calls(prefill=38, input_tokens=2000, cached_tokens=100), "cache_little", 13,
    ),
    # all hit: the call of 80 goes, a lookup of 15 comes
    "semantic_cache": (calls, "calls_long", 65),
    # both preparing calls of 20 go
    "fewer_llm_calls": (lambda: gathered(chained(2)), "calls_chained", 40),
    "output_length": (lambda: calls(output_tokens=300), "answers_long", 15),
    # 80 of 100 tokens are reasoning, 49 % of them go: 39.2 % of 50
    "reasoning_budget": (
        lambda: calls(output_tokens=100, attributes={"gen_ai.usage.reasoning_tokens": 80}),
        "reasoning_long", 19.6,
    ),
    "stream_tokens": (unstreamed, "answers_at_once", 0),
    "smaller_model": (calls, "stage_large", 35),
    # all easy: half of 70 goes, 20 for the router come
    "model_routing": (calls, "one_model", 15),
    # 40 % of a prefill of 20
    "prefix_caching": (lambda: calls(input_tokens=1000, cached_tokens=0), "cache_unused", 8),
    "weight_fp8": (calls, "stage_large", 25.9),
    "weight_int4": (calls, "few_at_once", 25),
    # +6 % at 8,192 tokens: 50 - 50/1.06
    "kv_fp8": (lambda: calls(input_tokens=8192), "context_long", 50 - 50 / 1.06),
    "spec_model": (lambda: calls(output_tokens=100), "few_at_once", 16.5),
    "engine_cpu_offpath": (
        lambda: one(
            WHOLE, "c r decode 10 90 call",
            pieces={"c": [("tokenize_detokenize", 20), ("decode", 60)]},
            calls={"c": {"prefill_ns": 0}},
        ),
        "stage_large", 12,
    ),
    # 30 % of a queue of 10
    "preemption_avoidance": (lambda: measured(PREEMPTED), "preempted", 3),
}  # fmt: skip

FAILS = {
    "connection_reuse": (lambda: stage("tools"), "connection_spans"),
    "tls13_0rtt": (
        lambda: one(
            WHOLE, "tls r connection_setup 10 60",
            spans={"tls": {"attributes": {"tls.protocol.version": "1.3"}}},
        ),
        "tls_modern",
    ),
    "http3": (lambda: stage("client_network", 10, 20), "network_even"),
    "edge_pop": (lambda: stage("client_network"), "network_short"),
    "sse_buffer_off": (calls, "first_token_twice"),
    "gateway_trim": (lambda: stage("api_gateway", 10, 20), "gateway_quick"),
    "queue_aware_lb": (lambda: replicas(30, 40), "queue_even"),
    "autoscale_queue": (lambda: calls(queue=0), "stage_absent"),
    "batch_cap_tuning": (lambda: crowd(1, 0), "batch_fits"),
    "priority_admission": (lambda: classes("high", "high"), "one_class"),
    "cache_aware_routing": (lambda: conversation("a", "a"), "one_replica"),
    "hedged_requests": (lambda: lookups(12), "tails_short"),
    "dns_tuning": (lambda: one(WHOLE, "dns r connection_setup 10 12"), "lookups_quick"),
    "mesh_ambient": (lambda: stage("mesh_sidecar", 10, 11), "stage_small"),
    "topology_routing": (lambda: zones("a", "a"), "zones_kept"),
    "cpu_throttle": (lambda: measured(FREE), "cpu_free"),
    "rdma_mtu": (lambda: stage("kv_transfer", 10, 14), "stage_small"),
    "async_observability": (lambda: stage("tools"), "export_off_path"),
    "warm_pool": (lambda: stage("tools"), "stage_absent"),
    "image_prepull": (lambda: stage("autoscale_cold_start"), "pull_spans"),
    "retry_budget": (lambda: stage("tools"), "no_retries"),
    "async_guardrails": (
        lambda: one(WHOLE, "c r decode 10 50 call", "g r guardrails 50 90"), "checks_elsewhere",
    ),
    "parallel_tools": (lambda: one(WHOLE, "a r tools 10 40", "b r tools 20 60"), "no_runs"),
    "rag_overlap": (lambda: stage("retrieval"), "retrieval_elsewhere"),
    "reranker_trim": (
        lambda: one(
            WHOLE, "rerank r embedding_rerank 10 60",
            spans={"rerank": {"attributes": {"rerank.candidates": 5}}},
        ),
        "candidates_few",
    ),
    "prompt_trim": (lambda: calls(prefill=60, input_tokens=500), "prompts_short"),
    "prompt_compression": (
        lambda: calls(prefill=60, input_tokens=4000, cached_tokens=3000), "prompts_cached",
    ),
    "cacheable_prompt_layout": (
        lambda: calls(input_tokens=2000, cached_tokens=1500), "prompts_cached",
    ),
    "semantic_cache": (
        lambda: one(WHOLE, "a r tools 0 10", "c r model 10 90 call"), "tools_used",
    ),
    "fewer_llm_calls": (calls, "single_call"),
    "output_length": (lambda: calls(output_tokens=13), "answers_short"),
    "reasoning_budget": (calls, "reasoning_tokens"),
    "stream_tokens": (calls, "already_streaming"),
    "smaller_model": (lambda: stage("model", 10, 20), "stage_small"),
    "model_routing": (
        lambda: gathered(call("t0", model="a"), call("t1", model="b")), "several_models",
    ),
    "prefix_caching": (lambda: calls(input_tokens=1000, cached_tokens=500), "cache_on"),
    "weight_fp8": (lambda: calls(attributes={"gpu.name": "NVIDIA A10"}), "gpu_without_fp8"),
    "weight_int4": (lambda: calls(model="llama-awq"), "already_quantised"),
    "kv_fp8": (lambda: calls(input_tokens=1000), "context_short"),
    "spec_model": (provider_call, "hosted_model"),
    "engine_cpu_offpath": (calls, "stage_absent"),
    "preemption_avoidance": (lambda: measured(CALM), "no_preemptions"),
}  # fmt: skip
