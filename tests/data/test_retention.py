"""A sweep takes whole traces beyond a limit, the oldest first, and leaves no trace of them."""

import random

import pytest
from builders import T0
from stores import bring, contents, tiny_store, trace

from data import writing
from data.retention import DAY_NS
from data.store import Limits

NOW = T0 + 30 * DAY_NS
SECONDS_A_DAY = 86_400


def aged(days):
    """A trace of three spans that ended about so many days before `NOW`, at the day's number."""
    at = (30 - days) * SECONDS_A_DAY * 1000
    lines = (f"a . web server {at} {at + 90} chat", f"b a web client {at + 5} {at + 50} call",
             f"c b engine server {at + 6} {at + 49} llm")  # fmt: skip
    return trace(days, *lines)


def imported_long_ago(store):
    with writing.transaction(store._writer):
        store._writer.execute("UPDATE imports SET added_ns = ?", [T0])


def days_left(store):
    return sorted(int(trace_id, 16) for trace_id in store.query("latency").trace_id)


@pytest.fixture
def store():
    held = tiny_store()
    bring(held, "old", aged(20), aged(10), aged(2))
    bring(held, "new", aged(2), aged(1))
    imported_long_ago(held)
    return held


def test_a_sweep_takes_what_is_older_than_its_days_and_counts_it(store):
    swept = store.sweep(Limits(days=7), NOW)
    assert (swept.traces, swept.requests, swept.spans) == (2, 2, 6)
    assert days_left(store) == [1, 2]
    row = store.query("sweeps").iloc[0]
    assert (row.swept_ns, row.days, row.requests, row.spans) == (NOW, 7, 2, 6)


def test_what_is_left_is_as_if_the_rest_had_never_come(store):
    store.sweep(Limits(days=7), NOW)
    never = tiny_store()
    bring(never, "old", aged(2))
    bring(never, "new", aged(2), aged(1))
    assert contents(store)["spans"] == contents(never)["spans"]
    columns = ["name", "spans", "new_spans", "requests", "flags"]
    assert store.query("imports")[columns].sort_values("name").to_dict("records") == (
        never.query("imports")[columns].sort_values("name").to_dict("records")
    )


def test_a_dry_run_says_the_same_and_changes_nothing(store):
    before, revision = contents(store), store.revision
    assert store.sweep(Limits(days=7), NOW, dry_run=True).requests == 2
    assert (contents(store), store.revision, len(store.query("sweeps"))) == (before, revision, 0)


def test_a_pinned_trace_stays_until_it_is_unpinned(store):
    store.pin(f"{20:032x}")
    store.sweep(Limits(days=7), NOW)
    assert days_left(store) == [1, 2, 20]
    store.pin(f"{20:032x}", pinned=False)
    assert store.sweep(Limits(days=7), NOW).traces == 1
    assert store.query("pins").empty


def test_the_sample_stays_and_what_was_imported_of_late_too():
    store = tiny_store()
    bring(store, "sample", aged(20), sample=True)
    imported_long_ago(store)
    assert store.sweep(Limits(days=7), NOW).traces == 0
    bring(store, "file", aged(25))  # old traces in a file that was imported just now
    added = int(store.query("imports").added_ns.max())
    assert store.sweep(Limits(days=7), added + DAY_NS).traces == 0
    assert store.sweep(Limits(days=7), added + 8 * DAY_NS).traces == 1


def test_a_trace_that_an_import_is_bringing_more_of_is_not_cut(store):
    pending = store.begin("more", "more")
    store.add(pending, aged(20))
    assert store.sweep(Limits(days=7), NOW).traces == 1
    assert 20 in days_left(store)


def test_a_data_set_of_which_nothing_is_left_goes(store):
    store.sweep(Limits(days=1.5), NOW)
    assert store.query("imports").name.tolist() == ["new"]


def test_no_limit_takes_nothing(store):
    assert store.sweep(Limits(), NOW).traces == 0
    assert store.sweep(Limits(bytes=1 << 40), NOW).traces == 0


def test_a_file_that_is_too_large_loses_its_oldest_traces(tmp_path):
    store = tiny_store(tmp_path / "large.duckdb")
    bring(store, "many", *(aged(day) for day in random.Random(1).sample(range(1, 29), 28)))
    assert store.sweep(Limits(bytes=1 << 40), NOW).traces == 0
    swept = store.sweep(Limits(bytes=store.disk().used // 2), NOW)
    assert 13 <= swept.traces <= 16
    assert days_left(store) == list(range(1, 29 - swept.traces))
    store.close()


def test_a_sweep_that_fails_leaves_all_as_it_was(store, monkeypatch):
    before = contents(store)

    def failing(*_args, **_kwargs):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(writing, "describe", failing)
    with pytest.raises(RuntimeError):
        store.sweep(Limits(days=7), NOW)
    assert (contents(store), len(store.query("sweeps"))) == (before, 0)


def test_a_file_without_pins_gets_them_and_keeps_them(tmp_path):
    path = tmp_path / "x.duckdb"
    store = tiny_store(path)
    store._writer.execute("DROP TABLE pins")
    store.close()
    store = tiny_store(path)
    store.pin("a" * 32)
    store.close()
    store = tiny_store(path)
    assert store.query("pins").trace_id.tolist() == ["a" * 32]
    store.close()
