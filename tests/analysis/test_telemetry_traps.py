"""Where telemetry misleads: records with their emitters' own names, and what is right."""

import json

import pytest
from builders import MS, T0, spans
from test_cases import check_sums

from analysis.derive import derive
from analysis.stages import STAGES
from data.rules_file import default_rules

RULES = default_rules()
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
STREAM = CHAT | {"gen_ai.request.stream": True}
HTTP = {"http.request.method": "POST"}


class Found:
    """What was derived of one request, in ms."""

    def __init__(self, *lines, correct=True, **columns):
        self.all = derive(spans(*lines, **columns).table, RULES, correct)
        check_sums(self.all)
        (self.request,) = self.all.requests.to_pylist()
        self.spans = {span["name"]: span for span in self.all.spans.to_pylist()}
        self.flags = {row["flag"]: row["amount_ns"] for row in self.all.flags.to_pylist()}
        self.stages = {name: self.request[f"{name}_ns"] / MS for name in STAGES}
        self.stages = {name: ms for name, ms in self.stages.items() if ms}

    def ms(self, column):
        return None if self.request[column] is None else self.request[column] / MS


def latency(**seconds):
    return {"attributes": {f"gen_ai.latency.{name}": value for name, value in seconds.items()}}


def engine(name="llm_request", scope=None, **seconds):
    line = f"a . vllm server 0 1000 {name}"
    return Found(line, a=latency(**seconds) | {"scope": scope})


V1 = {"time_in_queue": 0.05, "time_in_model_prefill": 0.2, "time_in_model_decode": 0.6}


# 4.1 The same word, different interval


def test_ttft_of_vllm_counts_from_the_arrival_with_tokenizing_and_queue_in_it():
    found = engine(**V1, time_to_first_token=0.3)
    assert (found.ms("ttft_ns"), found.request["ttft_source"]) == (300, "engine")
    assert found.request["ttft_tokenize_detokenize_ns"] == 50 * MS
    assert found.request["ttft_request_queue_ns"] == 50 * MS


def test_queue_of_vllm_v1_begins_when_queued_and_that_of_v0_and_tensorrt_at_the_arrival():
    assert engine(**V1, time_to_first_token=0.3).stages["tokenize_detokenize"] == 150
    older = engine(time_in_queue=0.05, time_to_first_token=0.3)
    assert older.stages == {"request_queue": 50, "prefill": 250, "decode": 700}


def test_prefill_of_sglang_has_the_queue_in_it_and_is_not_taken_for_prefill():
    seconds = {"time_to_first_token": 0.3, "time_in_model_prefill": 0.29}
    found = engine("Req 3f9c21ab", "sglang server", **seconds)
    assert found.stages == {"model": 300, "decode": 700}


def test_true_ttft_of_llm_d_is_where_decoding_starts_and_no_first_token():
    proxied = {"llm_d.pd_proxy.true_ttft_ms": 310.0}
    lines = ("r . sidecar server 0 1000 llm_d.pd_proxy.request", "d r sidecar internal 310 1000 x")
    found = Found(*lines, d={"attributes": proxied, "name": "llm_d.pd_proxy.decode"})
    assert found.request["ttft_ns"] is None
    assert found.stages == {"mesh_sidecar": 310, "decode": 690}


def test_time_to_first_token_without_its_emitter_dates_nothing():
    given = STREAM | {"gen_ai.server.time_to_first_token": 0.2}
    found = Found("a . web client 0 1000 chat m", a={"attributes": given})
    assert (found.request["ttft_ns"], found.stages) == (None, {"model": 1000})


def test_ttft_of_litellm_starts_at_its_provider_call_and_the_request_at_its_own_start():
    given = {"gen_ai.response.time_to_first_chunk": 0.2}
    lines = ("r . gw server 0 1000 Received Proxy Server Request",)
    found = Found(*lines, "c r gw internal 50 990 litellm_request", c={"attributes": given})
    assert found.ms("ttft_ns") == 250
    assert found.stages == {"api_gateway": 60, "model": 200, "decode": 740}


def test_time_per_token_of_tgi_has_prefill_in_it_and_is_no_tpot():
    given = {"code.namespace": "text_generation_router::server", "total_time": "1s"}
    times = {"queue_time": "50ms", "inference_time": "940ms", "time_per_token": "9.4ms"}
    times |= {"validation_time": "10ms", "gen_ai.usage.output_tokens": 100}
    found = Found("a . tgi internal 0 1000 generate_stream", a={"attributes": given | times})
    assert found.request["tpot_ns"] is None
    assert found.stages == {"tokenize_detokenize": 10, "request_queue": 50, "model": 940}


def test_upstream_time_in_the_header_of_envoy_ends_at_headers_and_cuts_nothing():
    given = {"http.response.header.x-envoy-upstream-service-time": ["40"]}
    found = Found("a . web client 0 1000 POST", a={"attributes": HTTP | given})
    assert found.stages == {"unattributed": 1000}


def test_a_request_of_vllm_that_ended_before_its_first_token_still_queued():
    assert engine(time_in_queue=0.05).stages == {"request_queue": 50, "model": 950}


# 4.2 Sums that do not close


def test_queue_prefill_and_decode_leave_a_rest_that_is_shown_and_not_spread():
    found = engine(**V1, time_to_first_token=0.3)
    assert found.stages == {
        "tokenize_detokenize": 150, "request_queue": 50, "prefill": 200, "decode": 600,
    }  # fmt: skip
    (call,) = found.all.calls.to_pylist()
    assert json.loads(call["reported"])["queue"] == 50 * MS


def test_decode_is_not_end_to_end_less_ttft():
    assert engine(**V1, time_to_first_token=0.3).stages["decode"] == 600


# 4.3 When a span ends


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("POST", "opentelemetry.instrumentation.httpx"),
        ("POST", "opentelemetry.instrumentation.aiohttp_client"),
        ("ReverseProxy", "github.com/traefik/traefik"),
    ],
)
def test_a_client_that_ends_at_the_headers_lasts_as_long_as_the_stream_below_it(name, scope):
    lines = ("r . web server 0 1000 POST /chat", f"c r web client 10 60 {name}")
    engine_line = "e c vllm server 20 980 llm_request"
    found = Found(
        *lines, engine_line, c={"attributes": HTTP, "scope": scope},
        e=latency(**V1, time_to_first_token=0.3),
    )  # fmt: skip
    assert found.flags["ended_at_headers"] == 920 * MS
    assert found.stages["app_logic"] == 30
    assert found.stages["internal_network"] == 10


def test_a_client_that_ends_with_the_body_holds_decoding():
    lines = ("r . web server 0 1000 POST /chat", "c r web client 10 990 POST")
    lines += ("e c vllm server 20 980 llm_request",)
    found = Found(*lines, c={"attributes": HTTP}, e=latency(**V1, time_to_first_token=0.3))
    assert found.flags == {}
    assert found.stages["internal_network"] == 20


def test_a_stream_that_nobody_read_to_its_end_says_by_how_much_it_moved_the_request():
    given = {"llm.request.type": "chat", "gen_ai.is_streaming": True}
    lines = ("r . web server 0 1000 POST /chat", "c r web client 10 61000 openai.chat")
    found = Found(*lines, c={"attributes": given})
    assert found.flags["root_ended_early"] == 60_000 * MS
    assert found.ms("raw_e2e_ns") == 1000


OBSERVERS = {
    "gateway.request": {},
    "async envoy.service.ext_proc.v3.ExternalProcessor.Process egress": {"component": "proxy"},
    "POST /chat http receive": {"asgi.event.type": "http.disconnect"},
}


@pytest.mark.parametrize("name", OBSERVERS)
def test_an_observer_open_for_the_whole_stream_owns_nothing_of_the_work_beside_it(name):
    lines = ("r . web server 0 1000 POST /chat", f"o r web internal 5 995 {name}")
    found = Found(
        *lines, "c r web client 100 900 chat m", o={"attributes": OBSERVERS[name]},
        c={"attributes": CHAT},
    )  # fmt: skip
    assert found.stages["model"] == 800
    assert found.spans[name]["self_ns"] == 190 * MS


@pytest.mark.parametrize(("end", "flag"), [(900, "root_ended_early"), (1100, None)])
def test_the_root_of_litellm_ends_when_its_callback_runs_before_or_after_the_last_byte(end, flag):
    lines = (f"r . gw server 0 {end} Received Proxy Server Request",)
    found = Found(*lines, "c r gw internal 0 1000 litellm_request", c={"attributes": STREAM})
    assert found.flags == ({flag: 100 * MS} if flag else {})
    assert found.stages.get("api_gateway", 0) == max(0, end - 1000)


@pytest.mark.parametrize(
    ("name", "stage"),
    [("kn.queueproxy.wait", "request_queue"), ("llm_d.pd_proxy.prefill", "prefill")],
)
def test_children_of_a_span_that_has_ended_are_not_clipped_to_it(name, stage):
    lines = ("r . web server 0 1000 POST /chat", f"w r web internal 0 200 {name}")
    found = Found(*lines, "d w web internal 200 950 engine.decode")
    assert found.stages == {stage: 200, "decode": 750, "app_logic": 50}
    assert "parent_ended" in found.flags


def test_the_raw_request_of_litellm_repeats_its_parent_and_is_no_call_of_its_own():
    lines = ("r . gw internal 0 1000 litellm_request", "c r gw internal 0 1000 raw_gen_ai_request")
    found = Found(*lines)
    assert found.request["n_calls"] == 1
    assert found.stages == {"model": 1000}


# 4.4 Clocks and precision


def test_stages_by_another_clock_may_exceed_their_span_and_are_not_rescaled():
    found = engine(
        time_in_queue=0.05, time_in_model_prefill=0.25, time_in_model_decode=0.704,
        time_to_first_token=0.3,
    )  # fmt: skip
    assert found.flags["stage_sum_mismatch"] == 4 * MS
    assert found.stages == {"request_queue": 50, "prefill": 250, "decode": 700}


def test_siblings_of_two_processes_that_cross_by_the_error_of_their_clocks_lose_nothing():
    scope = {"scope": "sglang server"}
    lines = ("r . sgl internal 0 1000 Req 3f9c21ab", "q r sgl internal 0 500.5 prefill_waiting")
    found = Found(*lines, "f r sgl internal 500 1000 prefill_forward", r=scope, q=scope, f=scope)
    assert found.stages == {"request_queue": 500, "prefill": 500}
    assert found.flags == {"overlapping_siblings": MS // 2}


@pytest.mark.parametrize("minutes", [-4, 0, 3])
def test_the_clock_of_a_browser_changes_no_length(minutes):
    off = minutes * 60_000
    browser = {"scope": "@opentelemetry/instrumentation-fetch", "attributes": HTTP, "host": "b"}
    lines = (f"r . browser client {off} {off + 1000} POST", "s r web server 100 900 POST /chat")
    found = Found(*lines, r=browser, s={"host": "h"})
    assert found.stages == {"client_network": 200, "app_logic": 800}
    assert (found.flags == {}) == (minutes == 0)


def test_a_first_token_in_whole_milliseconds_that_meets_the_end_is_unknown():
    given = {"ai.operationId": "ai.streamText.doStream", "ai.response.msToFirstChunk": 400}
    given["ai.usage.outputTokens"] = 30
    found = Found("a . web internal 0 400.4 ai.streamText.doStream", a={"attributes": given})
    assert "first_token_at_end" in found.flags
    assert found.request["ttft_ns"] is None


@pytest.mark.parametrize("skew", [-300, -40, 0, 25, 700])
def test_the_way_there_and_back_together_does_not_depend_on_the_clocks(skew):
    lines = ("c . web client 0 100 POST", f"s c engine server {20 + skew} {80 + skew} serve")
    found = Found(*lines, c={"attributes": HTTP, "host": "h1"}, s={"host": "h2"})
    assert found.stages["internal_network"] == 40


# 1.4 and 1.5 Phases that are spans of their own


def calls_of(found):
    return [
        {name: None if call[f"{name}_ns"] is None else call[f"{name}_ns"] / MS
         for name in ("queue", "prefill", "decode")}
        for call in found.all.calls.to_pylist()
    ]  # fmt: skip


def test_phases_that_are_spans_are_the_calls_and_several_ranks_count_once():
    scope = {"scope": "sglang server"}
    lines = ["r . sgl server 0 1000 Req 3f9c21ab"]
    lines += ["a r sgl internal 20 1000 Scheduler [TP 0] (host:h | pid:1)"]
    lines += ["b r sgl internal 20 1000 Scheduler [TP 1] (host:h | pid:2)"]
    lines += ["q a sgl internal 50 100 prefill_waiting", "p a sgl internal 100 300 prefill_forward"]
    lines += ["u b sgl internal 55 105 prefill_waiting", "v b sgl internal 105 310 prefill_forward"]
    lines += ["d a sgl internal 310 1000 decode_loop"]
    found = Found(*lines, **{line.split()[0]: scope for line in lines})
    assert calls_of(found) == [{"queue": 55, "prefill": 210, "decode": 690}]
    (call,) = found.all.calls.to_pylist()
    assert json.loads(call["marks"])["queue"] == "span prefill_waiting"


def test_a_stall_of_tgi_is_not_its_decoding():
    given = {"code.namespace": "text_generation_router::server"}
    times = {"total_time": "1s", "queue_time": "50ms", "inference_time": "940ms"}
    lines = ("r . tgi server 0 1000 generate", "w r tgi internal 400 450 waiting")
    found = Found(*lines, r={"attributes": given | times}, w={"attributes": given})
    assert calls_of(found) == [{"queue": 50, "prefill": None, "decode": None}]


def test_phases_of_an_inner_call_or_of_work_that_nobody_waits_for_are_not_the_outer_calls():
    lines = ("r . sidecar server 0 1000 llm_d.pd_proxy.request",)
    lines += ("p r sidecar internal 0 200 llm_d.pd_proxy.prefill", "e p gpu server 10 190 chat m")
    lines += ("q e gpu internal 10 60 queue wait", "w r sidecar internal 900 1500 engine.prefill")
    found = Found(*lines, e={"attributes": CHAT})
    assert calls_of(found) == [{"queue": 50, "prefill": None, "decode": None}]
    (alone,) = calls_of(Found(lines[0], lines[1], lines[4]))
    assert alone == {"queue": None, "prefill": 200, "decode": None}


def test_after_its_computation_a_model_of_triton_queues_no_more():
    events = [{"name": "COMPUTE_START", "time_ns": T0 + 100 * MS, "attributes": {}}]
    scope = {"scope": "triton-server"}
    model = scope | {"events": events, "attributes": {"triton.model_name": "llama"}}
    lines = ("r . triton server 0 1000 InferRequest", "m r triton internal 0 1000 llama")
    found = Found(*lines, "c m triton internal 100 900 compute", r=scope, m=model, c=scope)
    assert found.stages == {"request_queue": 100, "model": 900}
    assert found.request["model"] == "llama"


@pytest.mark.parametrize("raw", [True, False])
def test_a_call_that_litellm_folds_into_its_root_is_a_call(raw):
    given = {"gen_ai.request.model": "m", "llm.is_streaming": "True"}
    counts = {"gen_ai.usage.prompt_tokens": 8, "gen_ai.usage.completion_tokens": 4}
    lines = ["r . gw server 0 1000 Received Proxy Server Request"]
    lines += ["c r gw internal 30 980 raw_gen_ai_request"] if raw else []
    found = Found(*lines, r={"attributes": given | counts})
    assert found.stages == ({"api_gateway": 50, "model": 950} if raw else {"model": 1000})
    (call,) = found.all.calls.to_pylist()
    assert (call["model"], call["input_tokens"], call["streaming"]) == ("m", 8, True)


def test_a_client_of_a_model_api_is_a_call_wherever_it_is_served():
    given = HTTP | {"url.full": "http://vllm:8000/v1/chat/completions"}
    lines = ("r . web server 0 100 POST /chat", "c r web client 10 90 POST")
    assert Found(*lines, c={"attributes": given}).stages == {"app_logic": 20, "model": 80}
    traced = Found(*lines, "e c vllm server 15 85 llm_request", c={"attributes": given})
    assert traced.stages["internal_network"] == 10


def test_the_content_type_of_its_transport_shows_that_a_call_streamed():
    answer = HTTP | {"http.response.header.content-type": ["text/event-stream"]}
    lines = ("c . web client 0 100 chat m", "h c web client 1 20 POST")
    found = Found(*lines, c={"attributes": CHAT}, h={"attributes": answer})
    (call,) = found.all.calls.to_pylist()
    assert call["streaming"] is True


@pytest.mark.parametrize("decoding", [True, False])
def test_an_engine_that_prefills_for_another_is_asked_no_question_of_its_own(decoding):
    pd = "llm_d.pd_proxy."
    tokens = {"gen_ai.usage.prompt_tokens": 812, "gen_ai.usage.completion_tokens": 1}
    first = {"attributes": latency(**V1, time_to_first_token=0.3)["attributes"] | tokens}
    lines = [f"r . sidecar server 0 1000 {pd}request", f"p r sidecar internal 0 200 {pd}prefill"]
    lines += [f"d p sidecar internal 200 1000 {pd}decode", "e p one server 5 195 llm_request"]
    lines += ["f d two server 205 995 llm_request"] if decoding else []
    found = Found(*lines, e=first, f=first)
    assert (found.request["n_calls"], found.request["total_input_tokens"]) == (1, 812)
