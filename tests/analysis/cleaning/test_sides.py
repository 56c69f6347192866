"""Records of one id: which are one span, which are its halves, and which record is kept."""

import itertools

import pytest
from builders import MS, T0, row, span_id
from cleaned import ms
from strategies import nodes

from analysis.cleaning import clean
from analysis.cleaning.forest import walk

A = span_id("a")


def kept(*records):
    """The spans of id `a` by their key, the same in every order of the records."""
    answers = []
    for order in itertools.permutations(records):
        spans = walk(clean(nodes(list(order))))
        answers.append({span.key.replace(A, "a"): span for span in spans if span.span_id == A})
    first = {key: (ms(span), span.name, span.flags) for key, span in answers[0].items()}
    for found in answers[1:]:
        assert {key: (ms(s), s.name, s.flags) for key, s in found.items()} == first
    return answers[0]


def test_a_consumer_of_a_producer_s_id_is_its_receiving_half():
    found = kept(row("a . web producer 0 10 send"), row("a . engine consumer 12 20 receive"))
    assert found["a"].kind == "producer"
    assert found["a/server"].parent is found["a"]
    assert found["a/server"].flags == {"messaging": None}


def test_a_sender_may_be_of_no_kind():
    found = kept(row("a . web unspecified 0 10 x"), row("a . engine server 2 8 y"))
    assert found["a"].name == "x"
    assert (found["a/server"].parent, found["a/server"].flags) == (found["a"], {})


def test_a_span_that_calls_nobody_sends_nothing():
    found = kept(row("a . web internal 0 10 x"), row("a . engine server 2 8 y"))
    assert {key: span.flags for key, span in found.items()} == {
        "a": {}, "a/server": {"shared_id": None},
    }  # fmt: skip
    assert found["a/server"].parent is None


def test_two_callers_of_one_id_make_no_pair():
    found = kept(row("a . web client 0 10 x"), row("a . engine client 2 8 y"))
    assert {key: (span.parent, span.flags) for key, span in found.items()} == {
        "a": (None, {}), "a/2": (None, {"shared_id": None}),
    }  # fmt: skip


def test_a_record_without_a_service_joins_one_side_and_joins_no_two():
    found = kept(
        row("a . engine server 0 9 x"),
        row("a . web server 1 8 y"),
        row("a . - server 0 - z", attributes={"k": 1}),
    )
    assert [span.attributes for span in found.values()] == [{"k": 1}, {}]
    assert [span.service for span in found.values()] == ["engine", "web"]


def test_a_shared_record_without_a_host_joins_one_side_and_joins_no_two():
    found = kept(
        row("a . engine server 0 9 x", shared=True, host="h1"),
        row("a . engine server 1 8 y", shared=True, host="h2"),
        row("a . engine server 0 - z", shared=True, attributes={"k": 1}),
    )
    assert [(span.host, span.attributes) for span in found.values()] == [
        ("h1", {"k": 1}), ("h2", {}),
    ]  # fmt: skip


def test_receivers_on_several_hosts_are_numbered_by_host():
    found = kept(
        row("a . web producer 0 5 send"),
        row("a . push consumer 6 7 x", shared=True, host="h1"),
        row("a . push consumer 8 9 y", shared=True, host="h2"),
    )
    assert {key: span.host for key, span in found.items()} == {
        "a": None, "a/server": "h1", "a/server/2": "h2",
    }  # fmt: skip


def test_a_record_of_no_kind_joins_the_sender_that_names_its_service():
    found = kept(row("a . web client 0 10 x"), row("a . web unspecified 0 - x"))
    assert {key: (span.kind, span.flags) for key, span in found.items()} == {
        "a": ("client", {"partial_record": None}),
    }  # fmt: skip


def test_a_shared_record_of_no_kind_is_the_server_on_its_host():
    found = kept(
        row("a . web client 0 10 x"),
        row("a . engine server 2 8 y", shared=True, host="h"),
        row("a . engine unspecified 2 - y", shared=True, host="h"),
    )
    assert list(found) == ["a", "a/server"]
    assert found["a/server"].flags == {"partial_record": None}


def test_a_shared_server_and_a_shared_consumer_are_two_spans():
    found = kept(
        row("a . web producer 0 10 x"),
        row("a . push consumer 1 5 y", shared=True, host="h"),
        row("a . push server 2 6 z", shared=True, host="h"),
    )
    assert {key: span.kind for key, span in found.items()} == {
        "a": "producer", "a/server": "consumer", "a/server/2": "server",
    }  # fmt: skip


def test_one_server_may_be_recorded_with_and_without_the_shared_mark():
    found = kept(
        row("a . web client 0 10 x"),
        row("a . push server 2 6 y"),
        row("a . push server 3 5 z", shared=True, host="h"),
    )
    assert {key: span.name for key, span in found.items()} == {
        "a": "x", "a/server": "y", "a/server/2": "z",
    }  # fmt: skip


def test_two_records_that_each_lack_something_else_are_one_span():
    found = kept(row("a . - internal 0 - x"), row("a . web unspecified - 9 x"))
    assert {key: (ms(s), s.kind, s.service) for key, s in found.items()} == {
        "a": ((0, 9), "internal", "web"),
    }  # fmt: skip


@pytest.mark.parametrize("shared", [(True, False), (False, True)])
def test_what_one_record_says_of_sharing_holds_for_the_span(shared):
    whole, part = shared
    found = kept(
        row("a . web client 0 10 x"),
        row("a . engine unspecified 2 8 y", shared=whole, host="h"),
        row("a . engine unspecified 2 - y", shared=part, host="h"),
    )
    assert found["a/server"].parent is found["a"]
    assert found["a/server"].flags == {"partial_record": None}


FULL = {
    "name": "x", "service": "web", "host": "h", "kind": "server", "status": "error", "scope": "s",
    "attributes": {"k": 1}, "resource": {"r": 1}, "parent_id": span_id("p"),
}  # fmt: skip
BARE = {"name": "", "service": None, "host": None, "kind": "unspecified", "scope": None}


def test_a_partial_record_that_says_nothing_takes_nothing_away():
    span = kept(row("a . - s 0 9 x", **FULL), row("a . - s 0 - x", **BARE))["a"]
    assert {name: getattr(span, name) for name in FULL} == FULL


def test_two_starts_without_an_end_contradict_each_other_and_the_earlier_counts():
    for names in ("xy", "yx"):
        lines = (f"a . web server 3 - {names[0]}", f"a . web server 5 - {names[1]}")
        span = kept(*map(row, lines))["a"]
        assert (ms(span), span.name) == ((3, 3), names[0])
        assert span.flags == {"conflicting_duplicate": None, "incomplete": None}


@pytest.mark.parametrize("names", ["xy", "yx"])
@pytest.mark.parametrize("starts", [(T0, T0 + MS), (0, 1)])
def test_with_equal_ends_the_earlier_start_counts_whatever_the_records_say(names, starts):
    end = starts[1] + MS
    one = row(f"a . web server - - {names[0]}", start_ns=starts[0], end_ns=end)
    other = row(f"a . web server - - {names[1]}", start_ns=starts[1], end_ns=end)
    span = kept(one, other)["a"]
    assert (span.raw_start, span.name) == (starts[0], names[0])


@pytest.mark.parametrize("names", ["xy", "yx"])
def test_a_record_with_a_start_counts_before_one_without_any_time(names):
    lines = (f"a . web server 3 - {names[0]}", f"a . web server - - {names[1]}")
    assert kept(*map(row, lines))["a"].name == names[0]


@pytest.mark.parametrize("names", ["xy", "yx"])
def test_of_two_parts_the_one_with_the_end_counts(names):
    begin = row(f"a . web server - - {names[0]}", start_ns=0)
    end = row(f"a . web server - - {names[1]}", end_ns=1)
    span = kept(begin, end)["a"]
    assert (span.start, span.end, span.name) == (0, 1, names[1])


@pytest.mark.parametrize("times", ["0 9", "0 -", "- 9", "- -"])
def test_the_record_that_is_kept_does_not_depend_on_where_the_clock_stands(times):
    taken = set()
    for by in range(40):
        records = []
        for number, name in enumerate("xy"):
            event = {"name": "e", "time_ns": T0 + (by + 3 + number) * MS, "attributes": {}}
            record = row(f"a . web server {times} {name}", events=[event])
            for column in ("start_ns", "end_ns"):
                record[column] = record[column] and record[column] + by * MS
            records.append(record)
        taken.add(kept(*records)["a"].name)
    assert len(taken) == 1


def test_events_without_a_time_are_part_of_what_a_record_says():
    event = {"name": "e", "time_ns": None, "attributes": {}}
    found = kept(row("a . web server 0 9 x", events=[event]), row("a . web server 0 9 x"))
    assert found["a"].flags == {"conflicting_duplicate": None}


def test_one_event_at_two_times_makes_two_records():
    events = [{"name": "e", "time_ns": T0 + time * MS, "attributes": {}} for time in (3, 5)]
    one, other = (row("a . web server 0 9 x", events=[event]) for event in events)
    assert kept(one, other)["a"].flags == {"conflicting_duplicate": None}


def test_the_order_in_which_attributes_were_written_makes_no_second_record():
    one, other = row("a . web server 0 9 x"), row("a . web server 0 9 x")
    one["attributes"], other["attributes"] = '{"k": 1, "l": 2}', '{"l": 2, "k": 1}'
    assert kept(one, other)["a"].flags == {}


def test_of_copies_the_one_without_a_remark_is_kept():
    remark = {"jaeger.warnings": ["duplicate span IDs"]}
    found = kept(row("a . web server 0 9 x", attributes=remark), row("a . web server 0 9 x"))
    assert (found["a"].attributes, found["a"].flags) == ({}, {})
