"""A page run by AppTest on a store that the test gives it."""

from contextlib import contextmanager

import streamlit as st
from conftest import ROOT
from streamlit.testing.v1 import AppTest

from data.rules_file import default_rules
from data.store import Store
from services import imports, opening
from ui import session

NAVIGATION = ROOT / "ui" / "navigation.py"


def sample_store():
    store = Store(":memory:", default_rules())
    source = imports.Source(opening.SAMPLE.name, opening.SAMPLE)
    imports.import_files(store, [source], sample=True)
    return store


def empty_store():
    return Store(":memory:", default_rules())


@contextmanager
def opened(store):
    """Pages see this store until the block ends."""
    before, session._store = session._store, store
    st.cache_data.clear()
    try:
        yield store
    finally:
        session._store = before
        st.cache_data.clear()


def page(script, state=None, **query):
    """One page alone; `state` is what its widgets hold."""
    app = AppTest.from_file(ROOT / "pages" / script, default_timeout=60)
    for name, value in (state or {}).items():
        app.session_state[name] = value
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def through_navigation(script, **query):
    """One page as the navigation runs it."""
    app = AppTest.from_file(NAVIGATION, default_timeout=60)
    app.run()
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page(str(ROOT / "pages" / script)).run()


def heading(app):
    """The page's answer, without the marks that keep it plain."""
    said = next(m.value for m in app.markdown if m.value.startswith("## "))
    return said.replace("\\", "")


def texts(app):
    """All Markdown and captions of a page."""
    return "\n".join(element.value for element in [*app.markdown, *app.caption])
