import pytest
from streamlit.testing.v1 import AppTest

from services import pull
from ui import importing


def drawn():
    from ui import pulling

    pulling.form()


@pytest.fixture
def form(monkeypatch):
    begun = []
    monkeypatch.setattr(importing, "start_pull", lambda *given: begun.append(given))
    return AppTest.from_function(drawn).run(timeout=30), begun


def test_a_pull_takes_an_address_and_how_far_back(form):
    app, begun = form
    app.text_input[0].set_value(" http://localhost:3200 ")
    app.selectbox[0].set_value(6)
    app.button[0].click().run()
    assert not app.exception
    assert begun == [("http://localhost:3200", {"hours": 6, "token": "", "user": ""})]


def test_a_pull_goes_on_where_the_last_one_ended_and_takes_credentials(form):
    app, begun = form
    app.text_input[0].set_value("http://h")
    app.selectbox[0].set_value(0)
    app.text_input[1].set_value("env:KEY")
    app.text_input[2].set_value("pk")
    app.button[0].click().run()
    assert begun == [("http://h", {"since": "last", "token": "env:KEY", "user": "pk"})]


def test_a_pull_from_nowhere_is_said(form):
    app, begun = form
    app.button[0].click().run()
    assert app.error[0].value.startswith("An address is missing")
    assert begun == []


def test_the_name_of_a_pull_shows_no_password():
    assert pull.shown("https://me:secret@h:1/api/?key=abc") == "h:1/api"
