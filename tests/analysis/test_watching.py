"""What watches a call, or passes its bytes on, owns none of its work."""

import pytest
from builders import MS, T0
from test_telemetry_traps import CHAT, HTTP, STREAM, V1, Found, latency

FILTER = "async envoy.service.ext_proc.v3.ExternalProcessor.Process egress"
PROXY = {"component": "proxy", "node_id": "router~10.1.0.9~a.b"}
SEEN = {"openinference.span.kind": "LLM", "llm.token_count.prompt": 812}


def gateway(*upstream, engine):
    first = {"name": "First Token Stream Event", "time_ns": T0 + 320 * MS, "attributes": {}}
    lines = ("r . gw server 0 1000 ingress", f"x r gw client 1 999 {FILTER}")
    lines += ("c x filter internal 3 997 ChatCompletion", *upstream)
    proxy = {"attributes": PROXY}
    seen = {"attributes": SEEN, "events": [first]}
    return Found(*lines, r=proxy, x={"attributes": {"component": "proxy"}}, c=seen, e=engine)


def test_a_call_that_a_filter_saw_beside_the_upstreams_is_the_same_question():
    upstream = ("u r gw client 10 995 router vllm egress", "e u vllm server 12 990 llm_request")
    found = gateway(*upstream, engine=latency(**V1, time_to_first_token=0.3))
    assert (found.request["n_calls"], found.request["emitter"]) == (1, "vllm")
    assert found.stages["prefill"] == 200
    assert found.stages["api_gateway"] == 2 + 9
    assert found.spans["ChatCompletion"]["observer"]


def test_a_call_that_only_a_filter_saw_is_the_call():
    found = gateway("e r gw internal 2 3 lookup", engine={})
    assert (found.request["n_calls"], found.ms("ttft_ns")) == (1, 320)
    assert found.stages["decode"] == 677


def test_calls_beside_a_filter_at_another_time_are_other_questions():
    found = gateway("e r gw client 2.5 900 chat m", engine={"attributes": CHAT})
    assert found.request["n_calls"] == 1
    later = gateway("e r gw client 0 2.5 chat m", engine={"attributes": CHAT})
    assert later.request["n_calls"] == 2


@pytest.mark.parametrize(("traced", "stage"), [(True, "internal_network"), (False, "unattributed")])
def test_sending_and_receiving_inside_a_client_are_that_clients_time(traced, stage):
    lines = ["r . api server 0 100 POST /chat", "c r api client 10 90 HTTP POST"]
    lines += ["s c api internal 10 20 http.send", "w c api internal 40 90 http.receive"]
    lines += ["e c app server 20 80 work"] if traced else []
    found = Found(*lines, c={"attributes": HTTP})
    assert found.spans["http.send"]["stage"] == stage
    assert found.stages[stage] == (20 if traced else 80)


def test_receiving_inside_a_model_call_is_cut_where_the_call_is():
    given = STREAM | {"gen_ai.response.time_to_first_chunk": 0.03}
    lines = ("c . api client 0 100 chat m", "h c api client 5 95 POST")
    found = Found(*lines, "w h api internal 20 95 http.receive", c={"attributes": given},
                  h={"attributes": HTTP})  # fmt: skip
    assert found.stages == {"model": 30, "decode": 70}


def test_a_transport_that_runs_on_after_the_one_around_it_bears_its_calls_stages():
    given = STREAM | {"gen_ai.response.time_to_first_chunk": 0.03}
    lines = ("c . api client 0 100 chat m", "h c api client 5 35 POST", "o h proxy client 6 95 out")
    sidecar = HTTP | {"component": "proxy", "node_id": "sidecar~10.1.2.3~a.b"}
    columns = {"c": given, "h": HTTP, "o": sidecar}
    found = Found(*lines, **{i: {"attributes": given} for i, given in columns.items()})
    assert found.stages == {"model": 30, "decode": 70}


BROWSER = {"scope": "@opentelemetry/instrumentation-fetch", "attributes": HTTP, "host": "b"}


@pytest.mark.parametrize(("traced", "stage"), [(True, "client_network"), (False, "unattributed")])
@pytest.mark.parametrize("service", ["web", "mobile-app"])
def test_the_wait_of_a_client_is_network_only_where_its_server_is_traced(service, traced, stage):
    columns = BROWSER if service == "web" else {"attributes": HTTP}
    lines = [f"r . {service} client 0 100 POST"]
    lines += ["s r api server 20 80 POST /chat"] if traced else []
    assert Found(*lines, r=columns).stages[stage] == (40 if traced else 100)


def test_a_browser_that_asks_a_model_itself_makes_a_model_call():
    asked = HTTP | {"http.url": "https://models.example/v1/chat/completions"}
    found = Found("r . web client 0 100 POST", r=BROWSER | {"attributes": asked})
    assert (found.stages, found.request["n_calls"]) == ({"model": 100}, 1)
