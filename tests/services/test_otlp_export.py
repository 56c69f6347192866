"""A trace that was downloaded and imported again gives the same figures."""

import json

import pytest
from conftest import ROOT, shared_files

from analysis.errors import UserError
from data.rules_file import default_rules
from data.store import Store
from services import imports, request
from services.otlp import otlp_json

SAMPLES = sorted((ROOT / "data" / "samples" / "formats").glob("*"))
FOREIGN = [*shared_files("real/*/*.json"), *shared_files("cases/*.json")]


def store_of(path):
    store = Store(":memory:", default_rules())
    imports.import_files(store, [imports.Source(path.name, path)])
    return store


def figures(store, trace):
    """Everything that is computed of one trace: its requests, segments and calls."""
    shown = request.show(store, trace)
    requests = [shown["request"], *shown["other_requests"]]
    kept = [{k: v for k, v in r.items() if k != "flags"} for r in requests]
    return kept, shown["segments"], shown["calls"]


def unsaid(row):
    return row["start_ns"] == 0 or (row["shared"] and row["end_ns"] is None)


def traces(store):
    """The traces that OTLP can say: no time is 0, no shared half lacks its end."""
    found = store.query("whole_requests")
    ids = [] if found.empty else sorted(set(found["trace_id"]))
    return [i for i in ids if not any(map(unsaid, store.records(i).to_pylist()))]


@pytest.mark.parametrize(
    "path", [*SAMPLES, *FOREIGN], ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_a_download_reads_back_to_the_same_figures(path, tmp_path):
    if path.stat().st_size > 2_000_000:
        pytest.skip("a large export adds no field")
    try:
        store = store_of(path)
    except UserError:
        pytest.skip("no traces in it")
    for number, trace in enumerate(traces(store)[:3]):
        copy = tmp_path / f"{number}.json"
        copy.write_text(otlp_json(store, trace), encoding="utf-8")
        again = store_of(copy)
        assert figures(again, trace) == figures(store, trace)
        again.close()
    store.close()


def test_what_has_no_value_is_left_out_of_the_document(tmp_path):
    source = tmp_path / "open.json"
    span = {
        "traceId": "ab" * 16,
        "spanId": "cd" * 8,
        "name": "x",
        "startTimeUnixNano": "1" + "0" * 18,
    }
    source.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    store = store_of(source)
    made = json.loads(otlp_json(store, "ab" * 16))
    written = made["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert {"endTimeUnixNano", "parentSpanId", "events"} & set(written) == set()
    assert written["startTimeUnixNano"] == span["startTimeUnixNano"]
