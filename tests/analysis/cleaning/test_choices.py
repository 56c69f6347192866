"""Which of several candidates cleaning takes, and what it takes from each."""

import pytest
from builders import MS, T0, TRACE, row, rows, span_id
from cleaned import STREAM, by_name, cleaned, link, ms
from strategies import nodes

from analysis.cleaning import clean

EVENT = {"events": [{"name": "first token", "time_ns": T0 + 3 * MS, "attributes": {}}]}


def test_clocks_are_corrected_unless_they_are_asked_to_be_left():
    lines = ("a . web client 0 100 x", "b a engine server 300 360 y")
    (root,) = clean(nodes(rows(*lines)))
    assert "skew_corrected" in root.children[0].flags


def test_a_stream_extends_a_parent_of_its_own_clock_by_any_length():
    lines = ("a . web server 0 100 chat", "b a web client 10 100.5 x")
    assert ms(cleaned(*lines, b=STREAM)["a"]) == (0, 100.5)


@pytest.mark.parametrize(("end", "extended"), [(101, False), (101.001, True)])
def test_between_clocks_a_stream_extends_its_parent_beyond_the_tolerance_only(end, extended):
    lines = ("a . web server 0 100 chat", f"b a engine server 10 {end} x")
    found = cleaned(*lines, b=STREAM)
    assert ms(found["a"]) == (0, end if extended else 100)
    assert ("outside_parent" in found["b"].flags) is not extended


def test_a_span_whose_stream_ended_with_the_parent_extends_nothing():
    lines = ("a . web server 0 100 chat", "b a web internal 10 150 x", "c b web client 20 100 y")
    found = cleaned(*lines, c=STREAM)
    assert ms(found["a"]) == (0, 100)
    assert "outlives_parent" in found["b"].flags


def test_a_call_that_ended_with_its_parent_has_answered_it():
    lines = ("a . web server 0 100 x", "b a web client 10 100 chat", "c a web client 20 200 chat")
    found = cleaned(*lines)
    assert ms(found["a"]) == (0, 100)
    assert not found["c"].blocking


def test_a_parent_made_longer_takes_an_orphan_of_its_own_service():
    lines = ("r . web server 0 50 x", "c r engine client 10 900 y", "o lost web internal 400 500 z")
    assert cleaned(*lines, c=STREAM)["o"].parent.span_id == span_id("r")


def test_an_orphan_goes_under_the_root_that_runs_and_not_under_the_latest():
    lines = ("r . web server 0 100 x", "q . web server 50 60 y", "o lost web internal 80 150 z")
    assert cleaned(*lines)["o"].parent.span_id == span_id("r")


def test_an_orphan_that_becomes_a_request_is_waited_for():
    lines = ("r . web server 0 100 x", "o lost web server 300 350 z")
    found = cleaned(*lines, o=link("lost", "follows_from"))
    assert (found["o"].parent, found["o"].blocking) == (None, True)


def test_a_span_whose_clock_is_off_by_minutes_keeps_its_parent():
    lines = (
        "a . web client 0 100 x",
        "b a web internal 10 90 y",
        "c b engine server 700000 700050 z",
    )
    found = cleaned(*lines)
    assert found["c"].parent is found["b"]
    assert "skew_over_limit" in found["c"].flags
    assert not {"parent_ended", "no_ancestor_running"} & found["c"].flags.keys()


WHOLE = {
    "name": "chat", "service": "web", "host": "h", "kind": "server", "status": "error",
    "scope": "s", "parent_id": span_id("p"),
}  # fmt: skip


@pytest.mark.parametrize("column", [*WHOLE, "events", "attributes", "resource", "links"])
def test_a_partial_record_gives_what_the_complete_one_lacks(column):
    empty = {"status": "unset", "kind": "unspecified", "name": ""}
    columns = WHOLE | EVENT | {"attributes": {"k": 1}, "resource": {"r": 1}}
    columns |= {"links": [{"trace_id": "f" * 32, "span_id": "1" * 16, "type": "link"}]}
    lacking = {**columns, column: empty.get(column, type(columns[column])())}
    lacking[column] = (
        None if column in ("service", "host", "scope", "parent_id") else lacking[column]
    )
    partial = row("a . - server 0 - x", **columns)
    complete = row("a . - server 0 9 x", **lacking)
    above = row("p . web server 0 9 x")
    full = by_name(clean(nodes([row("a . - server 0 9 x", **columns), above])))["a"]
    found = by_name(clean(nodes([partial, complete, above])))["a"]
    for name in (*WHOLE, "events", "links"):
        assert getattr(found, name) == getattr(full, name)
    assert (found.attributes, found.resource, found.end) == (
        full.attributes,
        full.resource,
        full.end,
    )
    assert found.flags == {"partial_record": None}


def test_what_the_complete_record_says_stands_against_a_partial_one():
    other = {"name": "y", "service": "web", "host": "g", "scope": "t", "status": "ok"}
    other |= {"attributes": {"k": 2, "l": 3}, "kind": "server"}
    whole = WHOLE | {"attributes": {"k": 1}, "parent_id": None}
    records = [row("a . - s 0 9 x", **whole), row("a . - s 0 - x", **whole | other)]
    (span,) = clean(nodes(records))
    assert (span.name, span.host, span.scope, span.status) == ("chat", "h", "s", "error")
    assert span.attributes == {"k": 1, "l": 3}


def halves(*records):
    return {
        span.key: span for root in clean(nodes(list(records))) for span in [root, *root.children]
    }


def test_a_shared_record_of_unknown_kind_is_the_receiving_half():
    client = row("a . web client 0 10 x")
    found = halves(client, row("a . engine unspecified 2 8 x", shared=True))
    key = span_id("a")
    assert found[f"{key}/server"].parent is found[key]


def test_a_shared_record_of_unknown_kind_is_no_copy_of_the_client_s_own():
    records = [row("a . web client 0 10 x"), row("a . web unspecified 2 8 x", shared=True)]
    assert len(halves(*records)) == 2


def test_a_start_and_an_end_that_arrived_apart_make_one_span():
    (span,) = halves(row("a . web server 3 - x"), row("a . web server - 9 x")).values()
    assert (ms(span), span.flags) == ((3, 9), {"partial_record": None})


def test_two_shared_records_make_no_pair():
    first = row("a . web client 0 10 x", shared=True, host="h1")
    second = row("a . engine server 2 8 x", shared=True, host="h2")
    assert all(span.parent is None for span in halves(first, second).values())


def test_a_record_that_does_not_say_its_service_joins_the_side_it_does_not_contradict():
    client, server = row("a . web client 0 10 x"), row("a . engine server 2 8 x")
    vague = row("a . - server 2 8 x")
    found = halves(client, server, vague)
    assert len(found) == 2
    assert found[f"{span_id('a')}/server"].service == "engine"


def test_a_shared_record_without_a_host_joins_that_of_its_service():
    server = row("a . engine server 2 8 x", shared=True, host="h")
    vague = row("a . engine server 2 8 x", shared=True)
    found = halves(row("a . web client 0 10 x"), server, vague)
    assert len(found) == 2
    assert found[f"{span_id('a')}/server"].trace_id == TRACE


def test_of_two_complete_records_one_is_kept_and_nothing_of_the_other():
    one = row("a . web server 0 9 x", attributes={"k": 1})
    (span,) = halves(one, row("a . web server 0 12 x", attributes={"l": 2})).values()
    assert (ms(span), span.attributes, span.flags) == (
        (0, 12), {"l": 2}, {"conflicting_duplicate": None},
    )  # fmt: skip


def test_a_record_without_a_start_is_no_complete_one_however_late_it_ends():
    (span,) = halves(row("a . web server 0 9 x"), row("a . web server - 50 x")).values()
    assert (ms(span), span.flags) == ((0, 9), {"partial_record": None})


def test_records_that_contradict_one_another_in_service_and_host_all_stay():
    found = halves(
        row("a . web server 0 9 x", shared=True, host="h2"),
        row("a . - server 1 8 x", shared=True, host="h1"),
        row("a . - server 2 7 x", shared=True, host="h3"),
    )
    assert len(found) == 3


def test_a_call_without_evidence_extends_its_parent_whatever_else_ran_there():
    lines = ("a . web server 0 50 x", "b a web internal 5 20 retrieve")
    found = cleaned(*lines, "c a web client 10 900 chat")
    assert ms(found["a"]) == (0, 900)


def test_a_placeholder_lasts_as_long_as_what_is_waited_for_or_else_as_all():
    lines = ("a lost web internal 10 40 x", "b lost web internal 0 90 y")
    after = link("lost", "follows_from")
    assert ms(cleaned(*lines, b=after)["a"].parent) == (10, 40)
    assert ms(cleaned(*lines, a=after, b=after)["a"].parent) == (0, 90)
    assert cleaned(*lines)["a"].flags == {}


def test_a_stream_that_began_before_its_parent_does_not_extend_it():
    found = cleaned("a . web server 0 100 x", "b a web client -20 150 y", b=STREAM)
    assert ms(found["a"]) == (0, 100)
    assert found["b"].flags == {"outside_parent": 70 * MS}


def test_the_longest_of_several_streams_below_a_span_counts():
    lines = ("a . web server 0 100 x", "b a web internal 5 150 y", "c b web client 10 150 z")
    found = cleaned(*lines, "d b web client 10 20 w", c=STREAM, d=STREAM)
    assert ms(found["a"]) == (0, 150)


def test_the_first_of_several_calls_below_a_span_answers_its_parent():
    lines = ("a . web server 0 100 x", "b a web internal 5 200 y", "c b web client 10 50 chat")
    found = cleaned(*lines, "d b web client 60 200 chat")
    assert ms(found["a"]) == (0, 100)
    assert "outlives_parent" in found["b"].flags


def test_what_starts_late_in_a_subtree_that_nobody_waits_for_stays_there():
    lines = ("a . web server 0 100 x", "b a web internal 10 50 y", "c b web internal 60 70 z")
    found = cleaned(*lines, b=link("a", "follows_from"))
    assert found["c"].parent is found["b"]
    assert "no_ancestor_running" in found["c"].flags


def test_late_children_of_several_ended_spans_all_find_the_one_that_runs():
    lines = ["r . web server 0 100 x"]
    for number in range(4):
        start = 20 * number
        lines.append(f"p{number} r web internal {start} {start + 4} y")
        lines += [
            f"c{number}{n} p{number} web internal {start + 8 + n} 99 z" for n in range(number)
        ]
    found = cleaned(*lines)
    late = [span for name, span in found.items() if name[0] == "c"]
    assert len(late) == 6
    assert all(span.parent is found["r"] and "parent_ended" in span.flags for span in late)
