"""The Report page: what it offers, and what its choices change."""

import pytest
from page_stores import empty_store, heading, opened, page, sample_store, texts, through_navigation

from ui import report_view


@pytest.fixture(scope="module")
def store():
    with opened(sample_store()) as made:
        yield made


@pytest.mark.parametrize("run", [page, through_navigation])
def test_the_page_offers_every_format_and_states_its_size(run, store):
    app = run("report.py")
    assert not app.exception
    assert "no prompt text" in heading(app)
    assert ".html " in texts(app)
    assert " kB" in texts(app).replace("\u202f", " ")


def test_sections_and_notes_do_not_build_the_report_again(store, monkeypatch):
    built = []
    real = report_view.build.report
    monkeypatch.setattr(report_view.build, "report", lambda *a: built.append(1) or real(*a))
    report_view.st.cache_data.clear()
    app = page("report.py")
    app.text_area(key="report_notes").set_value("shipped on Monday").run()
    app.text_input(key="report_title").set_value("Week 11").run()
    assert not app.exception
    assert len(built) == 1


def test_an_empty_store_shows_the_start():
    with opened(empty_store()):
        assert "Give it one export" in heading(page("report.py"))
