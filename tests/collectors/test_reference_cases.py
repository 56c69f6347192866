"""The awkward inputs beside the checkout: what each must read as, before any cleaning."""

from collections import Counter

import pytest
from exports import parsed, read_all, rows

from analysis.errors import UserError

T0 = 1_700_000_000_000_000_000
MS = 1_000_000
TRACE = "5b8efff798038103d269b633813fc60c"


def read(shared, number):
    return rows(next((shared / "cases").glob(f"{number}-*")))


def times(row):
    return (row["start_ns"] - T0) / MS, (row["end_ns"] - T0) / MS


def by_name(read_rows):
    return {row["name"]: row for row in read_rows}


@pytest.mark.parametrize("number", ["01", "02", "07"])
def test_wrapped_concatenated_and_marked_exports_read_as_the_plain_trace(shared, number):
    found = by_name(read(shared, number))
    assert {row["trace_id"] for row in found.values()} == {TRACE}
    assert times(found["chat"]) == (0, 100)
    assert times(found["generate"]) == (20, 80)
    assert found["chat"]["parent_id"] is None
    assert found["generate"]["parent_id"] == found["chat"]["span_id"] == "0000000000000001"
    assert found["chat"]["service"] == "web"
    assert found["chat"]["host"] == "web-host"


def test_kinds_and_statuses_are_read_from_names_and_numbers(shared):
    found = by_name(read(shared, "03"))
    kinds = [found[name]["kind"] for name in ("chat", "generate", "decode")]
    assert kinds == ["server", "client", "unspecified"]
    statuses = [found[name]["status"] for name in ("chat", "generate", "decode")]
    assert statuses == ["unset", "ok", "error"]


def test_64_bit_integers_in_strings_stay_exact(shared):
    attributes = parsed(read(shared, "04")[0])
    assert attributes == {
        "app.big": 9223372036854775807,
        "gen_ai.request.temperature": 0.25,
        "gen_ai.usage.input_tokens": 1200,
        "gen_ai.usage.output_tokens": 87,
    }
    assert type(attributes["app.big"]) is int


@pytest.mark.parametrize(
    ("number", "name"), [("05", "Python OpenTelemetry console exporter"), ("24", "Chrome trace")]
)
def test_a_format_that_is_not_read_is_refused_by_its_name(shared, number, name):
    with pytest.raises(UserError, match=name):
        read(shared, number)


def test_ids_are_padded_on_the_left_so_that_the_child_finds_its_parent(shared):
    found = by_name(read(shared, "06"))
    assert {row["trace_id"] for row in found.values()} == {"00000000000000001a2b3c4d5e6f7081"}
    assert found["generate"]["parent_id"] == found["chat"]["span_id"] == "00000000000000a1"
    assert found["generate"]["span_id"] == "00000000000000b2"
    assert parsed(found["generate"], "links") == []


def test_child_of_links_stay_links_with_their_type(shared):
    found = by_name(read(shared, "08"))
    assert all(row["parent_id"] is None for row in found.values())
    link = {"span_id": found["chat"]["span_id"], "trace_id": TRACE, "type": "child_of"}
    assert parsed(found["generate"], "links") == [link]
    assert parsed(found["chat"], "links") == []


def test_a_parent_that_never_arrived_is_still_named(shared):
    assert {row["parent_id"] for row in read(shared, "09")} == {"000000000000dead"}


def test_both_halves_of_a_shared_zipkin_span_are_kept(shared):
    found = by_name(read(shared, "10"))
    assert len(found) == 4
    halves = found["call-gateway"], found["route"]
    assert [half["span_id"] for half in halves] == ["000000000000000b"] * 2
    assert [half["shared"] for half in halves] == [False, True]
    assert [half["service"] for half in halves] == ["web", "gateway"]
    assert found["generate"]["parent_id"] == "000000000000000b"


def test_records_are_kept_as_exported_duplicates_and_impossible_ones_too(shared):
    counts = Counter(row["name"] for row in read(shared, "11"))
    assert counts == {"chat": 1, "generate": 2}
    assert times(by_name(read(shared, "12"))["rerank"]) == (60, 40)
    itself = by_name(read(shared, "13"))["chat"]
    assert itself["parent_id"] == itself["span_id"]


def test_events_keep_their_times(shared):
    call = by_name(read(shared, "14"))["chat example-model"]
    token = {"attributes": {}, "name": "First Token Stream Event", "time_ns": T0 + 310 * MS}
    assert parsed(call, "events") == [token]
    assert parsed(call)["gen_ai.request.stream"] is True


def test_follows_from_is_parent_and_link_at_once(shared):
    log = by_name(read(shared, "15"))["write-audit-log"]
    link = {"span_id": "00000000000000a1", "trace_id": TRACE, "type": "follows_from"}
    assert parsed(log, "links") == [link]
    assert log["parent_id"] == "00000000000000a1"
    assert times(log) == (90, 400)


def test_skewed_clocks_and_overlaps_are_left_for_cleaning(shared):
    infer = by_name(read(shared, "16"))["infer"]
    assert times(infer) == (-200, -140)
    assert infer["host"] == "engine-host"
    assert len({row["trace_id"] for row in read(shared, "17")}) == 2


@pytest.mark.parametrize(
    ("number", "key", "value"),
    [
        ("19", "langfuse.observation.completion_start_time", "2023-11-14T22:13:22.000Z"),
        ("20", "gen_ai.response.time_to_first_chunk", 4.2),
    ],
)
def test_first_token_marks_arrive_as_written(shared, number, key, value):
    assert parsed(read(shared, number)[0])[key] == value
    assert len(read(shared, "18")) == 3


def test_reading_twice_gives_the_same_rows(shared):
    for path in sorted((shared / "cases").glob("[01]*.json")):
        if path.name[:2] not in ("05",):
            assert read_all(path)[0] == read_all(path)[0]


def test_the_metric_cases_read_as_points_with_exact_values(shared):
    histogram = rows(shared / "cases" / "21-histogram-without-inf.txt")[0]
    assert (histogram["count"], histogram["sum"]) == (10, 9.5)
    assert histogram["flags"] == ["inf_bucket_missing"]
    counter = read(shared, "22")
    assert [row["value"] for row in counter] == [100, 130, 160, 10, 40, 70]
    assert [row["time_ns"] - T0 for row in counter][:2] == [0, 15_000 * MS]
    assert [row["value"] for row in read(shared, "23")] == [42, 43]
