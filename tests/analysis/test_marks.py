"""Marks: numbers, texts, dates, lists and events, each with its unit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import node

from analysis.rules import Mark, Rule
from analysis.staging.marks import decoded, figure_ns, read_marks, shift_ns
from analysis.tree import Event

T = 1_700_000_000_000_000_000  # 2023-11-14T22:13:20Z


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (250, "ms", 250_000_000),
        ("250", "ms", 250_000_000),
        (0.25, "s", 250_000_000),
        (1e-9, "s", 1),
        (["12.5"], "ms", 12_500_000),
        ([["7"]], "ns", 7),
        ("1.23ms", "text", 1_230_000),
        ("800µs", "text", 800_000),
        ("800μs", "text", 800_000),
        ("4.5s", "text", 4_500_000_000),
        ("1m30s", "text", 90_000_000_000),
        ("-2ms", "text", -2_000_000),
        ("250ms", "s", 250_000_000),
        (-1, "s", -1_000_000_000),
        ("2023-11-14T22:13:20Z", "iso", T),
        ("2023-11-14T22:13:20.123456789Z", "iso", T + 123_456_789),
        ('"2023-11-14T22:13:20.5Z"', "iso", T + 500_000_000),
        ('"\\"2023-11-14T22:13:20.5Z\\""', "iso", T + 500_000_000),
        ("2023-11-14 22:13:20+00:00", "iso", T),
        ("2023-11-14T23:43:20+01:30", "iso", T),
        ("2023-11-14T22:13:20", "iso", T),
        (9_007_199_254_740_993, "ns", 9_007_199_254_740_993),
    ],
)
def test_a_value_is_read_in_its_unit(value, unit, expected):
    figure = figure_ns(value, unit)
    assert figure is not None
    assert figure.ns == expected


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (None, "s"), (True, "s"), ("", "ms"), ("soon", "ms"), ([], "ms"), (float("nan"), "s"),
        (float("inf"), "s"), ("1e999", "s"), ({}, "s"), ("12", "text"), ("2023-13-40T99:00", "iso"),
        (1700000000, "iso"), (5, "fortnight"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_no_number(value, unit):
    assert figure_ns(value, unit) is None


@given(st.integers(0, 10**18))
def test_whole_nanoseconds_survive_every_notation(ns):
    for value, unit in ((ns, "ns"), (str(ns), "ns"), (f"{ns}ns", "text"), ([ns], "ns")):
        figure = figure_ns(value, unit)
        assert figure is not None
        assert figure.ns == ns


@pytest.mark.parametrize(
    ("value", "unit", "step"),
    [(250, "ms", 1_000_000), (250.5, "ms", 1_000), (7, "ns", 1), ("1.23ms", "text", 10_000),
     ("2023-11-14T22:13:20.123Z", "iso", 1_000_000)],
)  # fmt: skip
def test_a_value_tells_how_finely_its_emitter_counts(value, unit, step):
    figure = figure_ns(value, unit)
    assert figure is not None
    assert figure.step_ns == step


def call(*marks, **columns):
    return node("c", 100, 1_000, rule=Rule("r", "model", "call", marks=marks), **columns)


def test_the_first_of_several_marks_that_is_there_counts():
    marks = (Mark("queue", "old", unit="ns"), Mark("queue", "new", unit="ns"))
    assert read_marks(call(*marks, attributes={"new": 5}))["queue"].key == "new"
    assert read_marks(call(*marks, attributes={"new": 5, "old": 6}))["queue"].key == "old"
    assert read_marks(call(*marks, attributes={"new": 5, "old": "?"}))["queue"].ns == 5


def test_a_mark_that_is_there_but_unreadable_is_known_to_be_so():
    assert read_marks(call(Mark("queue", "q"), attributes={"q": "soon"})) == {"queue": None}
    assert read_marks(call(Mark("queue", "q"), attributes={"q": -1})) == {"queue": None}
    assert read_marks(call(Mark("queue", "q"))) == {}


def test_an_offset_becomes_an_instant():
    reading = read_marks(call(Mark("first_token", "t", meaning="offset"), attributes={"t": 40}))
    assert (reading["first_token"].ns, reading["first_token"].offset_ns) == (140, 40)


def test_the_earliest_of_many_chunk_events_is_the_first():
    events = [Event("x.chunk", 300, {}), Event("x.chunk", 200, {}), Event("x.chunk", None, {})]
    marks = Mark("first_chunk", r"\.chunk$", "event")
    reading = read_marks(call(marks, events=events))["first_chunk"]
    assert (reading.ns, reading.key) == (200, r"\.chunk$")


def test_an_absolute_time_moves_with_the_clock_of_its_span():
    attributes = {"t": "1970-01-01T00:00:00.000000150Z"}
    span = call(Mark("first_chunk", "t", unit="iso", meaning="absolute"), attributes=attributes)
    span.flags["skew_corrected"] = 30
    assert shift_ns(span) == 30
    assert read_marks(span)["first_chunk"].ns == 180


def test_json_in_a_text_is_decoded_and_nothing_else():
    assert decoded('{"input": 3}') == {"input": 3}
    assert decoded("{broken") is None
    assert decoded(3) == 3
