"""Pages say what is on disk and how long it is kept, and a request can be pinned."""

import time

import pytest
from page_stores import opened, page, sample_store, texts

from data import writing
from data.filters import Filters
from data.store import Limits
from services import retention
from services.request_list import every


@pytest.fixture
def store(monkeypatch):
    monkeypatch.delenv(retention.DAYS, raising=False)
    monkeypatch.delenv(retention.GIGABYTES, raising=False)
    with opened(sample_store()) as held:
        yield held


def test_sources_says_that_everything_is_kept(store):
    said = texts(page("sources.py"))
    assert "Database" in said
    assert "Everything is kept" in said
    assert "removed" not in said


def test_sources_says_the_limits_and_what_was_removed(store, monkeypatch):
    monkeypatch.setenv(retention.DAYS, "7")
    with writing.transaction(store._writer):
        store._writer.execute("UPDATE imports SET sample = false, added_ns = 0")
    went = store.sweep(Limits(days=7.0), time.time_ns() + 10**18)
    assert went.requests == 480
    said = texts(page("sources.py"))
    assert "Kept: 7 days;" in said
    assert "480 requests older than 7 days were removed at" in said


def test_a_wrong_limit_is_said_on_sources(store, monkeypatch):
    monkeypatch.setenv(retention.DAYS, "week")
    app = page("sources.py")
    assert not app.exception
    assert any("week" in error.value for error in app.error)


def test_a_request_is_pinned_and_unpinned_on_its_page(store):
    trace = every(store, Filters(), slowest=1)[0]["trace_id"]
    app = page("request.py", trace=trace)
    assert app.button(key="pin").label == "Pin"
    app.button(key="pin").click().run()
    assert app.button(key="pin").label == "Pinned"
    assert retention.is_pinned(store, trace)
    app.button(key="pin").click().run()
    assert not retention.is_pinned(store, trace)
