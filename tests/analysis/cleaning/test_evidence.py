import pytest
from builders import MS, T0, rows
from strategies import nodes

from analysis.cleaning.evidence import streams
from analysis.rules import Mark, Rule


def span(**columns):
    return nodes(rows("a . web client 0 100 x", a=columns))[0]


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.request.stream": True},
        {"llm.is_streaming": "true"},
        {"gen_ai.is_streaming": "True"},
        {"ai.operationId": "ai.streamText.doStream"},
        {"ai.response.msToFirstChunk": 12.5},
        {"gen_ai.latency.time_to_first_token": "0.25"},
        {"llm.invocation_parameters": '{"model": "m", "stream": true}'},
        {"http.response.header.content-type": ["text/event-stream; charset=utf-8"]},
        {"http.response.header.content_type": ["application/x-ndjson"]},
        {"http.response.header.content-type": "application/vnd.amazon.eventstream"},
    ],
)
def test_a_streamed_call_is_known_by_its_attributes(attributes):
    assert streams(span(attributes=attributes))


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"gen_ai.request.stream": False},
        {"llm.is_streaming": "false"},
        {"ai.operationId": "ai.generateText.doGenerate"},
        {"ai.response.msToFirstChunk": None},
        {"llm.invocation_parameters": '{"stream": false}'},
        {"http.response.header.content-type": ["application/json"]},
    ],
)
def test_other_calls_are_not(attributes):
    assert not streams(span(attributes=attributes))


@pytest.mark.parametrize("name", ["First Token Stream Event", "gen_ai.first_token", "new_token"])
def test_a_first_token_event_is_streaming_evidence(name):
    event = {"name": name, "time_ns": T0 + MS, "attributes": {}}
    assert streams(span(events=[event]))
    assert not streams(span(events=[{**event, "name": "exception"}]))


@pytest.mark.parametrize(
    "mark", [Mark("first_token", "ttft"), Mark("first_token", "^begin$", place="event")]
)
def test_a_rules_first_token_mark_is_streaming_evidence_where_it_is_present(mark):
    event = {"name": "begin", "time_ns": T0 + MS, "attributes": {}}
    marked, bare = span(attributes={"ttft": 3}, events=[event]), span(attributes={"other": 3})
    marked.rule = bare.rule = Rule("r", "model", role="call", marks=(mark,))
    assert streams(marked)
    assert not streams(bare)


SWITCHES = (
    "gen_ai.request.stream", "gen_ai.request.streaming", "gen_ai.is_streaming", "stream",
    "llm.is_streaming", "llm.request.stream", "llm.request.streaming", "vllm.is_streaming",
)  # fmt: skip
TIMES = (
    "ai.response.msToFirstChunk", "ai.stream.msToFirstChunk", "time_to_first_token_ms",
    "gen_ai.response.time_to_first_chunk", "gen_ai.server.time_to_first_token",
    "gen_ai.latency.time_to_first_token", "langfuse.observation.completion_start_time",
)  # fmt: skip


@pytest.mark.parametrize("key", SWITCHES)
def test_every_switch_counts_when_it_is_on(key):
    assert streams(span(attributes={key: True})) is True
    assert streams(span(attributes={key: False})) is False


@pytest.mark.parametrize("key", TIMES)
def test_every_attribute_of_a_first_token_counts_where_it_says_when(key):
    assert streams(span(attributes={key: 250})) is True
    assert streams(span(attributes={key: 1})) is True
    for nothing in (0, "", None):
        assert streams(span(attributes={key: nothing})) is False


@pytest.mark.parametrize("name", ["first_chunk", "first_token"])
def test_a_rule_s_mark_of_a_first_token_counts_among_others(name):
    marked = span(attributes={"ttft": 1, "queue": 5})
    marked.rule = Rule("r", "model", marks=(Mark("queue", "queue"), Mark(name, "ttft")))
    assert streams(marked) is True
    marked.attributes = {"ttft": 0, "queue": 5}
    assert streams(marked) is False


def test_a_mark_that_names_an_event_is_no_attribute_and_the_other_way_round():
    event = {"name": "begin", "time_ns": T0 + MS, "attributes": {}}
    for mark in (Mark("first_token", "begin"), Mark("first_token", "ttft", place="event")):
        marked = span(attributes={"ttft": 3}, events=[event])
        marked.rule = Rule("r", "model", marks=(mark,))
        assert streams(marked) is False


@pytest.mark.parametrize("key", ["ai.operationId", "llm.invocation_parameters", "other"])
def test_a_content_type_counts_in_its_own_place_only(key):
    assert streams(span(attributes={key: "text/event-stream", "stream": False})) is False


@pytest.mark.parametrize("key", ["content-type", "content_type"])
def test_a_streamed_content_type_counts_however_the_header_is_spelled(key):
    assert streams(span(attributes={f"http.response.header.{key}": "text/event-stream"})) is True
