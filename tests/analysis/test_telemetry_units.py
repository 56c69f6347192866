"""Units, retries, and spans that are not there: what emitters write and what it means."""

import pytest
from builders import MS, spans
from test_telemetry_traps import CHAT, HTTP, RULES, STREAM, Found

from analysis.derive import derive

# 4.5 Units at a glance

TEXT = {"code.namespace": "text_generation_router::server", "total_time": "1s"}
UNITS = {
    "seconds": ("chat m", STREAM | {"gen_ai.response.time_to_first_chunk": 0.25}),
    "milliseconds": (
        "ai.streamText.doStream",
        {"ai.operationId": "ai.streamText.doStream", "ai.response.msToFirstChunk": 250.0},
    ),
    "a date": (
        "generate",
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.completion_start_time": '"2023-11-14T22:13:20.250Z"',
        },
    ),
    "a date in quotes twice": (
        "generate",
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.completion_start_time": '"\\"2023-11-14T22:13:20.250Z\\""',
        },
    ),
}


@pytest.mark.parametrize("unit", UNITS)
def test_a_quarter_of_a_second_is_one_in_every_unit(unit):
    name, attributes = UNITS[unit]
    found = Found(f"a . web internal 0 1000 {name}", a={"attributes": attributes})
    assert (found.ms("ttft_ns"), found.stages) == (250, {"model": 250, "decode": 750})


@pytest.mark.parametrize("queue", ["250ms", "0.25s", "250000µs", "250000us", "250000000ns"])
def test_lengths_in_text_carry_their_unit(queue):
    given = TEXT | {"queue_time": queue, "inference_time": "750ms"}
    found = Found("a . tgi internal 0 1000 generate", a={"attributes": given})
    assert found.stages == {"request_queue": 250, "model": 750}


@pytest.mark.parametrize("name", ["openai-processing-ms", "openai_processing_ms"])
def test_a_header_may_be_written_with_hyphens_or_as_python_does(name):
    given = HTTP | {f"http.response.header.{name}": ["250"]}
    found = Found("a . web client 0 1000 POST", a={"attributes": given})
    assert found.stages == {"external_network": 750, "model": 250}


@pytest.mark.parametrize("value", [["250"], "250", 250, [250.0]])
def test_a_header_is_a_list_of_texts(value):
    given = HTTP | {"http.response.header.openai-processing-ms": value}
    found = Found("a . web client 0 1000 POST", a={"attributes": given})
    assert found.stages == {"external_network": 750, "model": 250}


def test_idle_time_of_dynamo_is_in_ns():
    given = {"busy_ns": 7_000, "idle_ns": 312 * MS}
    found = Found("a . router internal 0 400 kv_router.schedule", a={"attributes": given})
    assert found.stages == {"request_queue": 400}


# 4.6 Retries, sampling, missing spans


def attempts(*, second=None, statuses=(503, 200)):
    lines = (
        "c . web client 0 100 chat m",
        "h1 c web client 10 20 POST",
        "h2 c web client 50 95 POST",
    )
    codes = [{"attributes": HTTP | {"http.response.status_code": code}} for code in statuses]
    codes[1]["attributes"] |= second or {}
    return Found(*lines, c={"attributes": CHAT}, h1=codes[0], h2=codes[1])


def test_the_gap_between_two_attempts_under_a_model_call_is_backoff():
    assert attempts().stages == {"model": 60, "retries_backoff": 40}


def test_the_attempt_that_counted_is_no_waste_and_two_that_went_well_are_no_retry():
    assert attempts(statuses=(200, 200)).stages == {"model": 100}
    resent = attempts(statuses=(200, 200), second={"http.request.resend_count": 1})
    assert resent.stages == {"model": 60, "retries_backoff": 40}


def test_retry_count_of_envoy_is_a_text_from_the_second_attempt_on():
    name = "router outbound|8000||vllm egress"
    lines = ("r . gw server 0 100 ingress", f"a r gw client 5 30 {name}")
    lines += (f"b r gw client 40 95 {name}",)
    proxy = {"component": "proxy", "node_id": "router~10.1.0.9~a.b"}
    counted = {"attributes": proxy | {"retry.count": "1"}}
    found = Found(*lines, r={"attributes": proxy}, a={"attributes": proxy}, b=counted)
    assert found.stages == {"api_gateway": 10, "retries_backoff": 35, "unattributed": 55}


def test_a_failed_attempt_of_traefik_runs_until_the_next_one_begins():
    scope = {"scope": "github.com/traefik/traefik"}
    lines = (
        "r . gw server 0 100 GET",
        "a r gw internal 0 40 Retry",
        "b r gw internal 40 100 Retry",
    )
    found = Found(*lines, r=scope, a=scope, b=scope)
    assert found.stages == {"retries_backoff": 40, "api_gateway": 60}


def test_a_mark_without_length_between_two_attempts_does_not_make_them_two_decisions():
    lines = ("a . web server 0 100 POST /chat", "t a web internal 10 30 lookup")
    lines += ("m a web internal 35 35 log", "u a web internal 40 95 lookup")
    found = Found(*lines, t={"status": "error"})
    assert found.stages["retries_backoff"] == 30


def test_a_client_whose_server_is_missing_is_not_instrumented_and_no_network():
    lines = ("r . web server 0 100 POST /chat", "c r web client 10 90 POST")
    assert Found(*lines, c={"attributes": HTTP}).stages == {"app_logic": 20, "unattributed": 80}


def test_a_call_that_lost_its_engine_span_is_the_whole_call_and_no_network():
    lines = ("r . web server 0 100 POST /chat", "c r web client 10 90 chat m")
    assert Found(*lines, c={"attributes": CHAT}).stages == {"app_logic": 20, "model": 80}


def test_a_batch_of_tgi_follows_from_other_traces_and_is_a_request_of_its_own():
    link = {"trace_id": "f" * 32, "span_id": "1" * 16, "type": "follows_from"}
    found = Found("b . tgi internal 0 50 batch", b={"links": [link]})
    assert (found.ms("e2e_ns"), found.request["n_async"]) == (50, 0)


def test_work_that_follows_from_a_span_of_its_trace_is_not_waited_for():
    batch = spans("r . web server 0 100 POST /chat", "w r web internal 50 400 audit")
    parent = batch.table["span_id"][0].as_py()
    link = {"trace_id": batch.table["trace_id"][0].as_py(), "span_id": parent}
    columns = {"links": [link | {"type": "follows_from"}]}
    found = Found("r . web server 0 100 POST /chat", "w r web internal 50 400 audit", w=columns)
    assert (found.stages, found.request["n_async"]) == ({"app_logic": 100}, 1)
    assert derive(batch.table, RULES).requests["n_async"].to_pylist() == [1]
