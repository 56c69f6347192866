"""What holds for every trace from its records to its figures, however awkward it is."""

import json

import pytest
from builders import MS, TRACE, row, rows
from emitted import PLAIN, SPANS, emitted_rows, moved, tidy_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cases import check_sums

from analysis.derive import Derived, derive
from analysis.spans import SpanBatch
from analysis.stages import stage_columns
from data.rules_file import default_rules

RULES = default_rules()
DAY = 86_400_000 * MS
STAGES = [*stage_columns(), "e2e_ns", "ttft_ns", "tpot_ns"]
many = settings(max_examples=100, deadline=None)


def derived(records, correct=True) -> Derived:
    found = derive(SpanBatch.from_rows(records).table, RULES, correct)
    check_sums(found)
    return found


def figures(found: Derived, columns=STAGES):
    """The figures of each request, by its key."""
    return {
        row["root_key"]: {name: row[name] for name in columns if row[name]}
        for row in found.requests.to_pylist()
    }


@many
@given(emitted_rows(), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_the_records_changes_no_row(records, chance, correct):
    again = list(records)
    chance.shuffle(again)
    assert derived(again, correct) == derived(records, correct)


@many
@given(emitted_rows(), st.booleans())
def test_what_spans_own_adds_up_and_no_span_owns_more_than_it_lasted(records, correct):
    found = derived(records, correct)
    own, lasting = {}, {row["root_key"]: row["e2e_ns"] for row in found.requests.to_pylist()}
    for span in found.spans.to_pylist():
        assert 0 <= span["self_ns"] <= span["end_ns"] - span["start_ns"]
        own[span["root_key"]] = own.get(span["root_key"], 0) + span["self_ns"]
    assert own == lasting


@many
@given(emitted_rows())
def test_the_pieces_of_a_span_tile_it(records):
    for span in derived(records).spans.to_pylist():
        pieces = json.loads(span["pieces"] or "[]")
        edge = span["start_ns"]
        for stage, start, end in pieces:
            assert f"{stage}_ns" in STAGES
            assert edge == start < end
            edge = end
        assert not pieces or edge == span["end_ns"]


@many
@given(emitted_rows())
def test_a_part_of_the_ttft_is_never_larger_than_its_part_of_the_whole(records):
    for request in derived(records).requests.to_pylist():
        for name in stage_columns() if request["ttft_ns"] is not None else ():
            assert request[f"ttft_{name}"] <= request[name]


@many
@given(emitted_rows(), st.sampled_from([1, -1, DAY, -DAY]), st.booleans())
def test_moving_all_clocks_alike_moves_the_times_alone(records, by, correct):
    if all(record["start_ns"] is None and record["end_ns"] is None for record in records):
        return  # a trace without any time lies at zero wherever its clocks stand
    before = derived(records, correct)
    after = derived([moved(record, by) for record in records], correct)
    times = {"start_ns", "end_ns", "raw_start_ns", "raw_end_ns", "pieces", "events"}
    for name in ("requests", "spans", "calls", "segments", "flags"):
        old, new = getattr(before, name), getattr(after, name)
        rest = [column for column in old.column_names if column not in times]
        assert new.select(rest) == old.select(rest), name
        for column in times.intersection(("start_ns", "end_ns")) & set(old.column_names):
            assert new[column].to_pylist() == [ns + by for ns in old[column].to_pylist()]


@many
@given(tidy_rows(), st.integers(2, 1000))
def test_times_that_are_so_many_times_as_long_give_figures_as_many_times_as_long(records, factor):
    before = figures(derived(records))
    after = figures(derived([moved(record, 0, factor) for record in records]))
    assert after == {
        key: {name: ns * factor for name, ns in row.items()} for key, row in before.items()
    }


def below(record, at_ns, **columns):
    """A plain span of no length under a record, on the same clock."""
    line = f"zz . {record['service'] or '-'} internal - - mark"
    times = {"start_ns": at_ns, "end_ns": at_ns, "host": record["host"]}
    return row(line, **times | {"parent_id": record["span_id"]} | columns)


def whole(records):
    """The records with both times, in order, and an id of their own."""
    ids = [record["span_id"] for record in records]
    timed = [r for r in records if r["start_ns"] is not None and r["end_ns"] is not None]
    return [r for r in timed if r["start_ns"] < r["end_ns"] and ids.count(r["span_id"]) == 1]


@many
@given(emitted_rows(), st.data())
def test_a_child_without_length_changes_no_figure(records, data):
    if whole(records):
        parent = data.draw(st.sampled_from(whole(records)))
        at = data.draw(st.integers(parent["start_ns"], parent["end_ns"]))
        after = figures(derived([*records, below(parent, at)]))
        assert after == figures(derived(records))


@many
@given(emitted_rows(), st.data())
def test_a_child_that_nobody_waits_for_changes_no_figure(records, data):
    lost = {record["parent_id"] for record in records} - {record["span_id"] for record in records}
    if whole(records) and lost <= {None}:  # an orphan may well belong into the child
        parent = data.draw(st.sampled_from(whole(records)))
        at = parent["start_ns"] + data.draw(st.integers(0, 50)) * MS
        link = {"trace_id": TRACE, "span_id": parent["span_id"], "type": "follows_from"}
        child = below(parent, at, end_ns=at + 70 * MS, links=[link])
        assert figures(derived([*records, child])) == figures(derived(records))


@many
@given(tidy_rows(), st.data())
def test_cutting_a_span_into_two_that_touch_keeps_every_figure(records, data):
    parents = {record["parent_id"] for record in records}
    leaves = [r for r in records[1:] if r["span_id"] not in parents]
    if leaves:
        leaf = data.draw(st.sampled_from(leaves))
        cut = data.draw(st.integers(leaf["start_ns"] + 1, leaf["end_ns"] - 1))
        halves = [leaf | {"end_ns": cut}, leaf | {"start_ns": cut, "span_id": "f" * 16}]
        rest = [record for record in records if record is not leaf]
        assert figures(derived([*rest, *halves])) == figures(derived(records))


@many
@given(st.lists(st.sampled_from(PLAIN), min_size=1, max_size=9), st.data())
def test_jitter_of_a_microsecond_moves_figures_by_microseconds(names, data):
    lines = [f"s{n} r web internal {n * 10 + 5} {n * 10 + 15} {x}" for n, x in enumerate(names)]
    records = rows("r . web server 0 120 POST /chat", *lines)
    jitter = st.sampled_from([-1000, 0, 1000])
    shaken = [
        {
            **r,
            "start_ns": r["start_ns"] + data.draw(jitter),
            "end_ns": r["end_ns"] + data.draw(jitter),
        }
        for r in records[1:]
    ]
    (before,), (after,) = (figures(derived(r)).values() for r in (records, [records[0], *shaken]))
    for name in {*before, *after}:
        assert abs(after.get(name, 0) - before.get(name, 0)) <= 2000 * (len(names) + 1)


@pytest.mark.parametrize("number", range(len(SPANS)))
def test_a_lone_span_owns_everything(number):
    name, attributes = SPANS[number]
    (record,) = rows(f"a . web internal 0 100 {name}", a={"attributes": attributes})
    found = derived([record])
    (span,) = found.spans.to_pylist()
    assert (span["self_ns"], found.requests["e2e_ns"].to_pylist()) == (100 * MS, [100 * MS])


def test_impossible_times_and_circles_end_and_add_up():
    lines = [f"n{i} n{(i * 7 + 3) % 300} web internal {i % 9} {9 - i % 13} x" for i in range(300)]
    assert derived(rows(*lines)).spans.num_rows == 300
