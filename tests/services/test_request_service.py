"""One request with its spans, and the list that leads to it."""

from itertools import pairwise

import pytest
from builders import MS, T0, TRACE, span_id, spans
from stores_of_files import empty_store, export, imported

from analysis.errors import UserError
from data.filters import Filters
from services.request import show, usual
from services.request_list import every, page

SERVER = {"host": "engine-host", "resource": {"host.name": "engine-host"}}


@pytest.fixture
def store(tmp_path):
    opened = empty_store()
    chat = spans("a . web server 0 100 chat", "b a web client 20 80 generate")
    other = spans("c . web server 0 40 list", trace_id="77" * 16)
    imported(opened, export(tmp_path, "two.json", chat, other))
    yield opened
    opened.close()


def test_the_stages_of_every_request_sum_to_its_length(store):
    for row in every(store, Filters()):
        assert sum(row["stages"].values()) == row["e2e_ns"]


def test_a_request_is_shown_with_segments_that_tile_it(store):
    shown = show(store, TRACE)
    segments = shown["segments"]
    request = shown["request"]
    assert segments[0]["start_ns"] == request["start_ns"]
    assert segments[-1]["end_ns"] == request["start_ns"] + request["e2e_ns"]
    for left, right in pairwise(segments):
        assert left["end_ns"] == right["start_ns"]
    assert {s["name"]: s["self_ns"] for s in shown["spans"]} == {
        "chat": 40_000_000, "generate": 60_000_000,
    }  # fmt: skip


def test_a_trace_is_found_by_its_beginning_and_a_root_by_its_id(store):
    assert show(store, TRACE[:6])["request"]["trace_id"] == TRACE
    assert show(store, TRACE, span_id("a"))["request"]["root_span_id"] == span_id("a")


def test_an_unknown_trace_names_the_closest_and_an_unknown_root_the_roots(store):
    with pytest.raises(UserError, match=TRACE):
        show(store, TRACE[:-1] + "f")
    with pytest.raises(UserError, match=span_id("a")):
        show(store, TRACE, "ffff")


def test_a_page_of_requests_knows_how_many_there_are(store):
    rows, total = page(store, Filters(), "slowest", limit=1)
    assert (len(rows), total, rows[0]["name"]) == (1, 2, "chat")
    rows, total = page(store, Filters(), "slowest", limit=1, offset=1)
    assert (total, rows[0]["name"]) == (2, "list")


def test_the_usual_counts_the_peers_of_the_same_route(store):
    rows = usual(store, every(store, Filters(), slowest=1)[0])
    assert {row["n"] for row in rows} == {1}


def test_token_gaps_are_shown_listed_and_filtered_by(tmp_path):
    store = empty_store()
    at = [{"name": "new_token", "time_ns": T0 + ms * MS} for ms in (30, 32, 40)]
    call = {"attributes": {"langsmith.span.kind": "llm"}, "events": at}
    chat = spans("a . web server 0 100 chat", "b a web client 20 80 ask", b=call)
    imported(
        store, export(tmp_path, "one.json", chat, spans("c . w server 0 9 x", trace_id="7" * 32))
    )
    shown = show(store, TRACE)
    assert shown["calls"][0]["token_offsets_ns"] == [10 * MS, 12 * MS, 20 * MS]
    assert (shown["calls"][0]["token_gaps"], shown["calls"][0]["itl_max_ns"]) == (2, 8 * MS)
    for condition, n in (("itl_max_ms = 8", 1), ("itl_p50_ms > 5", 0), ("itl_unit = 'chunk'", 1)):
        assert len(every(store, Filters(expression=condition))) == n
    [listed, other] = every(store, Filters(expression=""))[::-1][:2]
    rows = {row["name"]: row for row in (listed, other)}
    assert (rows["chat"]["itl_p50_ns"], rows["x"]["token_gaps"]) == (5 * MS, None)
    store.close()
