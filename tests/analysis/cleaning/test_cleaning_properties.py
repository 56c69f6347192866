import os

import pytest
from builders import MS, T0, row
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import nodes, trace_rows

from analysis.cleaning import clean
from analysis.cleaning.forest import same_clock, tolerance, walk

many = settings(max_examples=int(os.environ.get("SLOWPATH_EXAMPLES", "80")), deadline=None)
DAY = 86_400_000 * MS


def state(roots):
    return {
        span.key: (
            span.start,
            span.end,
            span.parent.key if span.parent else None,
            span.blocking,
            dict(sorted(span.flags.items())),
            [child.key for child in span.children],
            [event.time_ns for event in span.events],
        )
        for span in walk(roots)
    }


def places(roots):
    return {key: found[:4] for key, found in state(roots).items()}


@many
@given(trace_rows(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_is_irrelevant(records, random):
    again = list(records)
    random.shuffle(again)
    first, second = clean(nodes(records)), clean(nodes(again))
    assert state(first) == state(second)
    assert [root.key for root in first] == [root.key for root in second]


@many
@given(trace_rows(), st.data())
def test_reading_some_records_twice_is_irrelevant(records, data):
    twice = data.draw(st.lists(st.sampled_from(records), max_size=5))
    assert state(clean(nodes(records))) == state(clean(nodes([*twice, *records])))


def shifted(record, by):
    import json

    moved = dict(record)
    for key in ("start_ns", "end_ns"):
        moved[key] = None if record[key] is None else record[key] + by
    events = json.loads(record["events"])
    moved["events"] = json.dumps([{**e, "time_ns": e["time_ns"] + by} for e in events])
    return moved


@many
@given(trace_rows(), st.sampled_from([1, -1, DAY, -DAY]), st.booleans())
def test_shifting_all_clocks_alike_shifts_the_result_alone(records, by, correct):
    before = clean(nodes(records), correct)
    after = clean(nodes([shifted(record, by) for record in records]), correct)
    if all(record["start_ns"] is None and record["end_ns"] is None for record in records):
        return  # a trace without any time lies at zero wherever its clocks stand
    moved = {k: (s + by, e + by, *rest) for k, (s, e, *rest) in places(before).items()}
    assert moved == places(after)
    flags = {span.key: span.flags for span in walk(before)}
    assert flags == {span.key: span.flags for span in walk(after)}


def as_records(roots):
    import json

    return [
        row(
            f"x . - {span.kind} - - {span.name}",
            span_id=span.span_id,
            parent_id=span.parent_id,
            service=span.service,
            host=span.host,
            shared=span.shared,
            start_ns=span.start,
            end_ns=span.end,
            attributes=span.attributes,
            events=[{"name": e.name, "time_ns": e.time_ns, "attributes": {}} for e in span.events],
            links=[json.loads(json.dumps(link_columns(link))) for link in span.links],
        )
        for span in walk(roots)
        if not span.placeholder
    ]


def link_columns(link):
    return {"trace_id": link.trace_id, "span_id": link.span_id, "type": link.type}


@many
@given(trace_rows(cycles=False))
def test_cleaning_twice_changes_nothing(records):
    once = clean(nodes(records))
    assert places(clean(nodes(as_records(once)))) == places(once)


@many
@given(trace_rows(), st.booleans())
def test_every_span_has_one_place_and_an_end_after_its_start(records, correct):
    roots = clean(nodes(records), correct)
    spans = walk(roots)
    keys = [span.key for span in spans]
    assert len(keys) == len(set(keys))
    assert {record["span_id"] for record in records} <= {span.span_id for span in spans}
    for span in spans:
        assert span.start <= span.end
        assert all(child.parent is span for child in span.children)
    assert all(root.parent is None and root.blocking for root in roots)


@many
@given(trace_rows(), st.booleans())
def test_what_is_waited_for_runs_in_its_parent_or_says_that_it_is_clipped(records, correct):
    for span in walk(clean(nodes(records), correct)):
        parent = span.parent
        if parent is None or not span.blocking:
            continue
        outside = max(0, parent.start - span.start) + max(0, span.end - parent.end)
        assert span.flags.get("outside_parent", 0) == outside
        inside = parent.start - tolerance(parent) <= span.start < parent.end
        if inside and same_clock(parent, span):
            assert span.end - parent.end <= tolerance(parent)


@many
@given(trace_rows())
def test_a_correction_moves_a_span_without_changing_its_length(records):
    raw = {span.key: span for span in walk(clean(nodes(records), False))}
    for span in walk(clean(nodes(records))):
        if "skew_corrected" in span.flags and "ended_at_headers" not in span.flags:
            shift = span.flags["skew_corrected"]
            assert shift
            assert abs(shift) <= 300_000 * MS
            before = raw[span.key]
            if "ended_at_headers" not in before.flags and "incomplete" not in span.flags:
                assert (span.start, span.end) == (before.start + shift, before.end + shift)


@pytest.mark.parametrize("correct", [True, False])
def test_no_records_make_no_requests(correct):
    assert clean(nodes([]), correct) == []


def test_times_are_whole_numbers_that_no_float_has_touched():
    start = T0 + 123_456_789
    records = [row("a . web server - - x", start_ns=start, end_ns=start + 1)]
    (root,) = clean(nodes(records))
    assert (root.start, root.end, type(root.end)) == (start, start + 1, int)
