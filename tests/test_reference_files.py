"""The reference files beside the checkout through the command: each alone, all in one store."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from command_line import answer, run
from conftest import shared_files

import collectors

T0 = 1_700_000_000_000_000_000
MS = 1_000_000
NOT_READ = {"v1_trainticket_preserve.json"}
REAL = [
    path
    for folder in ("otlp", "jaeger", "zipkin", "tempo")
    for path in shared_files(f"real/{folder}/*")
    if path.name not in NOT_READ
]
SAME_IDS = {"crisp_case18.json", "crisp_case24.json"}
"""Two more files of the trace id that crisp_case15.json uses, and of other spans."""

APART = [path for path in REAL if path.name not in SAME_IDS]
SHOWN = 12
"""Requests of a file that are looked at one by one; their figures are checked for all."""


def ident(path):
    return f"{path.parent.name}/{path.name}"


def records_in(path):
    """How many spans a file holds, by its reader alone, rejected ones too."""
    report = collectors.ReadReport()
    with path.open("rb") as stream:
        rows = sum(batch.table.num_rows for batch in collectors.read(stream, path.name, report))
    return rows + sum(entry.count for entry in report.rejected)


def check_request(row):
    assert sum(row["stages"].values()) == row["e2e_ns"]
    assert row["ttft_ns"] is None or 0 < row["ttft_ns"] <= row["e2e_ns"]


def check_shown(shown, row):
    assert shown["request"] == row
    segments, spans = shown["segments"], shown["spans"]
    assert segments[0]["start_ns"] == row["start_ns"]
    assert segments[-1]["end_ns"] == row["start_ns"] + row["e2e_ns"]
    assert all(left["end_ns"] == right["start_ns"] for left, right in pairwise(segments))
    assert sum(span["self_ns"] for span in spans) == row["e2e_ns"]
    by_stage = {}
    for segment in segments:
        length = segment["end_ns"] - segment["start_ns"]
        by_stage[segment["stage"]] = by_stage.get(segment["stage"], 0) + length
    assert by_stage == row["stages"]


@pytest.mark.parametrize("path", REAL, ids=ident)
def test_a_real_file_is_accounted_for_to_the_record_and_to_the_nanosecond(path, tmp_path):
    database = tmp_path / "a.duckdb"
    came = answer(database, "import", path)
    (file,) = came["files"]
    rejected = sum(entry["count"] for entry in file["rejected"])
    assert file["new_spans"] + file["duplicates"] + rejected == records_in(path)
    requests = answer(database, "requests")
    assert len(requests) == came["requests"] > 0
    for row in requests:
        check_request(row)
    for row in requests[:SHOWN]:
        name = f"{row['trace_id']}/{row['root_key']}"
        if row["e2e_ns"]:
            check_shown(answer(database, "show", name), row)


@pytest.mark.parametrize("path", REAL, ids=ident)
def test_a_real_file_imported_twice_changes_nothing(path, tmp_path):
    database = tmp_path / "a.duckdb"
    came, before = answer(database, "import", path), answer(database, "requests")
    again = answer(database, "import", path)
    copy = tmp_path / "copy.json"
    copy.write_bytes(path.read_bytes() + b"\n")
    copied = answer(database, "import", copy)
    for other in (again, copied):
        assert other["files"][0]["new_spans"] == 0
        assert {key: other[key] for key in ("requests", "spans", "flags")} == {
            key: came[key] for key in ("requests", "spans", "flags")
        }
    assert answer(database, "requests") == before


@pytest.fixture(scope="module")
def together(shared, tmp_path_factory):
    database = tmp_path_factory.mktemp("all") / "all.duckdb"
    return database, answer(database, "import", *APART)


def test_all_real_files_in_one_store_keep_what_each_has_alone(together, tmp_path):
    database, came = together
    requests = answer(database, "requests")
    assert len(requests) == came["requests"]
    assert came["spans"] == sum(file["new_spans"] for file in came["files"])
    for number, path in enumerate(APART):
        alone = tmp_path / f"{number}.duckdb"
        run(alone, "import", path)
        numbered = came["files"][number]["data_set"]
        assert answer(alone, "requests") == answer(database, "requests", "--data-set", numbered)


def test_the_first_token_s_stages_sum_to_it(together, tmp_path):
    rows = [row for row in answer(together[0], "requests") if row["ttft_ns"] is not None]
    assert rows
    found = answer(together[0], "breakdown", "--objective", "ttft", "--by", "service")
    for group in found["groups"]:
        if group["mean_ns"] is not None:
            total = sum(stage["mean_ns"] for stage in group["stages"])
            assert total == pytest.approx(group["mean_ns"], abs=len(group["stages"]))


def test_deleting_one_data_set_leaves_the_others_whole(shared, tmp_path):
    both, one = tmp_path / "both.duckdb", tmp_path / "one.duckdb"
    first, second = (path for path in REAL if path.name in ("crisp_case15.json", "yelp.json"))
    came = answer(both, "import", first, second)
    answer(one, "import", second)
    answer(both, "datasets", "--delete", came["files"][0]["data_set"])
    for command in ("requests", "breakdown", "rank"):
        assert answer(both, command) == answer(one, command)


def test_a_zipkin_file_of_version_1_is_named_and_refused(shared, tmp_path):
    done = run(tmp_path / "a.duckdb", "import", shared / "real/zipkin/v1_trainticket_preserve.json")
    assert done.code == 1
    assert "Zipkin JSON, version 1" in done.err


def cases():
    return [path for path in shared_files("cases/*") if path.name != "expected.md"]


@pytest.mark.parametrize("path", cases(), ids=lambda path: path.name)
def test_every_awkward_input_is_imported_or_refused_by_name(path, tmp_path):
    done = run(tmp_path / "a.duckdb", "import", path, "--json")
    (file,) = done.json["files"]
    named = {"05": "Python OpenTelemetry console exporter", "24": "Chrome trace"}.get(path.name[:2])
    if named:
        assert done.code == 1
        assert named in file["error"]
    else:
        assert (done.code, file["error"]) == (0, None)


def imported(shared, tmp_path, number):
    database = tmp_path / f"{number}.duckdb"
    came = answer(database, "import", next(shared.glob(f"cases/{number}-*")))
    return database, came


def shown(shared, tmp_path, number, *options):
    """The only request of a case, by the command."""
    database, _came = imported(shared, tmp_path, number)
    (row,) = answer(database, "requests")
    return answer(database, "show", row["trace_id"], *options)


def own_ms(found):
    return {s["name"]: s["self_ns"] / MS for s in found["spans"] if s["self_ns"]}


EXPECTED = {  # number: e2e, own time by name, flags of the request
    "01": (100, {"chat": 40, "generate": 60}, []),
    "02": (100, {"chat": 40, "generate": 60}, []),
    "03": (100, {"chat": 40, "generate": 10, "decode": 50}, []),
    "04": (100, {"generate": 100}, []),
    "06": (100, {"chat": 40, "generate": 60}, []),
    "07": (100, {"chat": 40, "generate": 60}, []),
    "08": (100, {"chat": 40, "generate": 30, "decode": 30}, []),
    "09": (85, {"retrieve": 50, "generate": 25, "": 10}, ["root_missing"]),
    "10": (120, {"chat": 20, "call-gateway": 20, "route": 20, "generate": 60}, []),
    "11": (100, {"chat": 40, "generate": 60}, []),
    "12": (100, {"chat": 60, "retrieve": 40}, ["negative_duration"]),
    "13": (100, {"chat": 50, "generate": 50}, ["parent_cycle"]),
    "14": (900, {"POST /v1/chat": 10, "chat example-model": 890}, ["root_ended_early"]),
    "15": (100, {"chat": 70, "generate": 30}, ["follows_from"]),
    "16": (100, {"call-engine": 40, "infer": 60}, ["skew_corrected"]),
    "19": (2000, {"llm": 2000}, ["first_token_at_end"]),
    "20": (3000, {"llm": 3000}, ["first_token_outside_span"]),
}


@pytest.mark.parametrize("number", EXPECTED)
def test_an_awkward_input_comes_out_as_it_should(shared, tmp_path, number):
    e2e, own, flags = EXPECTED[number]
    found = shown(shared, tmp_path, number)
    assert found["request"]["e2e_ns"] == e2e * MS
    assert own_ms(found) == own
    assert found["request"]["flags"] == flags
    check_shown(found, found["request"])


def test_what_the_table_says_beside_the_times_is_there(shared, tmp_path):
    kinds = {s["name"]: (s["kind"], s["status"]) for s in shown(shared, tmp_path, "03")["spans"]}
    assert kinds == {
        "chat": ("server", "unset"), "generate": ("client", "ok"),
        "decode": ("unspecified", "error"),
    }  # fmt: skip
    (span,) = shown(shared, tmp_path, "04")["spans"]
    assert span["attributes"]["app.big"] == 9223372036854775807
    assert span["attributes"]["gen_ai.request.temperature"] == 0.25
    request = shown(shared, tmp_path, "04")["request"]
    assert (request["input_tokens"], request["output_tokens"]) == (1200, 87)
    assert (
        shown(shared, tmp_path, "02")["request"]["trace_id"] == "5b8efff798038103d269b633813fc60c"
    )


def test_a_request_without_its_root_is_left_out_and_counted(shared, tmp_path):
    database, came = imported(shared, tmp_path, "09")
    found = answer(database, "breakdown")
    assert (found["requests"], found["excluded"], came["flags"]) == (0, 1, {"root_missing": 1})


def test_duplicates_are_counted_once_each(shared, tmp_path):
    _database, came = imported(shared, tmp_path, "11")
    assert (came["spans"], came["files"][0]["duplicates"]) == (2, 1)


def test_impossible_times_are_mended_with_the_raw_ones_beside(shared, tmp_path):
    spans = {span["name"]: span for span in shown(shared, tmp_path, "12")["spans"]}
    rerank = spans["rerank"]
    assert rerank["end_ns"] - rerank["start_ns"] == 0 == rerank["self_ns"]
    assert rerank["raw_end_ns"] - rerank["raw_start_ns"] == -20 * MS
    assert "negative_duration" in rerank["flags"]


def test_a_stream_is_followed_to_its_end(shared, tmp_path):
    found = shown(shared, tmp_path, "14")
    assert found["request"]["raw_e2e_ns"] == 50 * MS
    assert found["request"]["stages"]["decode"] == 590 * MS
    (call,) = found["calls"]
    assert (call["first_token_ns"], call["decode_ns"]) == (300 * MS, 590 * MS)


def test_work_that_nobody_waits_for_is_no_part_of_the_request(shared, tmp_path):
    spans = {span["name"]: span for span in shown(shared, tmp_path, "15")["spans"]}
    audit = spans["write-audit-log"]
    assert (audit["blocking"], audit["self_ns"]) == (False, 0)
    assert (audit["start_ns"] - T0, audit["end_ns"] - T0) == (90 * MS, 400 * MS)


def test_a_clock_is_moved_by_the_smallest_shift_unless_raw_times_are_asked_for(shared, tmp_path):
    infer = {s["name"]: s for s in shown(shared, tmp_path, "16")["spans"]}["infer"]
    assert (infer["start_ns"] - T0, infer["end_ns"] - T0) == (0, 60 * MS)
    assert infer["flags"]["skew_corrected"] == 200 * MS
    raw = shown(shared, tmp_path, "16", "--raw")
    assert own_ms(raw) == {"call-engine": 100}
    assert raw["request"]["flags"] == ["outside_parent"]


def test_overlapping_siblings_are_not_lost(shared, tmp_path):
    database, _came = imported(shared, tmp_path, "17")
    found = [answer(database, "show", row["trace_id"]) for row in answer(database, "requests")]
    by_length = sorted(found, key=lambda one: one["request"]["e2e_ns"])
    assert [own_ms(one) for one in by_length] == [
        {"B": 40, "C": 60}, {"handle": 0.1, "fetch-docs": 180, "generate": 269.9},
    ]  # fmt: skip


def test_one_first_token_in_three_places_is_read_alike(shared, tmp_path):
    database, _came = imported(shared, tmp_path, "18")
    rows = answer(database, "requests")
    assert [(r["ttft_ns"], r["tpot_ns"], r["stages"]["decode"]) for r in rows] == [
        (250 * MS, 10 * MS, 750 * MS)
    ] * 3
    sources = [answer(database, "show", row["trace_id"])["calls"][0]["marks"] for row in rows]
    assert len({json.dumps(marks, sort_keys=True) for marks in sources}) == 3


@pytest.mark.parametrize("number", ["19", "20"])
def test_a_first_token_that_cannot_be_is_unknown(shared, tmp_path, number):
    found = shown(shared, tmp_path, number)
    request = found["request"]
    assert (request["ttft_ns"], request["tpot_ns"]) == (None, None)
    assert request["stages"] == {"model": request["e2e_ns"]}
    assert found["calls"][0]["decode_ns"] is None


def test_a_histogram_without_its_last_bucket_says_what_it_knows(shared, tmp_path):
    (row,) = answer(imported(shared, tmp_path, "21")[0], "metrics")
    assert (row["p50"], row["p90"], row["mean"]) == pytest.approx((0.4, 1.0, 0.95))
    assert row["overflow"] is True
    assert "inf_bucket_missing" in row["flags"]


def test_a_counter_that_restarts_keeps_growing(shared, tmp_path):
    (row,) = answer(imported(shared, tmp_path, "22")[0], "metrics")
    assert (row["increase"], row["rate"]) == pytest.approx((130, 130 / 75))
    assert "counter_reset" in row["flags"]


def test_whole_numbers_in_strings_are_numbers(shared, tmp_path):
    database, came = imported(shared, tmp_path, "23")
    rows = answer(database, "metrics")
    assert came["files"][0]["points"] == 2
    assert sorted(value for row in rows for value in {row["first"], row["last"]}) == [42, 43]


def test_files_that_use_the_same_ids_are_one_trace_and_still_accounted_for(shared, tmp_path):
    crisp = sorted(path for path in REAL if path.name.startswith("crisp_"))
    came = answer(tmp_path / "a.duckdb", "import", *crisp)
    assert came["spans"] == sum(file["new_spans"] for file in came["files"]) == 9
    for file, path in zip(came["files"], crisp, strict=True):
        assert file["new_spans"] + file["duplicates"] == records_in(path)
    turned = answer(tmp_path / "b.duckdb", "import", *crisp[::-1])
    assert (turned["requests"], turned["spans"]) == (came["requests"], came["spans"])
    rows = [answer(tmp_path / name, "requests") for name in ("a.duckdb", "b.duckdb")]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("turned", [False, True])
def test_two_halves_of_a_trace_make_the_whole_in_either_order(shared, tmp_path, turned):
    lines = Path(shared / "real/otlp/java_agent_esr_backend.jsonl").read_text().splitlines(True)
    (tmp_path / "whole.jsonl").write_text("".join(lines))
    (tmp_path / "0.jsonl").write_text("".join(lines[::2]))
    (tmp_path / "1.jsonl").write_text("".join(lines[1::2]))
    whole, split = tmp_path / "whole.duckdb", tmp_path / "split.duckdb"
    answer(whole, "import", tmp_path / "whole.jsonl")
    halves = ["1.jsonl", "0.jsonl"] if turned else ["0.jsonl", "1.jsonl"]
    came = answer(split, "import", *(tmp_path / half for half in halves))
    assert answer(split, "requests") == answer(whole, "requests")
    assert came["requests"] == len(answer(whole, "requests"))
