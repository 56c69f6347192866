"""The model call: the client's span, the router with its attempts, and the engine's own span."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from data.samples.engine import Attempt, Job
from data.samples.places import Place, place
from data.samples.spans import CLIENT, INTERNAL, SERVER, Draft, Trace
from data.samples.workload import Order

MODEL: Final = "llama-3.1-8b-instruct"
OPENAI: Final = "opentelemetry.instrumentation.openai_v2"
HTTPX: Final = "opentelemetry.instrumentation.httpx"
FASTAPI: Final = "opentelemetry.instrumentation.fastapi"
ROUTER: Final = "vllm-router"
ENGINE: Final = "vllm.llm_engine"
KNATIVE: Final = "knative.dev/serving/pkg/activator"

Steps = Generator[int, Job, Job]
"""Yields when the call reaches the router; is sent the call with its times filled in."""


def chat(trace: Trace, order: Order, here: Place) -> Steps:
    """The GenAI client's span around everything that answers it."""
    with trace.span(f"chat {MODEL}", here, CLIENT, OPENAI) as call:
        call.attributes |= {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "vllm",
            "gen_ai.request.model": MODEL,
            "gen_ai.request.stream": True,
            "gen_ai.request.max_tokens": 512,
            "server.address": "llm-router",
        }
        trace.spend("internal_network", 0.7)
        if order.service == "assistant-api":
            job = yield from _transport(trace, order, here)
        else:
            job = yield from _router(trace, order)
        trace.spend("internal_network", 0.6)
    if job.failed:
        call.fail("Error code: 503", **{"error.type": "InternalServerError"})
    else:
        _answered(call, order, job, trace.draw(1.6))
    if order.quirk == "content":
        note = "(sample text that an importer must not keep)"
        call.attributes["gen_ai.input.messages"] = f'[{{"role":"user","content":"{note}"}}]'
        call.attributes["gen_ai.output.messages"] = f'[{{"role":"assistant","content":"{note}"}}]'
    return job


def _answered(call: Draft, order: Order, job: Job, relay_ns: int) -> None:
    chunk_ns = min(job.first_token_ns + relay_ns, call.end_ns) - call.start_ns
    call.attributes |= {
        "gen_ai.response.model": MODEL,
        "gen_ai.response.time_to_first_chunk": chunk_ns / 1e9,
        "gen_ai.usage.input_tokens": order.prompt_tokens,
        "gen_ai.usage.output_tokens": order.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": order.cached_tokens,
    }


def _transport(trace: Trace, order: Order, here: Place) -> Steps:
    """Python's httpx span, which ends when the response's headers are there."""
    with trace.span("POST", here, CLIENT, HTTPX, http__request__method="POST") as http:
        http.attributes["url.full"] = "http://llm-router:8000/v1/chat/completions"
        trace.spend("internal_network", 0.6)
        job = yield from _router(trace, order)
    if not job.failed:
        http.end_ns = min(trace.now, job.first_token_ns + trace.draw(1.0))
    http.attributes["http.response.status_code"] = 503 if job.failed else 200
    return job


def _router(trace: Trace, order: Order) -> Steps:
    here = place("llm-router", trace.rng.randrange(2))
    path = "/v1/chat/completions"
    with trace.span(f"POST {path}", here, SERVER, FASTAPI, http__request__method="POST") as server:
        server.attributes |= {
            "http.route": path,
            "gen_ai.request.model": MODEL,
            "gen_ai.request.stream": True,
        }
        trace.spend("routing", 0.8)
        job = yield trace.now
        with trace.span("admission_queue", here, INTERNAL, ROUTER):
            trace.until(job.admitted_ns, "request_queue")
            trace.spend("request_queue", 0.02)
        with trace.span("select_endpoint", here, INTERNAL, ROUTER, policy="round_robin"):
            trace.until(job.attempts[0].start_ns, "routing")
        for number, attempt in enumerate(job.attempts):
            trace.until(attempt.start_ns, "retries_backoff")
            _attempt(trace, order, here, job, attempt, number)
        trace.spend("routing", 0.4)
    if job.failed:
        server.fail("no replica accepted the request")
    server.attributes["http.response.status_code"] = 503 if job.failed else 200
    return job


def _attempt(
    trace: Trace, order: Order, here: Place, job: Job, attempt: Attempt, number: int
) -> None:
    url = f"http://vllm-{attempt.replica}:8000"
    with trace.span("process_request", here, CLIENT, ROUTER, vllm__backend_url=url) as span:
        span.attributes |= {"server.address": f"vllm-{attempt.replica}", "vllm.is_streaming": True}
        if number:
            span.attributes["http.request.resend_count"] = number
        if attempt.failed:
            trace.until(attempt.end_ns, "retries_backoff")
            code = {"http.response.status_code": 503, "error.type": "503"}
            span.fail("upstream answered 503", **code)
            return
        span.attributes["http.response.status_code"] = 200
        _reach(trace, order, job)
        trace.spend("internal_network", 0.7)


def _reach(trace: Trace, order: Order, job: Job) -> None:
    """To the engine; through Knative's activator while the replica is still loading."""
    if not job.cold_ns:
        trace.until(job.engine_ns, "internal_network")
        return _engine(trace, order, job)
    here = place("activator")
    trace.until(job.engine_ns - job.cold_ns, "internal_network")
    with trace.span("throttler_try", here, INTERNAL, KNATIVE):
        trace.until(job.engine_ns - 180_417, "autoscale_cold_start")
    with trace.span("activator_proxy", here, INTERNAL, KNATIVE):
        trace.until(job.engine_ns, "internal_network")
        _engine(trace, order, job)
        trace.spend("internal_network", 0.3)
    return None


def _engine(trace: Trace, order: Order, job: Job) -> None:
    here = place("vllm", job.replica)
    with trace.span("llm_request", here, SERVER, ENGINE) as span:
        trace.until(job.queued_ns, "tokenize_detokenize")
        trace.until(job.scheduled_ns, "request_queue")
        trace.until(job.first_token_ns, "prefill")
        trace.until(job.last_token_ns, "decode")
        trace.spend("tokenize_detokenize", 1.9)
    ipc_ns = trace.draw(0.3)
    prefill, decode = job.first_token_ns - job.scheduled_ns, job.last_token_ns - job.first_token_ns
    span.attributes |= {
        "gen_ai.latency.time_to_first_token": (job.first_token_ns + ipc_ns - span.start_ns) / 1e9,
        "gen_ai.latency.e2e": (span.end_ns - span.start_ns) / 1e9,
        "gen_ai.latency.time_in_queue": (job.scheduled_ns - job.queued_ns) / 1e9,
        "gen_ai.latency.time_in_model_prefill": prefill / 1e9,
        "gen_ai.latency.time_in_model_decode": decode / 1e9,
        "gen_ai.latency.time_in_model_inference": (prefill + decode) / 1e9,
        "gen_ai.usage.prompt_tokens": order.prompt_tokens,
        "gen_ai.usage.completion_tokens": order.output_tokens,
        "gen_ai.usage.cached_tokens": order.cached_tokens,
        "gen_ai.request.model": MODEL,
        "gen_ai.response.model": MODEL,
        "gen_ai.request.id": f"chatcmpl-{trace.rng.getrandbits(64):016x}",
        "gen_ai.request.max_tokens": 512,
        "gen_ai.request.n": 1,
    }
