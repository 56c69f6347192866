import io
import socket

import pytest
from servers import reply, serving

from analysis.errors import UserError
from collectors import http


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    waited = []
    monkeypatch.setattr(http, "pause", waited.append)
    return waited


def refusal(answer, call=http.fetch):
    with serving(lambda _asked: answer) as server, pytest.raises(UserError) as error:
        call(f"{server.url}/x?token=abc")
    assert "abc" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "access with these credentials, found a refusal (401)"),
        (403, "a refusal (403)"),
        (404, "nothing at this address (404)"),
        (500, "status 500"),
        (400, "status 400"),
    ],
)
def test_a_refusal_says_which(status, words):
    assert words in refusal(reply("no", status))


def test_a_web_page_instead_of_json_is_named():
    page = reply("<html>login</html>")
    assert "a JSON answer, found an HTML page" in refusal(page, http.fetch_json)
    assert "an empty answer" in refusal(reply(""), http.fetch_json)


def test_a_port_where_nothing_listens_is_said_in_words_after_retries(pauses):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(UserError, match="a refused connection") as error:
        http.fetch(f"http://me:secret@127.0.0.1:{port}/api")
    assert "secret" not in str(error.value)
    assert len(pauses) == http.ATTEMPTS - 1


def test_a_busy_server_is_asked_again_with_growing_pauses(pauses):
    replies = [reply("", 503), reply("", 429, Retry_After="3"), reply("", 502), reply({"ok": 1})]
    with serving(lambda _asked: replies.pop(0)) as server:
        assert http.fetch_json(server.url) == {"ok": 1}
    assert len(pauses) == 3
    assert 0.25 <= pauses[0] <= 0.5
    assert pauses[1] == 3
    assert 1 <= pauses[2] <= 2


def test_a_server_that_stays_busy_is_given_up(pauses):
    assert "status 503" in refusal(reply("", 503))
    assert len(pauses) == 3


def test_an_answer_that_does_not_come_is_a_matter_of_time(monkeypatch):
    monkeypatch.setattr(http, "READ_S", 0.05)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(UserError, match="none in time"):
            http.fetch(address, attempts=1)


def test_an_answer_may_not_be_endless(monkeypatch):
    monkeypatch.setattr(http, "MAX_ANSWER", 1 << 17)
    assert "a longer one" in refusal(reply(b"x" * (1 << 18)))


@pytest.mark.parametrize(
    "url", ["ftp://h/x", "localhost:9090", "http://", "http://h:0", "file:///x"]
)
def test_only_whole_web_addresses_are_asked(url):
    with pytest.raises(UserError, match="an address such as"):
        http.base_url(url)
    assert http.base_url(" http://h:80/api/ ") == "http://h:80/api"


def test_a_post_streams_its_body_and_brings_any_status_back():
    with serving(lambda _asked: reply({"user_error": "x"}, 422)) as server:
        answer = http.post(f"{server.url}/api/import", {"X-Name": "n"}, io.BytesIO(b"abc"))
        pieces = http.post(server.url, body=b"plain")
    assert (answer.status_code, answer.json()) == (422, {"user_error": "x"})
    assert answer.url == f"{server.url}/api/import"
    assert pieces.text == answer.text
    assert [asked.body for asked in server.asked] == [b"abc", b"plain"]
    assert server.asked[0].headers["X-Name"] == "n"


def test_a_post_to_nobody_is_an_error_in_words():
    with pytest.raises(UserError, match="a refused connection"):
        http.post("http://127.0.0.1:1/api/import", body=b"abc")
