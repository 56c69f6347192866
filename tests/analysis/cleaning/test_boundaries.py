"""Exactly where each rule of cleaning begins to hold, and which of two candidates it takes."""

import pytest
from builders import MS, row
from cleaned import cleaned, link, ms, roots_of
from strategies import nodes
from trees import node

from analysis.cleaning import clean
from analysis.cleaning.forest import same_clock, tolerance
from analysis.cleaning.lengths import EPOCH_NS
from analysis.cleaning.waiting import outlives, starts_inside

CLOCKS = [  # host and service of both, whether they share a clock
    ("h", "a", "h", "b", True),
    ("h", "a", "g", "a", False),
    ("h", "a", None, "a", True),
    (None, "a", "h", "a", True),
    (None, "a", "h", "b", False),
    ("h", "a", None, "b", False),
    (None, None, None, "a", True),
    (None, "a", None, None, True),
    (None, "a", None, "b", False),
]


@pytest.mark.parametrize(("host", "service", "other_host", "other_service", "same"), CLOCKS)
def test_a_clock_is_the_host_or_else_the_service(host, service, other_host, other_service, same):
    one, other = node("a", 0, 1, service=service), node("b", 0, 1, service=other_service)
    one.host, other.host = host, other_host
    assert same_clock(one, other) is same


def test_a_child_may_stick_out_by_a_millisecond_or_by_a_hundredth():
    assert tolerance(node("a", 0, 100 * MS)) == MS
    assert tolerance(node("a", 0, 100 * MS + 100)) == MS + 1
    parent = node("a", 0, 50 * MS)
    assert not outlives(parent, node("b", 1, 51 * MS))
    assert outlives(parent, node("b", 1, 51 * MS + 1))
    assert starts_inside(parent, node("b", -MS, 9))
    assert not starts_inside(parent, node("b", -MS - 1, 9))


@pytest.mark.parametrize(("end", "start"), [(EPOCH_NS, 0), (EPOCH_NS + 1, EPOCH_NS + 1)])
def test_a_start_of_zero_is_missing_beside_a_date_only(end, start):
    (root,) = clean(nodes([row("a . web server - - x", start_ns=0, end_ns=end)]))
    assert (root.start, root.end, "incomplete" in root.flags) == (start, end, start > 0)


def test_a_missing_start_is_the_earliest_child_s_or_the_end_where_that_is_earlier():
    lines = ("b a web internal 20 30 x", "c a web internal 10 40 y")
    assert ms(cleaned("a . web server - 50 chat", *lines)["a"]) == (10, 50)
    assert ms(cleaned("a . web server - 5 chat", *lines)["a"]) == (5, 5)


def test_a_root_without_any_time_lies_at_the_first_start_of_its_trace():
    lines = ("b . web server 20 30 x", "c . web server 10 40 y")
    assert ms(cleaned("a . web server - - chat", *lines)["a"]) == (10, 10)


def test_a_child_without_any_time_lies_at_its_parent_s_start():
    lines = ("r . web server 0 90 x", "p r web internal 20 60 y", "a p web internal - - z")
    assert ms(cleaned(*lines)["a"]) == (20, 20)


def test_a_child_without_any_time_bounds_nothing():
    event = {"events": [{"name": "e", "time_ns": None, "attributes": {}}]}
    lines = ("r . web server 0 90 x", "p r web internal 40 - y", "a p web internal - - z")
    assert ms(cleaned(*lines, "b p web internal 50 70 w", a=event)["p"]) == (40, 70)
    lines = ("r . web server 0 90 x", "p r web internal - - y", "a p web internal - - z")
    assert ms(cleaned(*lines, "b p web internal 50 70 w")["p"]) == (50, 70)


def test_a_span_that_only_waits_for_others_lies_where_they_do():
    lines = ("r . web server 0 90 x", "p r web internal - - y", "b p web internal 50 70 w")
    late = "c p web internal 60 95 log"
    assert ms(cleaned(*lines, late, c=link("p", "follows_from"))["p"]) == (50, 70)


def test_a_trace_without_any_time_lies_at_zero():
    (root,) = roots_of("a . web server - - x", "b a web client - - y")
    assert (root.start, root.end, root.children[0].end) == (0, 0, 0)


def test_an_event_without_a_time_bounds_nothing():
    event = {"events": [{"name": "e", "time_ns": None, "attributes": {}}]}
    assert ms(cleaned("a . web server 5 - x", a=event)["a"]) == (5, 5)


def test_a_start_of_zero_without_an_end_is_a_start():
    (root,) = clean(nodes([row("a . web server - - x", start_ns=0)]))
    assert (root.start, root.end, root.flags) == (0, 0, {"incomplete": None})


def test_a_root_that_ends_where_it_starts_has_an_end():
    found = cleaned("a . web server 5 5 x", "b a web client 5 9 y")
    assert (ms(found["a"]), found["a"].flags) == ((5, 5), {})
