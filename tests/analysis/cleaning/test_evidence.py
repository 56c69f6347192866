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
