"""Decisions about client spans, stages and what lies between linked spans, each held by a test."""

import json

import pytest
from builders import TRACE, span_id
from test_telemetry_traps import HTTP, STREAM, Found
from test_telemetry_units import CHAT

NETWORK = {"internal_network", "external_network", "client_network"}
PROXY = {"component": "proxy"}
SIDECAR = PROXY | {"node_id": "sidecar~10.1.2.3~api-7d9.default~default.svc.cluster.local"}
GUARD = {"gen_ai.operation.name": "run_guardrail"}
CLIENTS = {
    "outbound|8000||vllm": SIDECAR,
    "egress vllm": PROXY | {"node_id": "router~10.1.0.9~istio-ingress.istio-system"},
    "router vllm egress": PROXY,
    "async envoy.service.auth.v3.Authorization.Check egress": PROXY,
    "run_guardrail pii": GUARD,
    "tools/call weather": {"mcp.method.name": "tools/call"},
    "chat m": CHAT,
    "embeddings m": {"gen_ai.operation.name": "embeddings"},
    "POST": HTTP,
    "kong.balancer": {"try_count": 1},
}


@pytest.mark.parametrize("name", CLIENTS)
def test_the_self_time_of_a_client_is_the_wire_where_its_server_is_traced(name):
    lines = (f"c . app client 0 100 {name}", "s c callee server 30 70 POST /x")
    found = Found(*lines, c={"attributes": CLIENTS[name]})
    assert sum(found.stages.get(stage, 0) for stage in NETWORK) == 60
    assert found.spans[name]["stage"] in NETWORK


def test_the_server_span_of_a_sidecar_is_the_sidecar():
    found = Found("s . app server 0 100 inbound|8000||", s={"attributes": SIDECAR})
    assert found.stages == {"mesh_sidecar": 100}


def test_the_export_of_telemetry_keeps_its_wire():
    url = {"url.full": "http://collector:4318/v1/traces"}
    lines = ("c . app client 0 100 POST", "s c otel-collector server 30 70 POST /v1/traces")
    assert Found(*lines, c={"attributes": HTTP | url}).stages == {"observability_export": 100}


def test_a_traced_call_says_which_key_dates_its_first_token_and_not_whose_library_wrote_it():
    given = STREAM | {"gen_ai.response.time_to_first_chunk": 0.05}
    lines = ("c . app client 0 100 chat m", "s c callee server 30 95 POST /x")
    found = Found(*lines, c={"attributes": given})
    (call,) = found.all.calls.to_pylist()
    assert (call["emitter"], found.ms("ttft_ns")) == (None, 50)
    assert json.loads(call["marks"]) == {"first_chunk": "gen_ai.response.time_to_first_chunk"}


def test_the_first_body_that_an_asgi_server_sends_dates_no_first_token():
    body = {"attributes": {"asgi.event.type": "http.response.body"}}
    lines = ("s . app server 0 1000 POST /chat", "c s app client 100 900 chat m")
    lines += ("b s app internal 300 301 POST /chat http send",)
    found = Found(*lines, c={"attributes": STREAM}, b=body)
    assert found.request["ttft_ns"] is None


def test_what_lies_between_a_message_and_its_processing_stays_with_whoever_waited():
    link = {"links": [{"trace_id": TRACE, "span_id": span_id("p"), "type": "link"}]}
    lines = ("s . app server 0 100 POST /chat", "p s app producer 10 15 send jobs")
    lines += ("w p worker consumer 60 80 process jobs",)
    messaging = {"attributes": {"messaging.system": "kafka"}}
    found = Found(*lines, p=messaging, w=link | messaging)
    assert found.stages == {"app_logic": 95, "internal_network": 5}
    assert found.spans["process jobs"]["blocking"] is False
