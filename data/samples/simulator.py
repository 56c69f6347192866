"""The whole simulation: requests with their spans, and the truth about where their time went."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

from data.samples.engine import Cluster, Job
from data.samples.journey import travel
from data.samples.spans import SERVER, Draft, Trace, within
from data.samples.workload import Order, orders

SEED: Final = 7
IN_FRONT: Final = ("web", "cdn-edge", "istio-ingressgateway")


@dataclass(frozen=True)
class Request:
    """One simulated request; all times are true ones in ns, before any clock is off.

    `start_ns` to `end_ns` is the window that its telemetry can show at best (without the browser
    where its spans were lost); `true_stages` sums to it exactly. `job` is None where no model was
    asked, `ttft_ns` is None where no answer was streamed.
    """

    order: Order
    trace_id: str
    spans: tuple[Draft, ...]
    job: Job | None
    start_ns: int
    end_ns: int
    ttft_ns: int | None
    true_stages: dict[str, int]
    failed: bool

    @property
    def e2e_ns(self) -> int:
        """The length of the window."""
        return self.end_ns - self.start_ns

    @property
    def retried(self) -> bool:
        """Whether the router needed more than one attempt."""
        return self.job is not None and len(self.job.attempts) > 1


Walk = Generator[int, Job, int]


def simulate(seed: int = SEED, requests: int = 480, hours: int = 1) -> list[Request]:
    """That many requests; equal arguments give equal requests, to the nanosecond."""
    planned = orders(seed, requests, hours)
    traces = [Trace(order.seed, order.at_ns) for order in planned]
    walks = [travel(trace, order) for trace, order in zip(traces, planned, strict=True)]
    jobs = [_to_the_model(walk, order) for walk, order in zip(walks, planned, strict=True)]
    Cluster().run([job for job in jobs if job is not None])
    for walk, job in zip(walks, jobs, strict=True):
        if job is not None:
            _to_the_end(walk, job)
    return [_request(*parts) for parts in zip(planned, traces, jobs, strict=True)]


def _to_the_model(walk: Walk, order: Order) -> Job | None:
    try:
        at_ns = next(walk)
    except StopIteration:
        return None
    tokens = (order.prompt_tokens, order.cached_tokens, order.output_tokens)
    return Job(at_ns, order.seed, *tokens, flakes=order.flakes)


def _to_the_end(walk: Walk, job: Job) -> None:
    try:
        walk.send(job)
    except StopIteration:
        return
    raise RuntimeError("a request asked for two model calls")


def _request(order: Order, trace: Trace, job: Job | None) -> Request:
    spans = _arrived(order, trace.spans)
    start, end = _window(order, spans, trace)
    slices = within(trace.slices, start, end)
    stages: dict[str, int] = {}
    for stage, lo, hi in slices:
        stages[stage] = stages.get(stage, 0) + hi - lo
    streamed = job is not None and not job.failed
    services = {span.place.service for span in spans}
    ttft = _first_byte_ns(trace, job, services) - start if streamed else None
    failed = any(span.failed and span.parent_id == "" for span in trace.spans)
    found = tuple(spans)
    return Request(order, trace.trace_id, found, job, start, end, ttft, stages, failed)


def _first_byte_ns(trace: Trace, job: Job | None, services: set[str]) -> int:
    """When the client saw the answer begin; the first token where no client is in the trace."""
    events = trace.spans[0].events if IN_FRONT[0] in services else []
    seen = [at for name, at in events if name == "responseStart"]
    return seen[0] if seen else (job.first_token_ns if job is not None else 0)


def _arrived(order: Order, spans: list[Draft]) -> list[Draft]:
    """The spans that reached the collector."""
    if order.quirk == "beacon_lost":
        return [span for span in spans if span.place.service != "web"]
    if order.quirk == "root_lost":
        lost = (*IN_FRONT, f"{order.service}.apps")
        kept = [span for span in spans if span.place.service not in lost]
        return [s for s in kept if s.place.service != order.service or s.kind != SERVER]
    if order.quirk == "no_end":
        spans[0].unended = True
    return spans


def _window(order: Order, spans: list[Draft], trace: Trace) -> tuple[int, int]:
    """The visible window: the root's, longer where the root ended at the headers."""
    root = spans[0]
    if order.quirk == "headers":
        called = [span.end_ns for span in spans if span.name.startswith("chat ")]
        return root.start_ns, max([root.end_ns, *called])
    if order.quirk == "root_lost":
        return root.start_ns, max(span.end_ns for span in spans if span.end_ns <= trace.now)
    return root.start_ns, root.end_ns
