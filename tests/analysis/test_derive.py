"""Whole traces in, derived tables out: rows, order, and totals that always close."""

import json

import pyarrow as pa
import pytest
from builders import MS, T0, rows, spans
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cases import check_sums

from analysis import derive as module
from analysis.derive import derive
from analysis.derived import (
    CALLS_SCHEMA,
    FLAGS_SCHEMA,
    REQUESTS_SCHEMA,
    SEGMENTS_SCHEMA,
    SPANS_SCHEMA,
)
from analysis.spans import SpanBatch
from data.rules_file import default_rules

RULES = default_rules()
CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.response.time_to_first_chunk": 0.2,
    "gen_ai.usage.input_tokens": 900,
    "gen_ai.usage.output_tokens": 51,
}
LINES = (
    "r . web server 0 1000 POST /chat",
    "g r web internal 10 60 retrieve",
    "c r web client 100 900 chat m",
    "x r web producer 950 980 publish",
)
OVER = {
    "r": {"resource": {"service.version": "7"}, "attributes": {"http.route": "/chat"}},
    "c": {"attributes": CHAT},
}


def table() -> pa.Table:
    return spans(*LINES, **OVER).table


def test_every_table_has_exactly_its_schema():
    found = derive(table(), RULES)
    assert found.requests.schema.equals(REQUESTS_SCHEMA)
    assert found.spans.schema.equals(SPANS_SCHEMA)
    assert found.calls.schema.equals(CALLS_SCHEMA)
    assert found.segments.schema.equals(SEGMENTS_SCHEMA)
    assert found.flags.schema.equals(FLAGS_SCHEMA)


def test_no_records_give_five_empty_tables():
    found = derive(table().slice(0, 0), RULES)
    assert [found.requests.num_rows, found.spans.num_rows, found.flags.num_rows] == [0, 0, 0]
    assert found.requests.schema.equals(REQUESTS_SCHEMA)


def test_a_request_carries_its_figures():
    found = derive(table(), RULES)
    check_sums(found)
    (row,) = found.requests.to_pylist()
    expected = {
        "name": "POST /chat", "route": "/chat", "service": "web", "model": "m", "version": "7",
        "emitter": "otel-genai", "status": "ok", "start_ns": T0, "e2e_ns": 1000 * MS,
        "raw_e2e_ns": 1000 * MS, "ttft_ns": 300 * MS, "ttft_source": "client_chunk",
        "tpot_ns": 12 * MS, "input_tokens": 900, "cached_tokens": None, "output_tokens": 51,
        "total_output_tokens": 51, "n_calls": 1, "n_spans": 4, "n_services": 1,
        "excluded": False, "model_ns": 200 * MS, "decode_ns": 600 * MS, "retrieval_ns": 50 * MS,
        "ttft_model_ns": 200 * MS, "ttft_decode_ns": 0,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_a_call_carries_its_marks_and_what_was_reported():
    (call,) = derive(table(), RULES).calls.to_pylist()
    expected = {
        "model": "m", "emitter": "otel-genai", "streaming": True, "queue_ns": None,
        "prefill_ns": None, "first_token_ns": 200 * MS, "decode_ns": 600 * MS,
        "output_tokens": 51, "on_path": True, "answer": True,
    }  # fmt: skip
    assert {name: call[name] for name in expected} == expected
    assert json.loads(call["marks"]) == {"first_chunk": "gen_ai.response.time_to_first_chunk"}
    assert json.loads(call["reported"]) == {"first_chunk": 200 * MS}


def test_spans_come_in_tree_order_with_depth_and_pieces():
    found = derive(table(), RULES).spans.to_pylist()
    assert [(span["name"], span["depth"]) for span in found] == [
        ("POST /chat", 0), ("retrieve", 1), ("chat m", 1), ("publish", 1),
    ]  # fmt: skip
    assert [span["pieces"] for span in found[:2]] == ["", ""]
    assert json.loads(found[2]["pieces"]) == [
        ["model", T0 + 100 * MS, T0 + 300 * MS], ["decode", T0 + 300 * MS, T0 + 900 * MS],
    ]  # fmt: skip
    assert sum(span["self_ns"] for span in found) == 1000 * MS


def test_self_time_is_what_the_segments_say():
    found = derive(table(), RULES)
    own: dict[str, int] = {}
    for segment in found.segments.to_pylist():
        own[segment["key"]] = own.get(segment["key"], 0) + segment["end_ns"] - segment["start_ns"]
    kept = {s["key"]: s["self_ns"] for s in found.spans.to_pylist() if s["self_ns"]}
    assert own == kept


def test_two_traces_come_out_by_trace_id_whatever_their_order():
    one = rows("a . web server 0 10 x", trace_id="f" * 32)
    other = rows("b . web server 0 20 y", trace_id="1" * 32)
    found = derive(SpanBatch.from_rows(one + other).table, RULES)
    assert [row["name"] for row in found.requests.to_pylist()] == ["y", "x"]


def test_a_bug_in_one_trace_stays_loud_and_names_the_trace(monkeypatch):
    def broken(root):
        raise KeyError("oops")

    monkeypatch.setattr(module, "partition", broken)
    with pytest.raises(RuntimeError, match=f"trace {table()['trace_id'][0]} .*oops"):
        derive(table(), RULES)


def test_deriving_twice_gives_the_same():
    assert derive(table(), RULES) == derive(table(), RULES)


def test_a_chain_and_a_fan_of_20000_spans_are_derived():
    chain = [f"s{n} {f's{n - 1}' if n else '.'} web internal {n / 1e3} 90 x" for n in range(20_000)]
    fan = ["r . web server 0 100 x", *(f"k{n} r web client 0 {n / 1e3} y" for n in range(19_999))]
    made = rows(*chain, trace_id="a" * 32) + rows(*fan, trace_id="b" * 32)
    found = derive(SpanBatch.from_rows(made).table, RULES)
    check_sums(found)
    assert found.spans.num_rows == 40_000


NAMES = ("chat m", "llm_request", "POST", "retrieve", "Retry", "kong.balancer", "router x egress")
times = st.integers(-3, 30)


@st.composite
def records(draw):
    made = []
    for number in range(draw(st.integers(1, 9))):
        parents = [".", "s99", *(f"s{n}" for n in range(number + 2))]
        start, end = draw(times), draw(times)
        line = (
            f"s{number} {draw(st.sampled_from(parents))} {draw(st.sampled_from('wg-'))} "
            f"{draw(st.sampled_from(['server', 'client', 'internal', 'producer', 'consumer']))} "
            f"{start} {draw(st.sampled_from([end, '-']))} {draw(st.sampled_from(NAMES))}"
        )
        first = draw(st.sampled_from([0.005, -1, 0, 0.5, "x", 0.02]))
        keys = ["gen_ai.response.time_to_first_chunk", "gen_ai.latency.time_to_first_token"]
        attributes = draw(st.sampled_from([{}, CHAT | {draw(st.sampled_from(keys)): first}]))
        status = draw(st.sampled_from(["error", "ok"]))
        made += rows(line, **{f"s{number}": {"attributes": attributes, "status": status}})
    return made


@settings(max_examples=200, deadline=None)
@given(records(), st.randoms(use_true_random=False))
def test_whatever_comes_in_adds_up_in_any_order(made, chance):
    found = derive(SpanBatch.from_rows(made).table, RULES)
    check_sums(found)
    assert found.requests.num_rows > 0
    chance.shuffle(made)
    assert derive(SpanBatch.from_rows(made).table, RULES) == found


@settings(max_examples=60, deadline=None)
@given(records())
def test_moving_all_clocks_moves_nothing_else(made):
    before = derive(SpanBatch.from_rows(made).table, RULES)
    for row in made:
        row["start_ns"] += 7 * 10**12
        row["end_ns"] = None if row["end_ns"] is None else row["end_ns"] + 7 * 10**12
    after = derive(SpanBatch.from_rows(made).table, RULES)
    moving = ["start_ns", "end_ns"]
    assert after.requests.drop_columns(moving) == before.requests.drop_columns(moving)
