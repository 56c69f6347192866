"""What comes in is on the page: where to send, how much has come, and a page that follows."""

import pytest
from builders import spans
from otlp_bodies import protobuf
from page_stores import empty_store, opened, page, texts, through_navigation
from stores_of_files import otlp_document

from collectors import PROTOBUF
from services.receiver import Receiver
from ui import live, otlp, sending, session


@pytest.fixture
def store():
    with opened(empty_store()) as held:
        yield held


@pytest.fixture
def receiver(store, tmp_path, monkeypatch):
    held = Receiver(lambda: store, tmp_path)
    monkeypatch.setattr(session, "_receiver", held)
    return held


def send(receiver, number=1):
    batch = spans("r . api server 0 100 chat", trace_id=f"{number:032x}")
    receiver.take("traces", PROTOBUF, protobuf(otlp_document(batch)))


def test_sources_says_where_to_send_and_that_nothing_has_come(receiver):
    app = page("sources.py")
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=http://" in app.code[0].value
    assert "Nothing has come yet" in texts(app)


def test_sources_says_what_has_come(receiver):
    send(receiver)
    said = texts(page("sources.py"))
    assert "last span 0 s ago" in said
    assert "1 waiting" in said
    assert "1 spans and points since the start" in said


def test_a_store_that_refuses_is_told_on_the_page(receiver, store, monkeypatch):
    send(receiver)
    monkeypatch.setattr(type(store), "settle", lambda *_a, **_k: 1 / 0)
    receiver.tick(everything=True)
    assert "ZeroDivisionError" in page("sources.py").error[0].value


def test_no_page_speaks_of_receiving_where_nothing_comes(receiver):
    assert "spans/s" not in texts(through_navigation("overview.py"))


def test_every_page_says_what_comes_and_shows_it(receiver):
    send(receiver)
    receiver.tick(everything=True)
    app = through_navigation("request_list.py")
    assert "spans/s" in texts(app)
    assert app.toggle[0].label == "Live"
    assert "1 request" in texts(app)


def test_a_page_that_follows_runs_again_for_new_requests_and_one_that_does_not_stays(receiver):
    send(receiver)
    receiver.tick(everything=True)
    app = through_navigation("request_list.py")
    before = app.session_state["shown_revision"]
    send(receiver, 2)
    receiver.tick(everything=True)
    assert app.session_state["shown_revision"] == before
    app.session_state["rest_until"] = 0
    app.run()
    assert app.session_state["shown_revision"] == session.store().revision


def test_the_token_stands_by_name_only(monkeypatch):
    monkeypatch.setenv(otlp.TOKEN, "s3cret")
    shown = sending.settings("https://slow.example/sources", True)
    assert "s3cret" not in shown
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=https://slow.example" in shown


def test_without_a_server_nothing_comes(monkeypatch):
    monkeypatch.setattr(session, "_receiver", None)
    assert not live.is_live(live.coming())
