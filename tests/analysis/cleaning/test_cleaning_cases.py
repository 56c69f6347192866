"""The awkward inputs of the reference files, read and cleaned."""

import pyarrow as pa
import pytest
from builders import MS
from cleaned import ms

from analysis.cleaning import clean
from analysis.cleaning.forest import walk
from analysis.parsing import parse
from collectors import ReadReport, read


@pytest.fixture
def case(shared):
    def cleaned(pattern, correct=True):
        (path,) = sorted(shared.glob(pattern))
        with path.open("rb") as file:
            batches = [b.table for b in read(file, path.name, ReadReport())]
        traces = parse(pa.concat_tables(batches)).values()
        return [root for spans in traces for root in clean(spans, correct)]

    return cleaned


def tree(roots):
    return {s.name: (s.parent.name if s.parent else None, *ms(s)) for s in walk(roots)}


def flags(roots):
    return {span.name: span.flags for span in walk(roots) if span.flags}


def test_ids_of_two_widths_make_one_trace(case):
    assert tree(case("cases/06-*")) == {"chat": (None, 0, 100), "generate": ("chat", 20, 80)}


def test_child_of_links_carry_the_tree(case):
    found = case("cases/08-*")
    assert {name: parent for name, (parent, *_) in tree(found).items()} == {
        "chat": None,
        "generate": "chat",
        "decode": "generate",
    }
    assert flags(found) == {}


def test_a_missing_root_gives_one_request_under_a_placeholder(case):
    (root,) = case("cases/09-*")
    assert tree([root])[""] == (None, 10, 95)
    assert root.flags == {"root_missing": None}


def test_a_shared_zipkin_id_gives_four_spans(case):
    found = tree(case("cases/10-*"))
    assert {name: parent for name, (parent, *_) in found.items()} == {
        "chat": None,
        "call-gateway": "chat",
        "route": "call-gateway",
        "generate": "route",
    }


def test_exact_duplicates_give_two_spans(case):
    found = case("cases/11-*")
    assert len(walk(found)) == 2
    assert flags(found) == {}


def test_a_negative_duration_is_kept_without_length(case):
    found = case("cases/12-*")
    assert tree(found)["rerank"] == ("chat", 60, 60)
    assert flags(found) == {"rerank": {"negative_duration": -20 * MS}}


def test_a_span_that_is_its_own_parent_is_the_root(case):
    found = case("cases/13-*")
    assert tree(found) == {"chat": (None, 0, 100), "generate": ("chat", 10, 60)}
    assert flags(found) == {"chat": {"parent_cycle": None}}


def test_a_root_that_ends_before_its_stream_ends_with_it(case):
    (root,) = found = case("cases/14-*")
    assert ms(root) == (0, 900)
    assert flags(found) == {"POST /v1/chat": {"root_ended_early": 850 * MS}}


def test_follows_from_work_is_asynchronous(case):
    found = case("cases/15-*")
    assert flags(found) == {"write-audit-log": {"follows_from": None}}
    assert [s.name for s in walk(found) if not s.blocking] == ["write-audit-log"]
    assert tree(found)["chat"] == (None, 0, 100)


def test_a_skewed_server_moves_and_the_switch_shows_the_raw_times(case):
    assert tree(case("cases/16-*"))["infer"] == ("call-engine", 0, 60)
    assert flags(case("cases/16-*")) == {"infer": {"skew_corrected": 200 * MS}}
    assert tree(case("cases/16-*", False))["infer"] == ("call-engine", -200, -140)
    assert flags(case("cases/16-*", False)) == {"infer": {"outside_parent": 200 * MS}}


@pytest.mark.parametrize("number", ["17", "18"])
def test_overlapping_siblings_and_first_token_signals_need_no_repair(case, number):
    found = case(f"cases/{number}-*")
    assert flags(found) == {}
    assert all(span.blocking for span in walk(found))


def test_sixteen_orphans_of_one_parent_make_one_request(case):
    (root,) = case("real/otlp/nodejs_express*")
    assert root.placeholder
    assert len(root.children) == 16


def test_consumers_of_a_kafka_trace_are_not_waited_for(case):
    spans = walk(case("real/zipkin/messaging-kafka.json"))
    consumers = [
        s for s in spans if s.kind == "consumer" and s.parent and s.parent.kind == "producer"
    ]
    assert len(consumers) == 6
    assert not any(span.blocking for span in consumers)


def test_shared_ids_of_a_large_zipkin_trace_are_split_without_inventing_skew(case):
    spans = walk(case("real/zipkin/smartthings-*"))
    halves = [span for span in spans if "/server" in span.key]
    assert len(halves) == 42
    assert all(half.parent.span_id == half.span_id for half in halves if half.blocking)
    assert not any("skew_corrected" in span.flags for span in spans)
    assert sum("conflicting_duplicate" in span.flags for span in spans) == 2


def test_what_jaeger_remarks_on_a_duplicate_makes_no_conflict(case):
    found = case("real/jaeger/inference_lab*")
    assert len(walk(found)) == 10
    assert flags(found) == {}
