"""Real exports through the store: what the importers and `derive` promise together."""

from io import BytesIO

import pytest
from conftest import shared_files
from stores import contents

import collectors
from analysis.errors import UserError
from analysis.spans import SpanBatch
from analysis.stages import stage_columns
from data.filters import Filters
from data.rules_file import default_rules
from data.store import Store

LARGEST = 600_000
FILES = [
    path
    for pattern in (
        "cases/*.json",
        "real/jaeger/*",
        "real/otlp/*",
        "real/zipkin/*",
        "real/otlp_*/*",
    )
    for path in shared_files(pattern)
    if path.stat().st_size <= LARGEST
]


@pytest.fixture(scope="module")
def rules():
    return default_rules()


def batches(path):
    """The span batches of a file; skips what no importer reads (yet) and what holds no spans."""
    report = collectors.ReadReport()
    try:
        with path.open("rb") as stream:
            found = list(collectors.read(stream, path.name, report))
    except UserError as error:
        pytest.skip(f"not read: {error}")
    found = [batch for batch in found if isinstance(batch, SpanBatch)]
    if not found:
        pytest.skip("holds no spans")
    return found


def bring(store, name, spans):
    import_id = store.begin(name, name)
    for batch in spans:
        store.add(import_id, batch)
    return import_id, store.settle(import_id, "file", [], {})


def without_contributors(store):
    state = contents(store)
    return state | {"requests": [row.rsplit("[", 1)[0] for row in state["requests"]]}


def every_other(batch, start):
    return SpanBatch(batch.table.filter([n % 2 == start for n in range(batch.table.num_rows)]))


def ident(path):
    return f"{path.parent.name}/{path.name}"


def test_there_are_reference_files(shared):
    assert len(FILES) > 30


@pytest.mark.parametrize("path", FILES, ids=ident)
def test_the_stages_of_every_request_add_up_and_its_slices_tile_it(path, rules):
    store = Store(":memory:", rules)
    _, settled = bring(store, "file", batches(path))
    frame = store.query("latency").set_index(["trace_id", "root_key"])
    assert len(frame) == settled.requests > 0
    assert (frame[stage_columns()].sum(axis=1) == frame.e2e_ns).all()
    for key, slices in store.query("segments").groupby(["trace_id", "root_key"]):
        start = frame.start_ns[key]
        assert [start, *slices.end_ns] == [*slices.start_ns, start + frame.e2e_ns[key]]
    arrived = ~store.query("spans").key.str.startswith("missing/")  # less placeholders of roots
    assert arrived.sum() == frame.n_spans.sum()


@pytest.mark.parametrize("path", FILES, ids=ident)
def test_a_file_cut_in_two_ends_as_the_whole_in_either_order(path, rules):
    spans = batches(path)
    halves = [[every_other(batch, start) for batch in spans] for start in (0, 1)]
    whole, split, turned = (Store(":memory:", rules) for _ in range(3))
    bring(whole, "whole", spans)
    for number in (0, 1):
        bring(split, f"half {number}", halves[number])
        bring(turned, f"half {1 - number}", halves[1 - number])
    assert without_contributors(split) == without_contributors(whole)
    assert without_contributors(turned) == without_contributors(whole)
    gone = split.query("imports").import_id
    for import_id in gone:
        split.delete(int(import_id))
    assert not any(contents(split).values())


def test_all_files_together_can_be_filtered_and_deleted_one_by_one(shared, rules):
    store, ids = Store(":memory:", rules), {}
    for path in FILES[:40]:
        found = read_or_none(path)
        if found:
            ids[path], _ = bring(store, ident(path), found)
    assert len(ids) > 10
    everything = store.query("latency").shape[0]
    parts = [store.query("latency", Filters(data_sets=(number,))) for number in ids.values()]
    assert sum(map(len, parts)) >= everything > 10
    gone = [store.delete(number).requests for number in ids.values()]
    assert sum(gone) == everything
    assert not any(contents(store).values())


def read_or_none(path):
    report = collectors.ReadReport()
    try:
        found = list(collectors.read(BytesIO(path.read_bytes()), path.name, report))
    except UserError:
        return None
    return [batch for batch in found if isinstance(batch, SpanBatch)]
