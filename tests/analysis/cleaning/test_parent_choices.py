"""Which of several parents a span hangs under, and where circles are cut."""

import pytest
from builders import MS, T0, TRACE, row, span_id
from cleaned import by_name, cleaned, link, ms, short
from strategies import nodes

from analysis.cleaning import clean


def both_orders(*records):
    """The cleaned spans by name, whose parents are the same in both orders of the records."""
    one, other = by_name(clean(nodes(list(records)))), by_name(clean(nodes(list(records[::-1]))))
    assert above(one) == above(other)
    return one


def above(found):
    return {name: short(s.parent.key) if s.parent else None for name, s in found.items()}


def links(kind, *targets):
    return [{"trace_id": TRACE, "span_id": span_id(target), "type": kind} for target in targets]


def test_of_several_child_of_links_the_one_within_the_trace_is_the_parent():
    lines = ("a . web server 0 9 x", "b a web internal 1 8 y", "c . web internal 2 7 z")
    found = cleaned(*lines, c={"links": links("child_of", "lost", "a", "b")})
    assert (found["c"].parent, found["c"].flags) == (found["a"], {})


def test_a_link_to_oneself_is_passed_over_for_the_next():
    found = cleaned(
        "a . web server 0 9 x", "c . web internal 2 7 z", c={"links": links("link", "c", "a")}
    )
    assert (found["c"].parent, found["c"].flags) == (found["a"], {"linked_only": None})


def test_a_link_of_a_span_that_names_a_lost_parent_is_no_parent():
    lines = ("a . web server 0 100 x", "b a web internal 10 20 y", "o lost web internal 30 40 z")
    found = cleaned(*lines, o=link("b"))
    assert (found["o"].parent, found["o"].flags) == (found["a"], {"parent_missing": None})


SENDER = row("b a web client 10 90 call", host="h1")
RECEIVER = row("b a engine server 20 80 work", shared=True, host="h2")
ROOT = row("a . web server 0 100 x")


@pytest.mark.parametrize(("kind", "half"), [("server", "b"), ("client", "b/server")])
def test_a_child_of_neither_service_is_called_by_the_sender_or_calls_from_the_receiver(kind, half):
    child = row(f"c b db {kind} 30 40 z", host="h2" if kind == "server" else "h1")
    assert above(both_orders(ROOT, SENDER, RECEIVER, child))["c"] == half


def test_a_server_below_two_halves_of_its_own_service_hangs_under_the_receiving_one():
    receiver = {**RECEIVER, "service": "web", "host": "h3"}
    assert (
        above(both_orders(ROOT, SENDER, receiver, row("c b web server 30 40 z")))["c"] == "b/server"
    )


@pytest.mark.parametrize(("host", "half"), [("h2", "b/server"), ("h3", "b/server/2")])
def test_of_several_receivers_that_of_the_child_s_own_host_is_its_parent(host, half):
    others = [{**RECEIVER, "host": "h2"}, {**RECEIVER, "host": "h3"}]
    child = row("c b engine client 30 40 z", host=host)
    assert above(both_orders(ROOT, SENDER, *others, child))["c"] == half


CIRCLES = [  # start and end of a and of b, in ns, and who of them becomes the root
    ((5, 9), (4, 8), "b"),
    ((4, 8), (4, 9), "b"),
    ((4, 8), (4, 8), "a"),
    ((None, 9), (4, 8), "b"),
    ((1, 9), (0, 5), "b"),
    ((0, None), (0, 1), "b"),
    ((None, 9), (None, 8), "a"),
]


@pytest.mark.parametrize(("a", "b", "root"), CIRCLES)
def test_a_circle_is_cut_at_the_earliest_and_of_those_at_the_longest(a, b, root):
    records = [row("a b web internal - - x"), row("b a web internal - - y")]
    for record, (start, end) in zip(records, (a, b), strict=True):
        record["start_ns"], record["end_ns"] = start, end
    found = both_orders(*records)
    assert {name for name, span in found.items() if "parent_cycle" in span.flags} == {root}
    assert found[root].parent is None


def test_a_lone_server_that_follows_an_absent_parent_is_a_request_all_the_same():
    found = cleaned(
        "a lost web server 0 100 x", "b a web client 10 20 y", a=link("lost", "follows_from")
    )
    assert (found["a"].parent, found["a"].blocking) == (None, True)
    assert ms(found["b"]) == (10, 20)
    assert found["a"].start == T0
    assert found["a"].end == T0 + 100 * MS
