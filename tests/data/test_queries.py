"""Each query file against a store of four requests, with the right answer beside."""

import inspect

import pytest
from builders import MS, T0
from stores import bring, tiny_store, trace

from analysis.derive import CALLS_SCHEMA, REQUESTS_SCHEMA, SEGMENTS_SCHEMA, SPANS_SCHEMA
from analysis.spans import METRIC_SCHEMA, MetricBatch
from analysis.stages import STAGES, stage_columns
from data.filters import Filters
from data.sql_files import QUERIES
from data.store import Limits

SECOND = 1000 * MS
IDS = {number: f"{number:032x}" for number in range(9)}
ROOT = "0000000000000061"
COLUMNS = {
    1: {"decode_ns": 40 * MS, "ttft_ns": 30 * MS, "ttft_model_ns": 30 * MS, "tpot_ns": 2 * MS},
    2: {"decode_ns": 80 * MS, "ttft_ns": 50 * MS, "unattributed_ns": 20 * MS, "model": "llama"},
    3: {"status": "error", "ttft_ns": 70 * MS, "version": "v3", "decode_ns": 300 * MS},
    4: {"excluded": True, "flags": ["incomplete", "skew_corrected"], "route": "/other"},
}
TOKENS = {1: (100, 10), 2: (200, 20)}


@pytest.fixture(scope="module")
def store():
    """Request n starts n seconds in, takes n times 100 ms; the fourth is excluded."""
    store = tiny_store()
    for number, (given, made) in TOKENS.items():
        COLUMNS[number] |= {"input_tokens": given, "output_tokens": made}
    call = "b a engine client 1010 1090 llm"
    bring(store, "one", trace(1, "a . web server 1000 1100 chat", call, **COLUMNS[1]))
    bring(store, "two", *(trace(n, **COLUMNS[n]) for n in (2, 3, 4)), points(store))
    return store


def points(_store):
    """Two series of a gauge, one point of them twice, and one histogram without a time."""
    row = dict.fromkeys(METRIC_SCHEMA.names)
    row |= {"name": "waiting", "labels": "{}", "kind": "gauge", "unit": "", "buckets": "[]"}
    row |= {"flags": [], "value": 3.0, "time_ns": T0 + SECOND}
    second = row | {"labels": '{"pod": "b"}', "value": 38.0, "time_ns": T0 + 9 * SECOND}
    scraped = {"name": "ttft", "kind": "histogram", "unit": "s", "value": None, "time_ns": None}
    return MetricBatch.from_rows([row, row, second, row | scraped | {"count": 4.0, "sum": 2.0}])


def test_time_range(store):
    row = store.query("time_range").iloc[0]
    assert (row.start_ns, row.end_ns) == (T0 + SECOND, T0 + 4 * SECOND + 400 * MS)
    assert (row.last_start_ns, row.n) == (T0 + 4 * SECOND, 4)


def test_time_range_of_nothing(store):
    row = store.query("time_range", Filters(services=("none",))).iloc[0]
    assert row.isna().tolist() == [True, True, True, False]


def test_token_range(store):
    assert store.query("token_range").iloc[0].tolist() == [100, 200, 10, 20]


def test_request(store):
    row = store.query("request", trace_id=IDS[2], root_key=ROOT).iloc[0]
    assert (row.e2e_ns, row.decode_ns, row.model, list(row.import_ids)) == (
        200 * MS, 80 * MS, "llama", [2],
    )  # fmt: skip
    assert "sample" not in row
    assert store.query("request", trace_id=IDS[2]).shape[0] == 1
    assert store.query("request", trace_id=IDS[2], root_key="other").empty
    assert store.query("request").empty


def test_latency(store):
    frame = store.query("latency").sort_values("start_ns")
    assert frame.e2e_ns.tolist() == [100 * MS, 200 * MS, 300 * MS, 400 * MS]
    assert (frame[stage_columns()].sum(axis=1) == frame.e2e_ns).all()
    assert set(frame[stage_columns()].dtypes.map(str)) == {"int64"}
    assert frame.ttft_ns.tolist()[:3] == [30 * MS, 50 * MS, 70 * MS]
    assert frame.ttft_ns.isna().tolist() == [False, False, False, True]
    assert frame.excluded.tolist() == [False, False, False, True]


def test_latency_ttft(store):
    frame = store.query("latency_ttft").sort_values("start_ns")
    assert len(frame) == 4
    frame = frame[frame.ttft_ns.notna()]
    assert frame.ttft_ns.tolist() == [30 * MS, 50 * MS, 70 * MS]
    assert frame.ttft_model_ns.tolist()[0] == 30 * MS


def test_whole_requests(store):
    frame = store.query("whole_requests")
    assert frame.trace_id.tolist() == [IDS[number] for number in (1, 2, 3, 4)]
    assert list(frame.columns) == [*REQUESTS_SCHEMA.names, "import_ids"]
    assert [list(flags) for flags in frame["flags"]] == [[], [], [], COLUMNS[4]["flags"]]


def test_summary(store):
    row = store.query("summary", slo_ns=250 * MS).iloc[0]
    assert (row.n, row.excluded, row.failed, row.within_slo) == (4, 1, 1, 2)
    assert (row.n_ttft, row.n_tpot, row.e2e_mean_ns) == (3, 1, 200 * MS)
    assert (row.e2e_p50_ns, row.e2e_p95_ns, row.e2e_p99_ns) == (200 * MS, 290 * MS, 298 * MS)
    assert (row.ttft_p50_ns, row.ttft_p95_ns, row.ttft_p99_ns) == (50 * MS, 68 * MS, 69_600_000)
    assert (row.tpot_p50_ns, row.tpot_p95_ns, row.tpot_p99_ns) == (2 * MS, 2 * MS, 2 * MS)
    assert (row.e2e_max_ns, row.bound_low_ns, row.bound_high_ns) == (400 * MS,) * 3


def test_summary_without_an_slo_says_nothing_of_one(store):
    assert store.query("summary").within_slo.isna()[0]
    empty = store.query("summary", Filters(models=("none",)), slo_ns=1).iloc[0]
    assert (empty.n, empty.within_slo) == (0, 0)
    assert empty[["e2e_p50_ns", "ttft_p95_ns"]].isna().all()


def test_stages_over_time(store):
    frame = store.query("stages_over_time", bin_ns=2 * SECOND)
    assert frame.bin_start_ns.tolist() == [T0, T0 + 2 * SECOND]
    assert frame.n.tolist() == [1, 2]
    assert frame.decode_ns.tolist() == [40 * MS, 190 * MS]
    assert frame.unattributed_ns.tolist() == [0, 10 * MS]
    assert list(frame.columns[2:]) == stage_columns()


def test_ttft_stages_over_time(store):
    frame = store.query("ttft_stages_over_time", bin_ns=2 * SECOND)
    assert frame.bin_start_ns.tolist() == [T0, T0 + 2 * SECOND]
    assert frame.n.tolist() == [1, 2]
    assert frame.ttft_model_ns.fillna(0).tolist() == [30 * MS, 0]
    assert list(frame.columns[2:]) == stage_columns("ttft_")


def test_facets(store):
    frame = store.query("facets").set_index(["facet", "value"]).n.to_dict()
    assert frame == {
        ("data_set", "1"): 1, ("data_set", "2"): 3, ("model", "llama"): 1, ("route", "chat"): 3,
        ("route", "/other"): 1, ("service", "web"): 4, ("status", "ok"): 3,
        ("status", "error"): 1, ("version", "one"): 3, ("version", "v3"): 1,
    }  # fmt: skip
    assert store.query("facets").value.tolist()[:2] == ["2", "1"]


def test_flag_counts(store):
    frame = store.query("flag_counts")
    assert frame.flag.tolist() == ["incomplete", "skew_corrected"]
    assert frame[["requests", "spans", "largest_ns"]].to_numpy().tolist() == [[1, 1, 5]] * 2
    assert store.query("flag_counts", Filters(data_sets=(1,))).empty


def test_peers(store):
    frame = store.query("peers", trace_id=IDS[1], root_key=ROOT).set_index("stage")
    assert list(frame.index) == list(STAGES)
    assert frame.loc["decode"].tolist() == [44 * MS, 80 * MS, 278 * MS, 3]
    assert frame.loc["tools"].tolist() == [0, 0, 0, 3]
    assert store.query("peers", trace_id=IDS[4], root_key=ROOT).empty


def test_requests_page(store):
    frame = store.query("requests_page", sort="slowest", limit=2, offset=1)
    assert frame.trace_id.tolist() == [IDS[3], IDS[2]]
    assert frame.total.tolist() == [4, 4]
    assert frame.decode_ns.tolist() == [300 * MS, 80 * MS]
    newest = store.query("requests_page", sort="newest").start_ns.tolist()
    assert newest == sorted(newest, reverse=True)
    unusual = store.query("requests_page", sort="unusual")
    assert unusual.trace_id.tolist() == [IDS[3], IDS[2], IDS[1], IDS[4]]
    assert unusual.times_usual.tolist()[:3] == [1.5, 1.0, 0.5]
    assert unusual.times_usual.isna()[3]


@pytest.mark.parametrize(
    ("search", "numbers"),
    [("0003", [3]), ("/OTHER", [4]), ("chat", [4, 3, 2, 1]), ("Llama", [2]), ("' OR 1=1", [])],
)
def test_requests_page_searches_id_route_name_and_attributes(store, search, numbers):
    frame = store.query("requests_page", search=search)
    assert frame.trace_id.tolist() == [IDS[number] for number in numbers]
    assert set(frame.total) <= {len(numbers)}


def test_spans(store):
    frame = store.query("spans", trace_id=IDS[1])
    assert list(frame.columns) == SPANS_SCHEMA.names
    assert sorted(frame.name) == ["chat", "llm"]
    assert store.query("spans").shape[0] == 5
    assert store.query("spans", Filters(models=("llama",))).trace_id.tolist() == [IDS[2]]


def test_trees(store):
    frame = store.query("trees", traces=[IDS[1], IDS[2]])
    assert frame.trace_id.tolist() == [IDS[1], IDS[1], IDS[2]]
    assert frame.parent_key.isna().tolist() == [True, False, True]
    assert set(frame.columns) < set(SPANS_SCHEMA.names)
    assert store.query("trees").shape[0] == 5
    assert store.query("trees", traces=[]).empty


def test_segments(store):
    frame = store.query("segments", trace_id=IDS[2], root_key=ROOT)
    assert list(frame.columns) == SEGMENTS_SCHEMA.names
    assert frame.stage.tolist() == ["decode", "model", "unattributed"]
    assert (frame.end_ns - frame.start_ns).tolist() == [80 * MS, 100 * MS, 20 * MS]
    assert store.query("segments").shape[0] == 7


def test_calls(store):
    frame = store.query("calls")
    assert list(frame.columns) == CALLS_SCHEMA.names
    assert frame.trace_id.tolist() == [IDS[1]]
    assert store.query("calls", trace_id=IDS[2]).empty


def test_imports(store):
    frame = store.query("imports").set_index("name")
    assert list(frame.index) == ["two", "one"]
    columns = ["requests", "spans", "points", "duplicates", "unattributed_share"]
    assert frame.loc["one", columns].tolist() == [1, 2, 0, 0, 0.0]
    assert frame.loc["two", columns].tolist() == [3, 3, 3, 1, 20 / 900]
    assert frame["flags"]["two"] == '{"incomplete": 1, "skew_corrected": 1}'


def test_metric_points(store):
    frame = store.query("metric_points")
    assert frame.name.tolist() == ["ttft", "waiting", "waiting"]
    assert frame.value.tolist()[1:] == [38.0, 3.0]
    assert frame["count"].tolist()[0] == 4.0
    assert frame.time_ns.isna().tolist() == [True, False, False]
    assert store.query("metric_points", metric="ttft").shape[0] == 1
    early = store.query("metric_points", Filters(end_ns=T0 + 2 * SECOND, models=("llama",)))
    assert early.value.tolist() == [3.0]
    assert store.query("metric_points", Filters(data_sets=(1,))).empty


def test_metric_names(store):
    frame = store.query("metric_names")
    assert frame.to_numpy().tolist() == [
        ["ttft", "histogram", "s", 1, 1],
        ["waiting", "gauge", "", 2, 2],
    ]


def test_unattributed_names(store):
    row = store.query("unattributed_names", limit=5).iloc[0]
    assert (row["name"], row.service, row.requests, row.spans) == ("chat", "web", 1, 1)
    assert not row.absent
    assert (row.total_ns, row.share) == (20 * MS, 20 / 1000)
    assert store.query("unattributed_names", Filters(data_sets=(1,))).empty


def test_rule_counts(store):
    assert store.query("rule_counts").to_numpy().tolist() == [["tiny", 5, 4, 0]]
    assert store.query("rule_counts", Filters(data_sets=(1,))).spans.tolist() == [2]


def test_trace_ids(store):
    assert store.query("trace_ids", trace=IDS[2]).trace_id.tolist() == [IDS[2]]
    assert store.query("trace_ids", trace="3").trace_id.tolist() == [IDS[3]]
    assert store.query("trace_ids", trace="000").trace_id.tolist() == [IDS[n] for n in (1, 2, 3, 4)]
    assert store.query("trace_ids", trace="f").empty


def test_closest_traces(store):
    near = IDS[3][:-2] + "43"
    frame = store.query("closest_traces", trace=near)
    assert (frame.trace_id[0], len(frame)) == (IDS[3], 3)
    assert store.query("closest_traces", Filters(models=("llama",)), trace=near).shape[0] == 1


def test_neighbours(store):
    frame = store.query("neighbours", trace_id=IDS[2], root_key=ROOT).set_index("side")
    assert frame.trace_id.to_dict() == {"slower": IDS[3], "faster": IDS[1]}
    assert frame.e2e_ns.to_dict() == {"slower": 300 * MS, "faster": 100 * MS}
    assert store.query("neighbours", trace_id=IDS[4], root_key=ROOT).side.tolist() == ["faster"]


def test_data_set_named():
    store = tiny_store()
    ids = [bring(store, name, trace(n))[0] for n, name in enumerate(("one", "two"), 1)]
    asked = {"called": "two", "format": "otlp_json"}
    assert store.query("data_set_named", **asked).import_id.tolist() == [ids[1]]
    assert store.query("data_set_named", **(asked | {"format": "otlp"})).empty


def test_pins():
    store = tiny_store()
    store.pin(IDS[1])
    store.pin(IDS[1])
    assert store.query("pins").trace_id.tolist() == [IDS[1]]


def test_sweeps():
    store = tiny_store()
    bring(store, "one", trace(1))
    store.sweep(Limits(days=0.0), 2**62)
    frame = store.query("sweeps")
    assert frame[["swept_ns", "requests", "spans"]].values.tolist() == [[2**62, 1, 1]]


FILES = sorted(path.stem for path in QUERIES.glob("*.sql"))


def test_imported_spans():
    store = tiny_store()
    ids = [bring(store, name, *batches)[0] for name, batches in (
        ("one", (trace(1), trace(2))), ("two", (trace(2), trace(3))),
    )]  # fmt: skip
    each = [store.query("imported_spans", data_sets=[number]).spans[0] for number in ids]
    both = store.query("imported_spans", data_sets=ids).spans[0]
    assert both == sum(each) * 3 // 4 > 0


@pytest.mark.parametrize("name", FILES)
def test_every_query_file_has_its_test_and_runs_on_an_empty_store(name):
    test = globals().get(f"test_{name}")
    assert callable(test), f"no test_{name} in this file"
    assert f'query("{name}"' in inspect.getsource(test)
    given = {"bin_ns": 1} if name.endswith("stages_over_time") else {}
    assert tiny_store().query(name, **given).shape[0] <= 1
