"""The two applications: guardrails, session, retrieval, prompt, model call, audit log."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from data.samples.engine import Job
from data.samples.model_call import FASTAPI, HTTPX, chat
from data.samples.places import MS, Place, app, place
from data.samples.spans import CLIENT, CONSUMER, INTERNAL, PRODUCER, SERVER, Draft, Trace
from data.samples.workload import Order

REDIS: Final = "opentelemetry.instrumentation.redis"
NEMO: Final = "nemo_guardrails"
KAFKA: Final = "opentelemetry.instrumentation.confluent_kafka"
OWN: Final = "app"

Path = Generator[int, Job, int]
"""Yields when the model is asked, returns when the first byte leaves (ns; 0: with the last)."""


def serve(trace: Trace, order: Order) -> Path:
    """The application's SERVER span and all that happens inside it."""
    here = app(order.service, trace.rng.randrange(2), trace.now)
    name = f"POST {order.route}"
    with trace.span(name, here, SERVER, FASTAPI, http__request__method="POST") as server:
        server.attributes |= {"http.route": order.route, "url.path": order.route}
        first_ns = yield from _handle(trace, order, here, server)
        trace.spend("app_logic", 0.9)
    if order.quirk == "headers":
        server.end_ns = first_ns
    server.attributes.setdefault("http.response.status_code", 200)
    return first_ns


def _handle(trace: Trace, order: Order, here: Place, server: Draft) -> Path:
    trace.spend("app_logic", 2.1)
    _guardrail(trace, here, "input", 86)
    if order.quirk == "blocked":
        server.attributes["app.blocked"] = True
        return 0
    _session(trace, order, here)
    if order.service == "assistant-api" and not _retrieval(trace, order, here):
        server.fail("vector search timed out", **{"http.response.status_code": 504})
        return 0
    with trace.span("prompt_build", here, INTERNAL, OWN) as build:
        build.attributes |= {
            "code.function.name": "render_prompt",
            "app.system_tokens": order.system_tokens,
            "app.template": f"{order.route[1:]}@{here.version}",
        }
        trace.spend("pre_post_processing", 3.2 if order.service == "chat-api" else 5.5)
    job = yield from chat(trace, order, here)
    if job.failed:
        server.fail("the model is overloaded", **{"http.response.status_code": 503})
        return 0
    if order.quirk != "headers":
        _after(trace, order, here, job)
    return job.first_token_ns + trace.draw(2.4)


def _after(trace: Trace, order: Order, here: Place, job: Job) -> None:
    """The last sentence is checked while the final tokens arrive; then the logs."""
    decode_ns = job.last_token_ns - job.first_token_ns
    lead = min(trace.draw(34), decode_ns // 3)
    trace.rewind(lead)
    _guardrail(trace, here, "output", 104, at_least_ns=lead + 2 * MS)
    if trace.rng.random() < 0.08:
        with trace.span("POST", here, CLIENT, HTTPX, http__request__method="POST") as flush:
            flush.attributes |= {
                "url.full": "http://otel-collector:4318/v1/logs",
                "http.response.status_code": 200,
            }
            trace.spend("observability_export", 145, 0.4)
    (_audit_task if order.service == "chat-api" else _audit_message)(trace, here)


def _guardrail(
    trace: Trace, here: Place, rail: str, median_ms: float, at_least_ns: int = 0
) -> None:
    there = place("guardrails", trace.rng.choices((0, 1, 2), (50, 38, 12))[0])
    url = {"url.full": "http://guardrails:8090/v1/check", "server.address": "guardrails"}
    begun = trace.now
    with trace.span("POST", here, CLIENT, HTTPX, http__request__method="POST") as http:
        http.attributes |= url
        trace.spend("internal_network", 0.8)
        with trace.span("guardrails.request", there, SERVER, NEMO):
            trace.spend("guardrails", 1.1)
            with trace.span("guardrails.rail", there, INTERNAL, NEMO, rail__type=rail) as check:
                check.attributes |= {"rail.name": f"self check {rail}", "rail.stop": False}
                trace.spend("guardrails", median_ms, 0.35)
                trace.until(begun + at_least_ns, "guardrails")
            trace.spend("guardrails", 0.3)
        trace.spend("internal_network", 0.7)
        http.attributes["http.response.status_code"] = 200


def _session(trace: Trace, order: Order, here: Place) -> None:
    steps = ("HGETALL", "LRANGE") if order.service == "chat-api" else ("HGETALL",)
    for operation in steps:
        with trace.span(operation, here, CLIENT, REDIS, db__system__name="redis") as query:
            query.attributes |= {"db.operation.name": operation, "server.address": "redis"}
            trace.spend("datastore", 1.3, 0.5)
        trace.spend("app_logic", 0.15)


def _retrieval(trace: Trace, order: Order, here: Place) -> bool:
    """Whether documents were found in time."""
    with trace.span("retrieval handbook", here, INTERNAL, OWN) as step:
        step.attributes |= {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.data_source.id": "handbook",
        }
        trace.spend("retrieval", 0.4)
        _model_step(trace, here, "embeddings", "bge-m3", 27)
        if not _vector_search(trace, order, here):
            step.fail("vector search timed out")
            return False
        _documents(trace, here)
        _model_step(trace, here, "rerank", "bge-reranker-v2-m3", 134)
        trace.spend("retrieval", 0.6)
    return True


def _model_step(trace: Trace, here: Place, operation: str, model: str, median_ms: float) -> None:
    with trace.span(f"{operation} {model}", here, CLIENT, OWN) as span:
        span.attributes |= {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": "tei",
            "gen_ai.request.model": model,
            "server.address": "tei",
        }
        trace.spend("embedding_rerank", median_ms, 0.3)


def _vector_search(trace: Trace, order: Order, here: Place) -> bool:
    with trace.span("query_points handbook", here, CLIENT, "qdrant_client") as query:
        query.attributes |= {
            "db.system.name": "qdrant",
            "db.operation.name": "query_points",
            "db.collection.name": "handbook",
            "server.address": "qdrant",
        }
        if order.quirk == "vector_timeout":
            trace.spend("retrieval", 3004, 0.001)
            query.fail("deadline exceeded", **{"error.type": "DEADLINE_EXCEEDED"})
            return False
        trace.spend("retrieval", 44, 0.5)
    return True


def _documents(trace: Trace, here: Place) -> None:
    """Six documents at once; the step lasts as long as the slowest of them."""
    begun, last = trace.now, trace.now
    for _ in range(6):
        end = begun + trace.draw(11, 0.5)
        named = {"db.system.name": "redis", "db.operation.name": "GET", "server.address": "docs"}
        trace.aside("GET doc", here, CLIENT, REDIS, begun, end).attributes = dict(named)
        begun += trace.draw(0.12)
        last = max(last, end)
    trace.until(last, "datastore")
    trace.spend("retrieval", 0.2)


def _audit_task(trace: Trace, here: Place) -> None:
    """A background task: it starts before the answer's end and nobody waits for it."""
    begun = trace.now + 20_000
    length = trace.draw(420, 0.3)
    trace.spend("app_logic", 0.3)
    with trace.span("audit_export", here, INTERNAL, OWN, code__function__name="audit") as task:
        trace.aside("POST", here, CLIENT, HTTPX, begun + 60_000, begun + length).attributes = {
            "http.request.method": "POST",
            "url.full": "http://audit-log:4318/v1/logs",
            "http.response.status_code": 200,
        }
    task.start_ns, task.end_ns = begun, begun + length + trace.draw(0.1)


def _audit_message(trace: Trace, here: Place) -> None:
    """A message to a queue; its consumer works after the request, in the same trace."""
    system = {"messaging.system": "kafka", "messaging.destination.name": "audit-events"}
    with trace.span("send audit-events", here, PRODUCER, KAFKA) as sent:
        sent.attributes |= {**system, "messaging.operation.type": "send"}
        trace.spend("internal_network", 0.35)
        begun = trace.now + trace.draw(14, 0.6)
        taken = trace.aside(
            "process audit-events", place("audit-log"), CONSUMER, KAFKA, begun, begun
        )
    taken.end_ns = begun + trace.draw(7)
    taken.attributes |= {**system, "messaging.operation.type": "process"}
    taken.links.append(sent.span_id)
