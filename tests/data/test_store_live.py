"""Spans that arrive late, in pieces and in any order end where one import of them all ends."""

import json
import random
from dataclasses import replace

import pytest
from builders import rows
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import bring, contents
from strategies import trace_rows

from analysis.derive import derive
from analysis.spans import SpanBatch
from collectors import ReadReport, read
from data import writing
from data.filters import Filters
from data.rules_file import default_rules
from data.samples.export import lines
from data.samples.simulator import simulate
from data.store import Store

RULES = default_rules()
MINUTE_NS = 60_000_000_000


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """The records of 24 requests of the sample, all their spans."""
    path = tmp_path_factory.mktemp("live") / "live.json"
    drafts = [span for request in simulate(3, 24) for span in request.spans]
    path.write_bytes(b"".join(lines([replace(span) for span in drafts], 3)))
    with path.open("rb") as stream:
        batches = [batch.table for batch in read(stream, "live.json", ReadReport(format=""))]
    return [row for table in batches for row in table.to_pylist()]


def new_store():
    return Store(":memory:", RULES)


def state(store):
    """Every derived row; requests without who contributed to them."""
    found = contents(store)
    return {**found, "requests": sorted(row.rsplit("[", 1)[0] for row in found["requests"])}


def whole(records):
    store = new_store()
    bring(store, "whole", SpanBatch.from_rows(records))
    return store


def live(store, pieces):
    """Pieces that arrive one after another as one stream, each shown before the next is there."""
    target = None
    for number, piece in enumerate(pieces):
        import_id = store.begin(f"piece {number}", f"hash {number}")
        store.add(import_id, SpanBatch.from_rows(piece))
        store.settle(import_id, "otlp_json", [], {}, into=target)
        target = target or import_id
    return target


def by_minute(records, minutes):
    """What a collector hands over every few minutes: spans by the time they ended."""
    pieces = {}
    for row in records:
        at = (row["end_ns"] or row["start_ns"]) // (minutes * MINUTE_NS)
        pieces.setdefault(at, []).append(row)
    return [piece for _, piece in sorted(pieces.items())]


def by_service(records):
    """What a slow exporter leads to: every service's spans come when all others' are there."""
    pieces = {}
    for row in records:
        pieces.setdefault(row["service"], []).append(row)
    return [piece for _, piece in sorted(pieces.items())]


def scattered(records, seed, count=6):
    """Any record in any piece, some in two."""
    rng = random.Random(seed)
    pieces = [[] for _ in range(count)]
    for row in rng.sample(records, len(records)):
        for piece in rng.sample(pieces, 1 + (rng.random() < 0.1)):
            piece.append(row)
    return pieces


SPLITS = {
    "by minute": lambda records: by_minute(records, 5),
    "last minute first": lambda records: by_minute(records, 5)[::-1],
    "by service": by_service,
    "callees first": lambda records: by_service(records)[::-1],
    "scattered": lambda records: scattered(records, 1),
    "scattered otherwise": lambda records: scattered(records, 2),
}


@pytest.mark.parametrize("split", SPLITS)
def test_a_stream_in_pieces_ends_where_one_import_ends(records, split):
    parts = new_store()
    live(parts, SPLITS[split](records))
    once = whole(records)
    assert contents(parts) == contents(once)
    assert len(contents(once)["requests"]) >= 24
    columns = ["spans", "new_spans", "requests", "flags"]
    assert parts.query("imports")[columns].equals(once.query("imports")[columns])


@pytest.mark.parametrize("split", ["callees first", "scattered"])
def test_several_imports_end_where_one_ends_in_any_order(records, split):
    pieces, once = SPLITS[split](records), state(whole(records))
    for order in (pieces, pieces[::-1]):
        parts = new_store()
        for number, piece in enumerate(order):
            bring(parts, f"piece {number}", SpanBatch.from_rows(piece))
        assert state(parts) == once


@settings(max_examples=15, deadline=None)
@given(trace_rows(max_spans=8), st.data())
def test_awkward_traces_end_alike_however_they_are_cut(made, data):
    places = data.draw(st.lists(st.integers(0, 2), min_size=len(made), max_size=len(made)))
    pieces = [[r for r, at in zip(made, places, strict=True) if at == place] for place in range(3)]
    parts = new_store()
    live(parts, [piece for piece in pieces if piece])
    assert contents(parts) == contents(whole(made))


def watched(store):
    """The trace ids that each call of derive is given, in the order of the calls."""
    calls = []

    def watching(table, rules):
        calls.append(sorted(set(table["trace_id"].to_pylist())))
        return derive(table, rules)

    store._derive = watching
    return calls


def test_only_traces_that_a_piece_touches_are_derived_again(records):
    store, pieces = new_store(), by_minute(records, 5)
    calls = watched(store)
    for number, piece in enumerate(pieces):
        bring(store, f"piece {number}", SpanBatch.from_rows(piece))
    assert len(pieces) > 3
    touched = [sorted({row["trace_id"] for row in piece}) for piece in pieces]
    assert calls == touched
    assert sum(map(len, calls)) < 2 * 24


def test_a_piece_that_brings_nothing_new_derives_nothing(records):
    store = new_store()
    target = live(store, [records])
    before, calls = contents(store), watched(store)
    import_id = store.begin("again", "again")
    store.add(import_id, SpanBatch.from_rows(records[10:90]))
    store.settle(import_id, "otlp_json", [], {}, into=target)
    assert (calls, contents(store)) == ([], before)


def figures(store):
    frame = store.query("latency", Filters()).sort_values(["trace_id", "root_key"])
    return frame.to_json(orient="records"), store.query("flag_counts").to_json()


def test_what_is_kept_per_revision_is_never_out_of_date(records):
    store, kept, shown = new_store(), {}, []
    target = None
    for number, piece in enumerate(by_service(records)):
        import_id = store.begin(f"piece {number}", f"hash {number}")
        store.add(import_id, SpanBatch.from_rows(piece))
        assert kept.get(store.revision, figures(store)) == figures(store)
        store.settle(import_id, "otlp_json", [], {}, into=target)
        target = target or import_id
        assert store.revision not in kept
        kept[store.revision] = figures(store)
        shown.append(kept[store.revision])
    assert shown[-1] == figures(whole(records))
    assert len(set(shown)) > 5


def test_a_root_that_comes_minutes_later_takes_in_what_waited_for_it():
    store = new_store()
    early = rows("b a web client 20 80 call", "c a web internal 82 90 render")
    target = live(store, [early])
    before = store.query("latency").iloc[0]
    assert (before.root_key.startswith("missing/"), before.excluded) == (True, True)
    import_id = store.begin("late", "late")
    store.add(import_id, SpanBatch.from_rows(rows("a . web server 0 100 chat")))
    store.settle(import_id, "otlp_json", [], {}, into=target)
    frame = store.query("latency")
    assert (len(frame), frame.excluded[0], frame.n_spans[0]) == (1, False, 3)
    assert not frame.root_key[0].startswith("missing/")
    assert set(store.query("spans").root_key) == {frame.root_key[0]}


def recounted(store, into):
    """What a count over the whole data set says: its requests, and how often each flag stands."""
    with store._connection.cursor() as cursor:
        requests, flags = writing.totals(cursor, into)
    return requests, flags


def kept_counts(store, into):
    """What its row in `imports` says, as `settle` wrote it."""
    with store._connection.cursor() as cursor:
        row = cursor.execute(
            "SELECT requests, flags FROM imports WHERE import_id = ?", [into]
        ).fetchall()[0]
    return row[0], json.loads(row[1])


@pytest.mark.parametrize("split", SPLITS)
def test_counts_that_follow_the_pieces_are_those_of_a_count_of_all(records, split):
    store, target = new_store(), None
    for number, piece in enumerate(SPLITS[split](records)):
        import_id = store.begin(f"piece {number}", f"hash {number}")
        store.add(import_id, SpanBatch.from_rows(piece))
        store.settle(import_id, "otlp_json", [], {}, into=target)
        target = target or import_id
        assert kept_counts(store, target) == recounted(store, target)
    assert kept_counts(store, target)[0] >= 24


@settings(max_examples=25, deadline=None)
@given(trace_rows(max_spans=8), st.data())
def test_counts_hold_whatever_else_comes_and_goes_in_between(made, data):
    store, target, others = new_store(), None, []
    for number in range(5):
        piece = data.draw(st.lists(st.sampled_from(made), min_size=1, unique_by=id))
        import_id = store.begin(f"piece {number}", f"hash {number}")
        store.add(import_id, SpanBatch.from_rows(piece))
        kind = data.draw(st.sampled_from(["live", "other", "delete"])) if target else "live"
        store.settle(import_id, "otlp_json", [], {}, into=target if kind == "live" else None)
        target = target or import_id
        others += [import_id] if kind != "live" else []
        if kind == "delete":
            store.delete(others.pop(0))
        if kind == "live":
            assert kept_counts(store, target) == recounted(store, target)
