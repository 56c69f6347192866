"""Nobody else gets in."""

import asyncio

import pytest

from analysis.errors import UserError
from ui import guard, login


@pytest.fixture(autouse=True)
def _no_password(monkeypatch):
    monkeypatch.delenv(login.PASSWORD, raising=False)
    monkeypatch.delenv(guard.HOSTS, raising=False)


def answer(path="/", kind="http", server="127.0.0.1", **headers):
    """The status (or close code) that a connection gets; 200 is the inner application's."""
    sent = []

    async def inner(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    made = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    scope = {"type": kind, "path": path, "headers": made, "server": (server, 8501)}
    asyncio.run(guard.Guard(inner)(scope, receive, send))
    return sent[0].get("status") or sent[0]["code"]


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "LOCALHOST"])
def test_local_names_are_let_in(host):
    assert answer(host=host) == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:8501", "", "10.0.0.7"])
def test_an_unknown_host_is_refused_on_every_path(host):
    assert answer(host=host) == 403
    assert answer("/api/rank", host=host) == 403
    assert answer("/_stcore/stream", "websocket", host=host) == 1008


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:9999", "https://localhost.evil"]
)
def test_a_foreign_origin_is_refused(origin):
    assert answer("/healthz", host="localhost:8501", origin=origin) == 403


def test_our_own_origin_is_let_in():
    assert answer(host="localhost:8501", origin="http://localhost:8501") == 200


def test_a_listed_host_is_let_in(monkeypatch):
    monkeypatch.setenv(guard.HOSTS, "slowpath.example,other.example")
    assert answer(host="slowpath.example") == 200


def test_an_address_beyond_this_machine_without_a_password_answers_nobody():
    assert answer(host="localhost", server="192.0.2.1") == 403


def test_the_app_refuses_to_start_on_an_open_address_without_a_password(monkeypatch):
    for address in ("0.0.0.0", "", "192.0.2.1", "::"):
        with pytest.raises(UserError, match=login.PASSWORD):
            guard.refuse_open_door(address)
    guard.refuse_open_door("localhost")
    monkeypatch.setenv(login.PASSWORD, "secret")
    guard.refuse_open_door("0.0.0.0")


def test_with_a_password_every_path_asks_for_it_but_health_and_login(monkeypatch):
    monkeypatch.setenv(login.PASSWORD, "secret")
    assert answer("/", host="192.0.2.1") == 303
    assert answer("/_stcore/stream", "websocket", host="192.0.2.1") == 1008
    assert answer("/_stcore/upload_file/1", host="192.0.2.1") == 303
    assert answer("/api/rank", host="192.0.2.1") == 403
    assert answer("/healthz", host="192.0.2.1") == 200
    assert answer("/login", host="192.0.2.1") == 200


def test_the_cookie_of_the_present_password_lets_in_and_no_other(monkeypatch):
    monkeypatch.setenv(login.PASSWORD, "secret")
    good = f"{login.COOKIE}={login._cookie_value()}"
    assert answer("/", host="192.0.2.1", cookie=good) == 200
    assert answer("/", host="192.0.2.1", cookie=f"{login.COOKIE}=guess") == 303
    monkeypatch.setenv(login.PASSWORD, "changed")
    assert answer("/", host="192.0.2.1", cookie=good) == 303


def test_a_command_needs_the_token_of_this_app(monkeypatch):
    assert not guard.may_command("Bearer ")
    guard.set_token("t0ken")
    assert guard.may_command("Bearer t0ken")
    assert not guard.may_command("Bearer other")
    monkeypatch.setenv(login.PASSWORD, "secret")
    assert answer("/api/rank", host="127.0.0.1", authorization="Bearer t0ken") == 200
    guard.set_token("")
