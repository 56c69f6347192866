"""Gaps between tokens: from the emitters' own events, never from a mean and never divided."""

import json

import pytest
from builders import MS, T0, spans
from hypothesis import given
from hypothesis import strategies as st
from trees import node

from analysis.derive import derive_columns, derive_each
from analysis.rules import Mark, Rule
from analysis.staging.model_calls import read_call, reported, sources
from analysis.staging.token_gaps import gap_columns, percentile
from analysis.tree import Event
from data.rules_file import default_rules

RULES = default_rules()
OPENLLMETRY = {"llm.request.type": "chat"}
GENAI = {"gen_ai.operation.name": "chat"}
EMITTERS = {
    "OpenLLMetry": (OPENLLMETRY, "gen_ai.content.completion.chunk"),
    "OpenLLMetry before 2024": (OPENLLMETRY, "llm.content.completion.chunk"),
    "LangSmith": ({"langsmith.span.kind": "llm"}, "new_token"),
    "MLflow": (GENAI, "mlflow.chunk.item.{n}"),
}
AT = (30, 37, 45, 45, 90)
MEANS = {
    "TGI": ("generate", {"total_time": "1.2s", "queue_time": "3ms", "time_per_token": "19.5ms"}),
    "TGI headers": (
        "POST",
        {
            "http.request.method": "POST",
            "http.response.header.x-queue-time": ["3"],
            "http.response.header.x-inference-time": ["50"],
            "http.response.header.x-time-per-token": ["19"],
        },
    ),
    "OpenLIT": ("chat m", GENAI | {"gen_ai.server.time_per_output_token": 0.019}),
}


def derived(attributes, events=(), name="ask", service="app"):
    """The one call, and the request, of a trace, by each way of deriving."""
    call = {"attributes": attributes, "events": list(events)}
    table = spans("a . web server 0 100 POST", f"b a {service} client 10 95 {name}", b=call).table
    found = [derive(table, RULES) for derive in (derive_each, derive_columns)]
    calls, requests = ([getattr(d, name).to_pylist() for d in found] for name in FIELDS)
    assert calls[0] == calls[1]
    assert requests[0] == requests[1]
    return calls[0][0], requests[0][0]


FIELDS = ("calls", "requests")


def events(name: str, *at_ms: float) -> list[dict]:
    return [
        {"name": name.format(n=n), "time_ns": T0 + round(ms * MS), "attributes": {}}
        for n, ms in enumerate(at_ms)
    ]


@pytest.mark.parametrize("emitter", EMITTERS)
def test_each_emitters_chunks_give_their_gaps_and_say_that_they_are_chunks(emitter):
    attributes, name = EMITTERS[emitter]
    call, request = derived(attributes, events(name, *AT))
    for row in (call, request):
        assert (row["token_gaps"], row["itl_unit"]) == (4, "chunk")
        assert row["itl_p50_ns"] == 7_500_000
        assert row["itl_p99_ns"] == 43_890_000
        assert row["itl_max_ns"] == 45 * MS
    assert request["flags"] == ["chunk_gaps"]
    assert "chunk" in json.loads(call["marks"])
    assert call["first_token_ns"] == 20 * MS


def test_without_such_events_nothing_is_known():
    call, request = derived(OPENLLMETRY | {"gen_ai.usage.output_tokens": 40})
    for row in (call, request):
        assert row["token_gaps"] is None
        assert (
            row["itl_unit"] is row["itl_p50_ns"] is row["itl_p99_ns"] is row["itl_max_ns"] is None
        )
    assert request["flags"] == []


def test_one_event_leaves_no_gap_and_no_doubt():
    call, request = derived(OPENLLMETRY, events("gen_ai.content.completion.chunk", 40))
    assert (call["token_gaps"], call["itl_p50_ns"], request["flags"]) == (0, None, [])


@pytest.mark.parametrize("emitter", MEANS)
def test_a_mean_that_the_emitter_gives_is_reported_and_no_gap(emitter):
    name, attributes = MEANS[emitter]
    service = "text-generation-inference.router" if emitter == "TGI" else "app"
    call, _request = derived(attributes, name=name, service=service)
    assert json.loads(call["reported"])["time_per_token"] in (19 * MS, 19_500_000)
    assert call["token_gaps"] is None


def own_call(tokens: int | None, *at: int, mark: str = "token"):
    """A call of a rule of one's own whose events are tokens, by what their mark says."""
    rule = Rule("r", "model", "call", marks=(Mark(mark, "^tok$", place="event"),))
    attributes = {} if tokens is None else {"output_tokens": tokens}
    made = [Event("tok", ns, {}) for ns in at] + [Event("other", 5, {}), Event("tok", None, {})]
    span = node("c", 0, 1_000, rule=rule, attributes=attributes, events=made)
    return read_call(span, [], span)


@pytest.mark.parametrize(
    ("tokens", "mark", "unit"),
    [
        (None, "token", "token"),
        (3, "token", "token"),
        (2, "token", "token"),
        (4, "token", "chunk"),
        (3, "chunk", "chunk"),
    ],
)
def test_an_event_is_a_token_where_the_rule_says_so_and_the_count_allows(tokens, mark, unit):
    call = own_call(tokens, 300, 100, 150, mark=mark)
    assert call.gaps is not None
    assert (call.gaps.unit, list(call.gaps.ns)) == (unit, [50, 150])
    assert ("chunk_gaps" in call.flags) == (unit == "chunk")
    assert sources(call) == {mark: "^tok$"}
    assert reported(call) == {}


def test_events_of_tokens_cut_nothing():
    assert [(p.stage, p.start, p.end) for p in own_call(3, 100, 150, 300).pieces] == [
        ("model", 0, 1_000)
    ]


def test_the_gaps_of_a_transport_are_those_of_its_call():
    rule = Rule("t", "internal_network", "observer", marks=(Mark("chunk", "^c$", place="event"),))
    wire = node("w", 10, 90, rule=rule, events=[Event("c", 20, {}), Event("c", 60, {})])
    call = node("c", 0, 100, rule=Rule("r", "model", "call"))
    assert gap_columns(read_call(call, [wire], call).gaps)["itl_max_ns"] == 40


def test_a_client_that_saw_the_tokens_tells_of_the_engines_call():
    lines = (
        "a . web server 0 100 POST",
        "b a web client 5 99 openai.chat",
        "c b vllm server 10 95 llm_request",
    )
    chunks = {"attributes": OPENLLMETRY, "events": events("gen_ai.content.completion.chunk", *AT)}
    table = spans(*lines, b=chunks).table
    for derive in (derive_each, derive_columns):
        found = derive(table, RULES)
        [call] = found.calls.to_pylist()
        [request] = found.requests.to_pylist()
        assert call["key"].endswith("63")
        for row in (call, request):
            assert (row["token_gaps"], row["itl_max_ns"]) == (4, 45 * MS)


def test_a_span_around_two_calls_tells_of_neither():
    lines = (
        "a . web server 0 100 POST",
        "b a web client 5 99 openai.chat",
        "c b vllm server 10 50 llm_request",
        "d b vllm server 55 95 llm_request",
    )
    chunks = {"attributes": OPENLLMETRY, "events": events("gen_ai.content.completion.chunk", *AT)}
    for derive in (derive_each, derive_columns):
        calls = derive(spans(*lines, b=chunks).table, RULES).calls.to_pylist()
        assert [call["token_gaps"] for call in calls] == [None, None]


def test_a_moved_clock_leaves_the_gaps_alone():
    chunks = {"attributes": OPENLLMETRY, "events": events("new_token", *(ms + 30 for ms in AT))}
    lines = (
        "a . web client 0 100 POST",
        "b a app server 40 125 handle",
        "c b app client 41 124 ask",
    )
    clock = {"a": {"host": "one"}, "b": {"host": "two"}, "c": {"host": "two", **chunks}}
    found = derive_each(spans(*lines, **clock).table, RULES)
    [row] = found.calls.to_pylist()
    assert "skew_corrected" in found.requests.to_pylist()[0]["flags"]
    assert (row["token_gaps"], row["itl_max_ns"]) == (4, 45 * MS)


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=40), st.sampled_from([50, 95, 99]))
def test_a_percentile_is_the_interpolated_one_to_the_nanosecond(values, percent):
    ordered = sorted(values)
    at, rest = divmod(percent * (len(ordered) - 1), 100)
    between = ordered[at : at + 2]
    twice = 200 * between[0] + 2 * rest * (between[-1] - between[0])
    assert abs(200 * percentile(ordered, percent) - twice) <= 100
