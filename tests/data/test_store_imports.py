import json

import pytest
from builders import MS, T0, rows, spans
from stores import bring, contents, tiny_derive, tiny_store, trace

from analysis.errors import UserError
from analysis.spans import METRIC_SCHEMA, MetricBatch, SpanBatch
from data.filters import Filters
from data.store import Added, Deleted, Settled, Store

CHAT = ("a . web server 0 100 chat", "b a web client 20 80 gen")


def test_an_import_is_visible_once_it_is_settled():
    store = tiny_store()
    import_id = store.begin("export.json", "hash")
    assert store.add(import_id, spans(*CHAT)) == Added(spans=2, new=2, duplicates=0, points=0)
    assert store.query("time_range").n[0] == 0
    assert store.query("imports").empty
    assert store.records(spans(*CHAT).table["trace_id"][0].as_py()).num_rows == 0
    settled = store.settle(import_id, "otlp_json", [{"reason": "x", "count": 2}], {"content": 3})
    assert settled == Settled(1, {}, spans=2, new_spans=2, duplicates=0, points=0)
    row = store.query("imports").iloc[0]
    assert (row["name"], row["format"], row["spans"], row["requests"]) == (
        "export.json", "otlp_json", 2, 1,
    )  # fmt: skip
    assert (row.rejected, row.dropped) == ('[{"reason": "x", "count": 2}]', '{"content": 3}')


def test_settling_says_how_often_each_flag_stands():
    store = tiny_store()
    flagged = trace(1, flags=["incomplete", "skew_corrected"])
    _, settled = bring(store, "one", flagged, trace(2, flags=["incomplete"]))
    assert settled.flags == {"incomplete": 2, "skew_corrected": 1}


def test_known_content_is_skipped():
    store = tiny_store()
    bring(store, "one", spans(*CHAT))
    assert store.begin("the same by another name", "hash of one") is None


def test_content_whose_import_was_aborted_or_deleted_is_not_known():
    store = tiny_store()
    import_id = store.begin("one", "hash of one")
    store.abort(import_id)
    import_id, _ = bring(store, "one", spans(*CHAT))
    store.delete(import_id)
    assert store.begin("one", "hash of one") is not None


def test_records_by_another_file_are_duplicates_that_change_nothing():
    store = tiny_store()
    bring(store, "one", spans(*CHAT))
    before = store.query("request", trace_id=spans(*CHAT).table["trace_id"][0].as_py())
    derived: list[int] = []
    store._derive = lambda records, rules: derived.append(1)
    import_id = store.begin("two", "hash two")
    assert store.add(import_id, spans(*reversed(CHAT))) == Added(2, 0, 2, 0)
    settled = store.settle(import_id, "otlp_json", [], {})
    assert (settled.new_spans, settled.duplicates, derived) == (0, 2, [])
    after = store.query("request", trace_id=spans(*CHAT).table["trace_id"][0].as_py())
    assert list(after.import_ids[0]) == [1, 2]
    assert before.drop(columns="import_ids").equals(after.drop(columns="import_ids"))


def test_a_record_repeated_in_one_import_is_kept_once_and_counted():
    store = tiny_store()
    import_id = store.begin("one", "h")
    assert store.add(import_id, spans(*CHAT, CHAT[0])) == Added(2, 2, 1, 0)
    assert store.add(import_id, spans(CHAT[1], "c a web client 30 40 gen")) == Added(1, 1, 1, 0)
    assert store.settle(import_id, "x", [], {}).duplicates == 2
    assert store.records(spans(*CHAT).table["trace_id"][0].as_py()).num_rows == 3


def test_derive_is_given_every_distinct_record_of_a_trace_once():
    seen: list[list[str]] = []

    def watching(records, rules):
        seen.append(sorted(records["name"].to_pylist()))
        return tiny_derive(records, rules)

    store = Store(":memory:", tiny_store().rules, derive=watching)
    bring(store, "one", spans(*CHAT))
    bring(store, "two", spans(CHAT[0], "b a web client 20 90 longer"))
    assert seen == [["chat", "gen"], ["chat", "gen", "longer"]]


def test_one_trace_in_two_files_ends_alike_in_either_order():
    first, second = spans(CHAT[0]), spans(CHAT[1], "c b web client 30 40 more")
    stores = [tiny_store(), tiny_store(), tiny_store()]
    for name, batch in (("one", first), ("two", second)):
        bring(stores[0], name, batch)
    for name, batch in (("two", second), ("one", first)):
        bring(stores[1], name, batch)
    bring(stores[2], "both", first, second)
    states = [contents(store) for store in stores]
    assert without_contributors(states[0]) == without_contributors(states[1])
    assert without_contributors(states[0]) == without_contributors(states[2])
    assert states[0]["requests"] == states[1]["requests"]


def without_contributors(state):
    return {**state, "requests": [row.rsplit("[", 1)[0] for row in state["requests"]]}


def test_deleting_a_data_set_leaves_the_others_as_if_it_had_never_come():
    kept, gone = (trace(1), trace(2), trace(3)), (trace(3, "z a web client 1 2 late"), trace(4))
    alone, both = tiny_store(), tiny_store()
    bring(alone, "kept", *kept)
    bring(both, "kept", *kept)
    import_id, _ = bring(both, "gone", *gone)
    assert contents(both) != contents(alone)
    assert both.delete(import_id) == Deleted(requests=1, spans=2)
    assert contents(both) == contents(alone)
    assert both.query("imports").name.tolist() == ["kept"]


def test_deleting_derives_only_the_traces_that_it_changes():
    store = tiny_store()
    bring(store, "one", trace(1), trace(2), trace(3))
    import_id, _ = bring(store, "two", trace(2), trace(3, "z a web client 1 2 late"))
    derived: list[str] = []

    def watching(records, rules):
        derived.extend(set(records["trace_id"].to_pylist()))
        return tiny_derive(records, rules)

    store._derive = watching
    store.delete(import_id)
    assert derived == [f"{3:032x}"]


def test_a_data_set_can_be_deleted_while_another_holds_the_same_records():
    store = tiny_store()
    one, _ = bring(store, "one", spans(*CHAT))
    bring(store, "two", spans(*CHAT))
    before = without_contributors(contents(store))
    assert store.delete(one) == Deleted(requests=0, spans=2)
    assert without_contributors(contents(store)) == before
    assert store.query("latency", Filters(data_sets=(2,))).shape[0] == 1
    assert store.query("latency", Filters(data_sets=(1,))).empty


def test_deleting_what_is_not_there_is_an_error_of_the_user():
    store = tiny_store()
    pending = store.begin("one", "h")
    for import_id in (7, pending):
        with pytest.raises(UserError, match="no data set"):
            store.delete(import_id)


def test_adding_to_a_settled_import_is_refused():
    store = tiny_store()
    import_id, _ = bring(store, "one", spans(*CHAT))
    with pytest.raises(UserError):
        store.add(import_id, spans(*CHAT))
    with pytest.raises(UserError):
        store.settle(import_id, "x", [], {})


def test_an_aborted_import_leaves_the_store_as_before():
    store = tiny_store()
    bring(store, "one", trace(1))
    before, revision = contents(store), store.revision
    import_id = store.begin("two", "h")
    store.add(import_id, trace(1, "z a web client 1 2 late"))
    store.abort(import_id)
    assert (contents(store), store.revision) == (before, revision)
    assert store.records(f"{1:032x}").num_rows == 1


def test_aborting_a_settled_import_changes_nothing():
    store = tiny_store()
    import_id, _ = bring(store, "one", trace(1))
    store.abort(import_id)
    assert store.query("time_range").n[0] == 1


def test_what_progress_raises_cancels_and_abort_then_leaves_nothing(monkeypatch):
    monkeypatch.setattr("data.writing.BATCH_RECORDS", 2)
    store = tiny_store()
    bring(store, "one", trace(1))
    before = contents(store)
    import_id = store.begin("two", "h")
    for number in range(1, 9):
        store.add(import_id, trace(number, "z a web client 1 2 late"))
    with pytest.raises(KeyboardInterrupt):
        store.settle(import_id, "x", [], {}, progress=cancel_after(4))
    assert contents(store) == before
    store.abort(import_id)
    assert (contents(store), store.query("imports").shape[0]) == (before, 1)


def cancel_after(traces):
    def progress(done, total):
        assert total == 8
        if done >= traces:
            raise KeyboardInterrupt

    return progress


def test_a_cancelled_import_can_be_settled_again():
    store = tiny_store()
    import_id = store.begin("one", "h")
    store.add(import_id, trace(1))

    def cancel(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        store.settle(import_id, "x", [], {}, progress=cancel)
    assert store.settle(import_id, "x", [], {}).requests == 1


def test_progress_counts_traces_up_to_all(monkeypatch):
    monkeypatch.setattr("data.writing.BATCH_RECORDS", 3)
    store, told = tiny_store(), []
    import_id = store.begin("one", "h")
    for number in range(1, 8):
        store.add(import_id, trace(number))
    store.settle(import_id, "x", [], {}, progress=lambda *state: told.append(state))
    assert told == [(0, 7), (3, 7), (6, 7), (7, 7)]
    assert store.query("time_range").n[0] == 7


def test_traces_scattered_over_a_file_are_derived_whole(monkeypatch):
    monkeypatch.setattr("data.writing.BATCH_RECORDS", 4)
    whole, scattered = tiny_store(), tiny_store()
    every = [row for number in range(1, 9) for row in trace_rows(number)]
    bring(whole, "one", SpanBatch.from_rows(every))
    bring(scattered, "one", SpanBatch.from_rows(every[::2]), SpanBatch.from_rows(every[1::2]))
    assert contents(whole) == contents(scattered)
    assert scattered.query("latency").n_spans.tolist() == [3] * 8


def trace_rows(number):
    lines = ("a . web server 0 100 chat", "b a web client 1 50 gen", "c a web client 50 99 llm")
    return rows(*lines, trace_id=f"{number:032x}")


def test_the_revision_rises_with_every_visible_change_and_with_no_other():
    store = tiny_store()
    start = store.revision
    import_id = store.begin("one", "h")
    store.add(import_id, trace(1))
    assert store.revision == start
    store.settle(import_id, "x", [], {})
    assert store.revision == start + 1
    store.delete(import_id)
    assert store.revision == start + 2


def test_the_sample_hides_while_anything_else_has_spans():
    store = tiny_store()
    bring(store, "sample", trace(1), sample=True)
    bring(store, "empty")
    assert store.query("latency").trace_id.tolist() == [f"{1:032x}"]
    other, _ = bring(store, "own", trace(2))
    assert store.query("latency").trace_id.tolist() == [f"{2:032x}"]
    assert store.query("spans").trace_id.unique().tolist() == [f"{2:032x}"]
    assert store.records(f"{1:032x}").num_rows == 0
    hidden = store.query("imports").set_index("name").hidden
    assert hidden.to_dict() == {"own": False, "empty": False, "sample": True}
    store.delete(other)
    assert store.query("latency").trace_id.tolist() == [f"{1:032x}"]


def test_metric_points_alone_hide_the_sample_and_are_kept_once():
    store = tiny_store()
    bring(store, "sample", trace(1), sample=True)
    row = dict.fromkeys(METRIC_SCHEMA.names)
    row |= {"name": "waiting", "labels": "{}", "kind": "gauge", "unit": "", "buckets": "[]"}
    batch = MetricBatch.from_rows([row | {"flags": [], "time_ns": T0, "value": 1.0}] * 2)
    import_id = store.begin("scrape", "h")
    assert store.add(import_id, batch) == Added(spans=0, new=0, duplicates=1, points=1)
    assert store.query("metric_points").empty
    store.settle(import_id, "prometheus_text", [], {})
    assert store.query("latency").empty
    assert store.query("metric_points").value.tolist() == [1.0]
    assert store.delete(import_id) == Deleted(requests=0, spans=0)
    assert (len(store.query("metric_points")), len(store.query("latency"))) == (0, 1)


def test_the_records_of_a_trace_come_back_as_exported():
    store = tiny_store()
    batch = spans(*CHAT, b={"attributes": {"k": "ünïcode", "n": 1}, "flags": ["unit_inferred"]})
    bring(store, "one", batch)
    assert store.records(batch.table["trace_id"][0].as_py()).equals(batch.table)


def test_timestamps_come_back_to_the_nanosecond_where_some_are_missing():
    store = tiny_store()
    exact = T0 + 123_456_789 * MS + 1
    batch = spans("a . web server 0 100 chat", "b a web client 1 2 gen", b={"start_ns": exact})
    bring(store, "one", batch)
    store._connection.execute("UPDATE span_rows SET raw_start_ns = NULL WHERE parent_key IS NULL")
    frame = store.query("spans").set_index("name")
    assert frame.raw_start_ns.dtype == "Int64"
    assert frame.raw_start_ns["gen"] == exact
    assert frame.raw_start_ns.isna()["chat"]


def test_an_import_can_join_a_data_set_and_then_equals_one_import_of_both():
    parts, whole = tiny_store(), tiny_store()
    first = (trace(1), trace(2, "a . web server 0 100 chat", flags=["incomplete"]))
    second = (trace(2, "z a web client 1 2 late"), trace(2, "a . web server 0 100 chat"), trace(3))
    target, _ = bring(parts, "one", *first)
    import_id = parts.begin("more", "h")
    for batch in (*second, first[0]):
        parts.add(import_id, batch)
    settled = parts.settle(import_id, "x", [{"reason": "r", "count": 1}], {"a": 1}, into=target)
    bring(whole, "one", *first, *second, first[0])
    assert (settled.requests, settled.spans, settled.new_spans, settled.duplicates) == (3, 4, 2, 2)
    assert contents(parts) == contents(whole)
    columns = ["name", "spans", "requests", "flags"]
    left, right = (store.query("imports") for store in (parts, whole))
    assert left[columns].equals(right[columns])
    assert (left.rejected[0], left.dropped[0]) == ('[{"reason": "r", "count": 1}]', '{"a": 1}')
    assert parts.delete(target).requests == 3
    assert not any(contents(parts).values())


def test_an_import_that_joins_adds_what_was_rejected_by_reason_and_its_points_once():
    store = tiny_store()
    target = store.begin("live", "h")
    store.settle(target, "x", [{"reason": "r", "count": 2, "example": "e"}], {"a": 1, "b": 1})
    row = dict.fromkeys(METRIC_SCHEMA.names)
    row |= {"name": "waiting", "labels": "{}", "kind": "gauge", "unit": "", "buckets": "[]"}
    for _ in range(2):
        import_id = store.begin("more", "h2")
        store.add(import_id, MetricBatch.from_rows([row | {"flags": [], "time_ns": T0}]))
        more = [{"reason": "r", "count": 1, "example": "f"}, {"reason": "s", "count": 1}]
        store.settle(import_id, "x", more, {"a": 2}, bytes_read=5, into=target)
    left = store.query("imports").iloc[0]
    assert (left.points, left.bytes, left.dropped) == (1, 10, '{"a": 5, "b": 1}')
    counts = {entry["reason"]: entry["count"] for entry in json.loads(left.rejected)}
    assert counts == {"r": 4, "s": 2}


def test_a_cancelled_join_leaves_both_imports_as_they_were():
    store = tiny_store()
    target, _ = bring(store, "one", trace(1))
    before = contents(store)
    import_id = store.begin("more", "h")
    store.add(import_id, trace(1, "z a web client 1 2 late"))

    def cancel(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        store.settle(import_id, "x", [], {}, progress=cancel, into=target)
    assert contents(store) == before
    store.abort(import_id)
    assert store.records(f"{1:032x}").num_rows == 1
    with pytest.raises(UserError):
        store.settle(store.begin("more", "h"), "x", [], {}, into=99)


def test_a_second_record_of_a_span_is_no_new_span_but_is_counted():
    store = tiny_store()
    for number, end in enumerate((80, 90)):
        line = f"b a web client 20 {end} generate"
        import_id = store.begin(str(number), str(number))
        store.add(import_id, spans(CHAT[0], line))
        settled = store.settle(import_id, "x", [], {})
    assert (settled.spans, settled.new_spans, settled.duplicates) == (2, 0, 2)
