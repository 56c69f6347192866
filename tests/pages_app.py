"""Pages run in process, over a database of their own: the sample once, or an empty one."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from ui import session

ROOT = Path(__file__).resolve().parent.parent
NAVIGATION = ROOT / "ui" / "navigation.py"
SECONDS = 120


@pytest.fixture(scope="session")
def sample_database(tmp_path_factory):
    """A database that holds the sample, imported once for all tests."""
    path = tmp_path_factory.mktemp("sample") / "sample.duckdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLOWPATH_DB", str(path))
        session.close()
        session.load_sample()
        session.close()
    return path


@pytest.fixture
def sample(sample_database, monkeypatch):
    """The pages see the sample."""
    monkeypatch.setenv("SLOWPATH_DB", str(sample_database))
    yield session.store()
    session.close()


@pytest.fixture
def nothing(tmp_path, monkeypatch):
    """The pages see an empty store."""
    session.close()
    monkeypatch.setenv("SLOWPATH_DB", str(tmp_path / "empty.duckdb"))
    yield session.store()
    session.close()


def alone(script, **query):
    """A page run without the navigation."""
    return run(ROOT / "pages" / script, **query)


def run(script, **query):
    """A script run once with a query in its address; whatever was cached before is gone."""
    st.cache_data.clear()
    tested = AppTest.from_file(str(script), default_timeout=SECONDS)
    for name, value in query.items():
        tested.query_params[name] = value
    return tested.run()


def heading(tested):
    """The answer that a page opens with."""
    assert not tested.exception, tested.exception
    return next((m.value for m in tested.markdown if m.value.startswith("## ")), "")


def said(tested):
    """All text of a page."""
    parts = [*tested.markdown, *tested.caption, *tested.error, *tested.warning]
    return "\n".join(str(part.value) for part in parts)
