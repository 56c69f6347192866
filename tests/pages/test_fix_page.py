"""The What to fix page: ranked by what a replay saves, for each objective and percentile."""

import pytest
from page_stores import empty_store, heading, opened, page, sample_store, texts, through_navigation


@pytest.fixture(scope="module")
def store():
    with opened(sample_store()) as made:
        yield made


@pytest.mark.parametrize("run", [page, through_navigation])
def test_the_first_fix_is_the_answer(run, store):
    app = run("optimize.py")
    assert not app.exception
    assert " first: p95 11.0\u202fs → " in heading(app)
    assert "techniques tried on 474 requests" in texts(app)
    assert "Low risk" in texts(app)


def test_time_per_token_reads_per_token(store):
    app = page("optimize.py", objective="tpot")
    assert not app.exception
    assert "ms per token → " in heading(app)


def test_another_percentile_ranks_again(store):
    app = page("optimize.py", {"percentile": 50})
    assert "the median" in heading(app)


def test_the_evidence_says_how_it_was_estimated(store):
    app = page("optimize.py")
    next(b for b in app.button if (b.key or "").startswith("evidence-")).click().run()
    assert not app.exception
    said = texts(app)
    for part in ("How it was estimated", "Requests that carry it", "How to check", "Sources"):
        assert part in said


def test_few_requests_say_what_is_needed(store):
    app = page("optimize.py", where="e2e_ms > 14000")
    assert not app.exception
    assert "20" in heading(app)


def test_no_request_offers_the_way_out(store):
    app = page("optimize.py", where="e2e_ms > 999999")
    assert heading(app) == "## No request matches these filters."


def test_an_empty_store_shows_the_start():
    with opened(empty_store()):
        assert "Give it one export" in heading(page("optimize.py"))
