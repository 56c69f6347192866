"""One request from the user's fetch to its last byte: browser, edge, gateway, sidecar, service."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Final

from data.samples.application import Path, serve
from data.samples.engine import Job
from data.samples.places import Place, place
from data.samples.spans import CLIENT, INTERNAL, SERVER, Draft, Trace
from data.samples.workload import Order

FETCH: Final = "@opentelemetry/instrumentation-fetch"
OTELHTTP: Final = "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
HTTPTRACE: Final = "go.opentelemetry.io/contrib/instrumentation/net/http/httptrace/otelhttptrace"
ENVOY: Final = "envoy"
TICK_NS: Final = 100_000
"""What a browser rounds its clock to."""


def travel(trace: Trace, order: Order) -> Generator[int, Job, int]:
    """Walk the whole path; yields when the model is asked, returns when the first byte is seen."""
    if order.quirk == "headers":
        return (yield from serve(trace, order))
    return (yield from _browser(trace, order))


def _browser(trace: Trace, order: Order) -> Path:
    trace.now -= trace.now % TICK_NS
    session = place("web", trace.rng.randrange(1 << 20))
    if order.quirk == "browser_clock":
        session = replace(session, skew_ns=trace.rng.choice((-1, 1)) * trace.draw(2300, 0.3))
    far = trace.rng.random() < 0.2
    trip_ms = 31.0 if not far else 74.0
    with trace.span("HTTP POST", session, CLIENT, FETCH, http__method="POST") as fetch:
        fetch.attributes |= {
            "component": "fetch",
            "http.url": f"https://assist.example.com{order.route}?v=3",
            "http.host": "assist.example.com",
            "session.id": session.instance,
        }
        fetch.events.append(("fetchStart", trace.now))
        _new_connection(trace, fetch, trip_ms)
        fetch.events.append(("requestStart", trace.now))
        trace.spend("client_network", trip_ms / 2, 0.3)
        first_ns = yield from _edge(trace, order, int(far))
        down_ns = trace.draw(trip_ms / 2, 0.3)
        end_ns = -(-(trace.now + down_ns) // TICK_NS) * TICK_NS
        seen_ns = min(end_ns, (first_ns or trace.now) + down_ns) // TICK_NS * TICK_NS
        trace.until(end_ns, "client_network")
    fetch.events += [("responseStart", seen_ns), ("responseEnd", end_ns)]
    _browser_status(fetch, trace)
    return seen_ns


def _new_connection(trace: Trace, fetch: Draft, trip_ms: float) -> None:
    """DNS, TCP and TLS to the edge, where the browser had no connection open."""
    if trace.rng.random() >= 0.18:
        return
    for begun, ended, trips in (
        ("domainLookupStart", "domainLookupEnd", 0.6),
        ("connectStart", "secureConnectionStart", 1.0),
        ("", "connectEnd", 1.1),
    ):
        if begun:
            fetch.events.append((begun, trace.now))
        trace.spend("client_network", trip_ms * trips, 0.2)
        trace.until(-(-trace.now // TICK_NS) * TICK_NS, "client_network")
        fetch.events.append((ended, trace.now))


def _browser_status(fetch: Draft, trace: Trace) -> None:
    codes = [span.attributes.get("http.response.status_code") for span in trace.spans]
    code = max((int(code) for code in codes[1:2] if code), default=200)
    fetch.attributes["http.status_code"] = code
    if code >= 500:
        fetch.fail(f"HTTP {code}")


def _edge(trace: Trace, order: Order, number: int) -> Path:
    here = place("cdn-edge", number)
    with trace.span(f"POST {order.route}", here, SERVER, OTELHTTP) as server:
        server.attributes |= {"http.request.method": "POST", "url.path": order.route}
        trace.spend("cdn_edge", 1.4)
        with trace.span("HTTP POST", here, CLIENT, OTELHTTP, http__request__method="POST") as out:
            out.attributes["server.address"] = "origin.assist.example.com"
            if trace.rng.random() < 0.2:
                _origin_connection(trace, here, 3 + 9 * number)
            trace.spend("internal_network", 2.2 + 5 * number)
            first_ns, code = yield from _gateway(trace, order)
            trace.spend("internal_network", 2.1 + 5 * number)
        trace.spend("cdn_edge", 0.8)
    for span in (server, out):
        span.attributes["http.response.status_code"] = code
        if code >= 500:
            span.fail(f"HTTP {code}")
    return first_ns


def _origin_connection(trace: Trace, here: Place, trip_ms: float) -> None:
    with trace.span("http.getconn", here, INTERNAL, HTTPTRACE):
        for name, trips in (("http.dns", 0.8), ("http.connect", 1.4), ("http.tls", 3.4)):
            trace.spend("connection_setup", 0.05)
            with trace.span(name, here, INTERNAL, HTTPTRACE):
                trace.spend("connection_setup", trip_ms * trips, 0.3)


def _tags(node: str, order: Order, cluster: str) -> dict[str, str]:
    return {
        "component": "proxy",
        "node_id": f"{node}.apps~apps.svc.cluster.local",
        "upstream_cluster": cluster,
        "http.method": "POST",
        "response_flags": "-",
    }


def _gateway(trace: Trace, order: Order) -> Generator[int, Job, tuple[int, int]]:
    number = trace.rng.randrange(2)
    here = place("istio-ingressgateway", number)
    cluster = f"outbound|8000||{order.service}.apps.svc.cluster.local"
    node = f"router~10.4.0.{11 + number}~{here.instance}"
    with trace.span("ingress", here, SERVER, ENVOY) as ingress:
        ingress.attributes |= _tags(node, order, cluster)
        trace.spend("api_gateway", 0.9)
        _check(trace, here, "auth.v3.Authorization.Check", 4.6)
        _check(trace, here, "ratelimit.v3.RateLimitService.ShouldRateLimit", 2.3)
        trace.spend("api_gateway", 0.4)
        with trace.span(f"router {cluster} egress", here, CLIENT, ENVOY, component="proxy") as out:
            trace.spend("internal_network", 0.5)
            first_ns, code = yield from _sidecar(trace, order)
            trace.spend("internal_network", 0.5)
        trace.spend("api_gateway", 0.6)
    for span in (ingress, out):
        span.attributes["http.status_code"] = str(code)
        if code >= 500:
            span.fail()
    return first_ns, code


def _check(trace: Trace, here: Place, method: str, median_ms: float) -> None:
    name = f"async envoy.service.{method} egress"
    with trace.span(name, here, CLIENT, ENVOY, component="proxy", upstream_cluster="policy"):
        trace.spend("auth_rate_limit", median_ms, 0.4)


def _sidecar(trace: Trace, order: Order) -> Generator[int, Job, tuple[int, int]]:
    number = trace.rng.randrange(2)
    here = place(f"{order.service}.apps", number)
    node = f"sidecar~10.4.2.{20 + number}~{here.instance}"
    name = f"{order.service}.apps.svc.cluster.local:8000/*"
    with trace.span(name, here, SERVER, ENVOY) as proxy:
        proxy.attributes |= _tags(node, order, "inbound|8000||")
        trace.spend("mesh_sidecar", 0.6)
        made = len(trace.spans)
        first_ns = yield from serve(trace, order)
        trace.spend("mesh_sidecar", 0.5)
    code = int(trace.spans[made].attributes["http.response.status_code"])
    proxy.attributes["http.status_code"] = str(code)
    if code >= 500:
        proxy.fail()
    return first_ns, code
