"""`--json` has the contract's fields with the contract's types: ints are ints, missing is null."""

import pytest
from command_line import answer, run

from analysis.stages import STAGES
from analysis.techniques import TECHNIQUES

INT, TEXT, BOOL, NUMBER, LIST, DICT = {int}, {str}, {bool}, {int, float}, {list}, {dict}
NULL = {type(None)}
FILE = {
    "path": TEXT, "format": TEXT, "spans": INT, "new_spans": INT, "points": INT,
    "duplicates": INT, "rejected": LIST, "error": TEXT | NULL,
}  # fmt: skip
IMPORT = {"files": LIST, "requests": INT, "spans": INT, "flags": DICT, "seconds": NUMBER}
REQUEST = {
    "trace_id": TEXT, "root_span_id": TEXT, "name": TEXT, "service": TEXT | NULL, "start_ns": INT,
    "e2e_ns": INT, "ttft_ns": INT | NULL, "tpot_ns": INT | NULL, "input_tokens": INT | NULL,
    "cached_tokens": INT | NULL, "output_tokens": INT | NULL, "model": TEXT | NULL,
    "status": TEXT, "stages": DICT, "flags": LIST, "token_gaps": INT | NULL,
    "itl_p50_ns": INT | NULL, "itl_p99_ns": INT | NULL, "itl_max_ns": INT | NULL,
    "itl_unit": TEXT | NULL,
}  # fmt: skip
SPAN = {
    "key": TEXT, "span_id": TEXT, "parent_id": TEXT | NULL, "service": TEXT | NULL, "name": TEXT,
    "kind": TEXT, "start_ns": INT, "end_ns": INT, "raw_start_ns": INT | NULL,
    "raw_end_ns": INT | NULL, "self_ns": INT, "stage": TEXT, "rule": TEXT, "blocking": BOOL,
    "attributes": DICT, "flags": DICT,
}  # fmt: skip
SEGMENT = {"key": TEXT, "span_id": TEXT, "stage": TEXT, "start_ns": INT, "end_ns": INT}
CALL = {
    "key": TEXT, "model": TEXT | NULL, "emitter": TEXT | NULL, "queue_ns": INT | NULL,
    "prefill_ns": INT | NULL, "first_token_ns": INT | NULL, "decode_ns": INT | NULL,
    "input_tokens": INT | NULL, "cached_tokens": INT | NULL, "output_tokens": INT | NULL,
    "marks": DICT, "reported": DICT, "token_gaps": INT | NULL, "itl_unit": TEXT | NULL,
    "itl_p50_ns": INT | NULL, "itl_p99_ns": INT | NULL, "itl_max_ns": INT | NULL,
    "token_offsets_ns": LIST,
}  # fmt: skip
BREAKDOWN = {
    "requests": INT, "excluded": INT, "mean_ns": INT | NULL, "p50_ns": INT | NULL,
    "p95_ns": INT | NULL, "p99_ns": INT | NULL, "stages": LIST,
}  # fmt: skip
SHARE = {"stage": TEXT, "mean_ns": INT, "share": NUMBER}
FINDING = {
    "id": TEXT, "title": TEXT, "applies": BOOL, "not_because": TEXT | NULL, "assumes": DICT,
    "n": INT, "current_ns": INT | NULL, "predicted_ns": INT | NULL, "saving_ns": DICT,
    "requests_affected": INT, "within_slo_gained": INT | NULL, "effort_days": LIST, "risk": TEXT,
    "score": NUMBER, "tie_with": LIST, "evidence": LIST, "signs": LIST,
}  # fmt: skip
METRIC = {
    "name": TEXT, "labels": DICT, "kind": TEXT, "unit": TEXT, "points": INT,
    "mean": NUMBER | NULL, "p50": NUMBER | NULL, "p90": NUMBER | NULL, "overflow": BOOL,
    "rate": NUMBER | NULL, "flags": LIST,
}  # fmt: skip


def check(row, shape):
    for name, kinds in shape.items():
        assert name in row, name
        assert type(row[name]) in kinds, (name, row[name])


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A database of the sample, and what its import answered."""
    from services.opening import SAMPLE

    database = tmp_path_factory.mktemp("contract") / "sample.duckdb"
    return database, answer(database, "import", SAMPLE)


@pytest.fixture(scope="module")
def database(first):
    return first[0]


def test_an_import_says_what_came_of_each_file(first):
    check(first[1], IMPORT)
    check(first[1]["files"][0], FILE)
    assert first[1]["spans"] == 14_381
    assert all(type(count) is int for count in first[1]["flags"].values())


def test_requests_come_newest_first_and_their_stages_add_up(database):
    rows = answer(database, "requests")
    assert len(rows) == 480
    starts = [row["start_ns"] for row in rows]
    assert starts == sorted(starts, reverse=True)
    for row in rows:
        check(row, REQUEST)
        assert sum(row["stages"].values()) == row["e2e_ns"]
        assert set(row["stages"]) <= set(STAGES)
    assert any(row["ttft_ns"] is None for row in rows)


def test_the_slowest_are_the_longest_in_order(database):
    every = sorted((row["e2e_ns"] for row in answer(database, "requests")), reverse=True)
    assert [r["e2e_ns"] for r in answer(database, "requests", "--slowest", 7)] == every[:7]


def test_where_keeps_the_requests_for_which_it_holds(database):
    rows = answer(database, "requests", "--where", "request_queue_ms > 1000")
    every = answer(database, "requests")
    wanted = [r for r in every if r["stages"].get("request_queue", 0) > 1_000_000_000]
    assert rows == wanted
    assert 0 < len(rows) < len(every)


def test_a_request_is_shown_with_spans_segments_and_calls(database):
    row = answer(database, "requests", "--slowest", 1)[0]
    shown = answer(database, "show", row["trace_id"])
    assert shown["request"] == row
    assert shown["other_requests"] == []
    for name, shape in (("spans", SPAN), ("segments", SEGMENT), ("calls", CALL)):
        assert shown[name]
        for entry in shown[name]:
            check(entry, shape)
    assert sum(span["self_ns"] for span in shown["spans"]) == row["e2e_ns"]
    assert answer(database, "show", f"{row['trace_id']}/{row['root_span_id']}") == shown


@pytest.mark.parametrize("objective", ["e2e", "ttft"])
@pytest.mark.parametrize("band", ["all", "p50", "p95", "p99", "tail", "slo"])
def test_the_stages_of_a_band_add_up_to_its_mean(database, objective, band):
    found = answer(database, "breakdown", "--objective", objective, "--band", band)
    check(found, BREAKDOWN)
    for stage in found["stages"]:
        check(stage, SHARE)
    assert sum(stage["mean_ns"] for stage in found["stages"]) == pytest.approx(
        found["mean_ns"], abs=len(STAGES)
    )
    assert sum(stage["share"] for stage in found["stages"]) == pytest.approx(1)
    assert found["requests"] + found["excluded"] == 480


@pytest.mark.parametrize("by", ["minute", "model", "service", "version"])
def test_groups_divide_the_requests(database, by):
    found = answer(database, "breakdown", "--by", by)
    assert list(found) == ["groups"]
    for group in found["groups"]:
        check(group, {"key": (INT if by == "minute" else TEXT) | NULL, **BREAKDOWN})
    assert sum(g["requests"] + g["excluded"] for g in found["groups"]) == 480


@pytest.mark.parametrize("objective", ["e2e", "ttft", "tpot"])
def test_a_ranking_holds_every_technique(database, objective):
    found = answer(database, "rank", "--objective", objective, "--slo-ms", 4000)
    assert {row["id"] for row in found} == {module.TECHNIQUE.id for module in TECHNIQUES}
    for row in found:
        check(row, FINDING)
        saving = row["saving_ns"]
        check(saving, dict.fromkeys(("low", "typical", "high"), INT))
        assert saving["low"] <= saving["typical"] <= saving["high"]
        if row["not_because"]:
            assert not row["applies"]
            assert set(saving.values()) == {0}
    assert any(row["applies"] for row in found)


def test_an_assumption_can_be_overruled_by_its_technique_alone(database):
    found = answer(database, "rank", "--assume", "async_observability=0.5")
    (row,) = [row for row in found if row["id"] == "async_observability"]
    assert row["assumes"] == {"removed": 0.5}


def test_data_sets_are_listed_with_their_counts(database):
    (row,) = answer(database, "datasets")
    check(row, {"import_id": INT, "name": TEXT, "format": TEXT, "spans": INT, "requests": INT})


METRICS = """# TYPE waiting gauge
waiting{pod="a"} 3
# TYPE done_total counter
done_total 5
# TYPE t_seconds histogram
t_seconds_bucket{le="1"} 3
t_seconds_bucket{le="+Inf"} 4
t_seconds_sum 2.5
t_seconds_count 4
"""


def test_metrics_have_a_row_per_series(tmp_path):
    (tmp_path / "metrics.txt").write_text(METRICS)
    found = answer(tmp_path / "a.duckdb", "import", tmp_path / "metrics.txt")
    assert (found["files"][0]["points"], found["spans"]) == (3, 0)
    rows = answer(tmp_path / "a.duckdb", "metrics")
    assert {row["name"]: row["kind"] for row in rows} == {
        "waiting": "gauge", "done_total": "counter", "t_seconds": "histogram",
    }  # fmt: skip
    for row in rows:
        check(row, METRIC)
    (one,) = answer(tmp_path / "a.duckdb", "metrics", "t_seconds")
    assert (one["mean"], one["overflow"], one["unit"]) == (0.625, True, "s")


@pytest.mark.parametrize("command", ["requests", "breakdown", "rank", "metrics", "datasets"])
def test_an_empty_database_answers_too(tmp_path, command):
    found = answer(tmp_path / "empty.duckdb", command)
    if command == "breakdown":
        check(found, BREAKDOWN)
        assert (found["requests"], found["mean_ns"], found["stages"]) == (0, None, [])
    elif command == "rank":
        assert not any(row["applies"] for row in found)
    else:
        assert found == []
    shown = run(tmp_path / "empty.duckdb", command)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("no ")


def test_every_report_is_written_and_says_nothing_on_stdout(database, tmp_path):
    for ending in ("html", "md", "json", "CSV"):
        path = tmp_path / f"report.{ending}"
        done = run(database, "report", "-o", path)
        assert (done.code, done.out) == (0, "")
        assert str(path) in done.err
        assert path.stat().st_size > 1000
