"""Clocks learned from many traces: the line of a pair of hosts, and what it does to a trace."""

import random

import pyarrow as pa
import pytest
from builders import MS, T0
from hypothesis import given, settings
from hypothesis import strategies as st
from skewed_traces import trace
from strategies import nodes, trace_rows

from analysis.cleaning import clean
from analysis.cleaning.forest import walk
from analysis.clock_offsets import LEAST, QUARTER_NS, Bound, Offsets, bounds, fitted, offsets
from analysis.derive import derive
from analysis.parsing import parse
from analysis.rules import RuleSet
from analysis.spans import SPAN_SCHEMA

QUARTER = T0 // QUARTER_NS
START = QUARTER * QUARTER_NS
RULES = RuleSet(())


def calls(count, shift_ns=38 * MS, drift_ppb=0, seed=1, wrong=0):
    """What calls tell whose server's clock needs that shift; the first `wrong` tell something else.

    Either way takes 0.2 ms and more.
    """
    rng, found = random.Random(seed), []
    for number in range(count):
        at = rng.randrange(QUARTER_NS)
        true = shift_ns + drift_ppb * (at - QUARTER_NS // 2) // 10**9
        true += 400 * MS if number < wrong else 0
        low = true - round(MS * (0.2 + rng.expovariate(1)))
        high = true + round(MS * (0.2 + rng.expovariate(1)))
        found.append(Bound(QUARTER, "a", "b", START + at, low, high))
    return found


@pytest.mark.parametrize("drift_ppb", [0, 5_000, -50_000, 80_000])
@pytest.mark.parametrize("wrong", [0, 15])
def test_many_calls_pin_offset_and_drift_though_some_tell_something_else(drift_ppb, wrong):
    line = fitted(calls(100, drift_ppb=drift_ppb, wrong=wrong))
    for at in range(0, QUARTER_NS, QUARTER_NS // 7):
        true = 38 * MS + drift_ppb * (at - QUARTER_NS // 2) // 10**9
        assert abs(line.shift(START + at) - true) < 0.3 * MS


def test_more_calls_leave_less_room():
    few, many = (
        sum(abs(fitted(calls(count, seed=seed)).shift(START + QUARTER_NS // 2) - 38 * MS)
            for seed in range(9))
        for count in (6, 200)
    )  # fmt: skip
    assert many < few / 3


def test_the_order_of_the_calls_is_irrelevant():
    told = calls(900, drift_ppb=20_000, wrong=40)
    found = offsets(told).lines
    random.Random(2).shuffle(told)
    assert offsets(told).lines == found
    assert len(found) == 1


def test_a_line_holds_for_either_direction():
    found = offsets(calls(50))
    there = found.known("a", "b", START)
    assert there == -found.known("b", "a", START)
    assert abs(there - 38 * MS) < MS
    assert found.known("a", "b", START + QUARTER_NS) is None
    assert found.known("a", "c", START) is None


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("too few", calls(LEAST - 1)),
        ("nothing to correct", calls(50, shift_ns=0)),
        ("less than is clipped anyway", calls(50, shift_ns=MS * 3 // 4)),
        ("too many that disagree", calls(50, wrong=15)),
        ("one side only", [call._replace(high=None) for call in calls(50)]),
    ],
)
def test_no_line_where_the_calls_do_not_ask_for_one(why, told):
    assert offsets(told).lines == {}, why


def test_one_sided_calls_help_on_their_side():
    told = [*calls(6), *(call._replace(high=None) for call in calls(60, seed=5))]
    line = fitted(told)
    assert abs(line.shift(START + QUARTER_NS // 2) - 38 * MS) < MS


def learned(table):
    return offsets(bound for spans in parse(table).values() for bound in bounds(spans))


def test_what_each_trace_would_only_clip_all_of_them_correct():
    every = [row for number in range(40) for row in trace(number, 8)]
    table = pa.Table.from_pylist(every, schema=SPAN_SCHEMA)
    flags = derive(table, RULES).flags.to_pylist()
    assert {row["flag"] for row in flags} == {"outside_parent"}
    flags = derive(table, RULES, offsets=learned(table)).flags.to_pylist()
    assert {row["flag"] for row in flags} == {"skew_corrected"}
    assert len(flags) == 40
    assert all(abs(row["amount_ns"] - 8 * MS) < MS for row in flags)


def test_a_call_that_does_not_fit_the_line_is_set_by_its_trace_alone():
    every = [row for number in range(40) for row in trace(number, 8)]
    table = pa.Table.from_pylist(every, schema=SPAN_SCHEMA)
    odd = pa.Table.from_pylist(trace(41, 300), schema=SPAN_SCHEMA)
    found = derive(odd, RULES, offsets=learned(table))
    assert found.requests.equals(derive(odd, RULES).requests)
    assert found.flags.to_pylist()[0]["amount_ns"] > 290 * MS


def test_a_parent_that_is_no_client_says_nothing_of_the_clocks():
    made = [{**row, "kind": "internal"} if row["name"] == "call" else row for row in trace(1, 8)]
    assert len(bounds(nodes_of(trace(1, 8)))) == 1
    assert bounds(nodes_of(made)) == []


def nodes_of(made):
    return next(iter(parse(pa.Table.from_pylist(made, schema=SPAN_SCHEMA)).values()))


@settings(max_examples=200, deadline=None)
@given(trace_rows(), st.integers(-300, 300))
def test_with_lines_the_order_of_records_is_irrelevant_and_no_round_moves_a_span_twice(made, ms):
    def known(parent, child):
        order = (parent.host, child.host)
        return {("h1", "h2"): ms * MS, ("h2", "h1"): -ms * MS}.get(order)

    def spans_after(records):
        return sorted((s.key, s.start, s.end, sorted(s.flags.items(), key=str))
                      for s in walk(clean(nodes(records), known=known)))  # fmt: skip

    assert spans_after(made) == spans_after(made[::-1])
    for span in walk(clean(nodes(made), known=known)):
        if span.raw_start and span.raw_end and span.raw_end > span.raw_start:
            moved = span.flags.get("skew_corrected") or 0
            clipped = "outside_parent" in span.flags
            assert clipped or span.start == span.raw_start + moved or span.placeholder


def test_without_lines_nothing_is_known():
    client, server = (node for node in nodes_of(trace(1, 8)) if node.name != "chat")
    assert Offsets({}).between(client, server) is None
