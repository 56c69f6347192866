"""The stages derived from the sample are held against the simulator's own truth.

What may differ, because telemetry does not tell it: the residual inside the engine's span (some
0.4 ms) stands before the queue, not on both sides of the decode; the last of several failed
attempts counts as the router's work, not as a retry; the first token is read where the client
library saw it, which leaves out the way back to the browser.
"""

import gzip
from collections import Counter

import pyarrow as pa
import pytest

from analysis.derive import derive
from analysis.stages import STAGES
from collectors import ReadReport, read
from data.rules_file import default_rules
from data.samples.simulator import simulate

UNSEEN = ("root_lost", "no_end")


@pytest.fixture(scope="module")
def truth():
    return {request.trace_id: request for request in simulate()}


@pytest.fixture(scope="module")
def report():
    return ReadReport(format="")


@pytest.fixture(scope="module")
def derived(samples, report):
    with gzip.open(samples / "sample.json.gz") as stream:
        batches = [batch.table for batch in read(stream, "sample.json.gz", report)]
    return derive(pa.concat_tables(batches), default_rules())


@pytest.fixture(scope="module")
def rows(derived):
    found = derived.requests.to_pylist()
    return {row["trace_id"]: row for row in found}


@pytest.fixture(scope="module")
def pairs(rows, truth):
    """(derived row, true request) of every request whose window is known."""
    seen = [request for request in truth.values() if request.order.quirk not in UNSEEN]
    return [(rows[request.trace_id], request) for request in seen]


def moved_share(row, request):
    """The share of a request's time that the derived stages put in the wrong place."""
    off = [abs(row[f"{stage}_ns"] - request.true_stages.get(stage, 0)) for stage in STAGES]
    return sum(off) / 2 / request.e2e_ns


def test_every_simulated_request_is_found_once(derived, truth):
    counted = Counter(row["trace_id"] for row in derived.requests.to_pylist())
    assert counted == dict.fromkeys(truth, 1)


def test_the_window_is_the_true_one(pairs):
    for row, request in pairs:
        assert abs(row["e2e_ns"] - request.e2e_ns) <= 1_000_000, request.order
        assert sum(row[f"{stage}_ns"] for stage in STAGES) == row["e2e_ns"]


def test_almost_no_time_is_in_the_wrong_stage(pairs):
    errors = sorted(moved_share(row, request) for row, request in pairs)
    assert sum(errors) / len(errors) < 0.001
    assert errors[-1] < 0.01


def test_no_stage_is_off_over_all_requests(pairs):
    total = sum(request.e2e_ns for _, request in pairs)
    for stage in STAGES:
        off = sum(row[f"{stage}_ns"] - r.true_stages.get(stage, 0) for row, r in pairs)
        assert abs(off) / total < 0.0005, stage


def test_next_to_nothing_is_unattributed(rows):
    counted = [row for row in rows.values() if not row["excluded"]]
    unattributed = sum(row["unattributed_ns"] for row in counted)
    assert unattributed < 0.005 * sum(row["e2e_ns"] for row in counted)


def test_every_stage_that_took_part_is_seen(rows, truth):
    true = {stage for request in truth.values() for stage in request.true_stages}
    seen = {stage for stage in STAGES for row in rows.values() if row[f"{stage}_ns"]}
    assert true <= seen


def test_the_first_token_is_the_one_the_user_saw_but_for_the_way_back(pairs):
    streamed = [pair for pair in pairs if pair[1].ttft_ns is not None]
    way_back = sorted(request.ttft_ns - row["ttft_ns"] for row, request in streamed)
    assert -5_000_000 < way_back[0] < way_back[-1] < 120_000_000
    assert all(row["ttft_ns"] is None for row, request in pairs if request.ttft_ns is None)


def test_tokens_and_status_arrive_unchanged(pairs):
    for row, request in pairs:
        assert (row["status"] == "error") == request.failed
        if request.ttft_ns is not None:
            tokens = row["input_tokens"], row["cached_tokens"], row["output_tokens"]
            order = request.order
            assert tokens == (order.prompt_tokens, order.cached_tokens, order.output_tokens)


FLAGGED = {
    "beacon_lost": "root_remote",
    "root_lost": "root_missing",
    "no_end": "incomplete",
    "headers": "root_ended_early",
    "browser_clock": "skew_corrected",
}


@pytest.mark.parametrize(("quirk", "flag"), FLAGGED.items())
def test_each_quirk_is_flagged(rows, truth, quirk, flag):
    for request in truth.values():
        if request.order.quirk == quirk:
            assert flag in rows[request.trace_id]["flags"]


def test_only_requests_of_unknown_length_are_left_out(rows, truth):
    left_out = {trace_id for trace_id, row in rows.items() if row["excluded"]}
    unseen = {r.trace_id for r in truth.values() if r.order.quirk in UNSEEN}
    assert left_out == unseen


def test_contents_and_url_values_are_dropped_and_counted(derived, report):
    assert report.dropped["content"] > 0
    assert report.dropped["url_query"] > 0
    for attributes in derived.spans.column("attributes").to_pylist():
        assert "an importer must not keep" not in attributes
        assert "?v=3" not in attributes
