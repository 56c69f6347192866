"""The Request page: one request opens from its address, says its doubts, never breaks."""

import pytest
from builders import MS, T0, TRACE, span_id, spans
from page_stores import empty_store, heading, opened, page, sample_store, texts, through_navigation
from stores_of_files import export, imported

from data.filters import Filters
from services.request_list import every


@pytest.fixture(scope="module")
def store():
    with opened(sample_store()) as made:
        yield made


@pytest.fixture(scope="module")
def slowest(store):
    return every(store, Filters(), slowest=1)[0]


def with_flag(store, flag):
    return next(r for r in every(store, Filters()) if flag in r["flags"])


@pytest.mark.parametrize("run", [page, through_navigation])
def test_a_request_opens_from_its_address(run, slowest):
    app = run("request.py", trace=slowest["trace_id"])
    assert not app.exception
    assert heading(app).startswith("## 16.5\u202fs: the cold start took 10.9\u202fs")
    assert "over p99" in texts(app)
    assert "Same route" in texts(app)


def test_the_span_of_the_address_is_chosen(slowest):
    app = page("request.py", trace=slowest["trace_id"], span=slowest["root_span_id"])
    assert "**HTTP POST** :gray[web]" in texts(app)


def test_slower_and_faster_walk_and_stop_at_the_end(slowest):
    app = page("request.py", trace=slowest["trace_id"])
    assert app.button(key="slower").disabled
    assert not app.button(key="faster").disabled


def test_only_the_path_a_search_and_raw_times_work_together(slowest):
    chosen = {"find": "vllm", "raw": True}
    app = page("request.py", chosen, trace=slowest["trace_id"], which="path")
    assert not app.exception
    assert "3 of 38 spans match" in texts(app)


def test_a_moved_clock_explains_itself_and_leads_to_its_span(store):
    app = page("request.py", trace=with_flag(store, "skew_corrected")["trace_id"])
    jump = next(b for b in app.button if (b.key or "").startswith("jump-skew_corrected"))
    assert "two clocks differ" in texts(app)
    jump.click().run()
    assert not app.exception
    assert app.session_state["span"] == jump.key.rsplit("-", 1)[1]


def test_a_missing_root_is_a_lower_bound(store):
    app = page("request.py", trace=with_flag(store, "root_missing")["trace_id"])
    assert heading(app).startswith("## ≥")
    assert "lower bound, left out of percentiles" in texts(app)


def test_an_unknown_trace_names_the_closest(slowest):
    wrong = slowest["trace_id"][:-4] + "0000"
    app = page("request.py", trace=wrong)
    assert not app.exception
    assert heading(app) == "## No request with this trace id."
    assert wrong in texts(app)
    assert "The closest are" in texts(app)


def test_an_empty_store_shows_the_start():
    with opened(empty_store()):
        app = page("request.py", trace="ab")
        assert not app.exception
        assert "Give it one export" in heading(app)


def test_a_call_tells_the_gaps_between_its_chunks(tmp_path):
    at = [{"name": "new_token", "time_ns": T0 + ms * MS} for ms in (30, 42, 54, 266, 278)]
    call = {
        "attributes": {"langsmith.span.kind": "llm", "gen_ai.usage.output_tokens": 9},
        "events": at,
    }
    made = empty_store()
    chat = spans("a . web server 0 300 chat", "b a web client 20 290 ask", b=call)
    imported(made, export(tmp_path, "one.json", chat))
    with opened(made):
        app = page("request.py", trace=TRACE, span=span_id("b"))
        said = texts(app).replace("\u202f", " ")
    assert not app.exception
    assert "Gaps between chunks: median 12.0 ms, p99 206 ms, largest 212 ms, of 4 gaps" in said
    assert "5 chunks for 9 tokens, so a chunk may hold several or none" in said
    assert "ticks: the answer’s tokens or chunks when they came" in said
