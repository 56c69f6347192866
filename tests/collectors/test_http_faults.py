"""The one door against servers that misbehave: each fault is one error in words."""

import shutil
import ssl
import subprocess
import time
from email.utils import formatdate

import pytest
from servers import reply, serving

from analysis.errors import UserError
from collectors import address, http


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    waited = []
    monkeypatch.setattr(http, "pause", waited.append)
    for name in (address.PRIVATE, *http._AUTHORITIES):
        monkeypatch.delenv(name, raising=False)
    return waited


def said(answer, call=http.fetch_json, **named):
    with serving(answer) as server, pytest.raises(UserError) as error:
        call(f"{server.url}/x?token=abc", **named)
    assert "abc" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply("broken", 500), "status 500"),
        (reply("", 429), "status 429"),
        (reply('{"data": [1,', 200), "a JSON answer, found something else"),
        (reply("<html>log in</html>"), "a JSON answer, found an HTML page"),
        (reply('{"data": 1}', Content_Length="4000"), "an answer that breaks off"),
        (reply("", 302, Location="http://169.254.169.254/latest"), "a cloud's metadata service"),
        (reply("", 302, Location="file:///etc/passwd"), "an address such as http://host:port"),
        (reply("", 302, Location="/x"), "redirects without end"),
    ],
)
def test_each_fault_is_one_error(answer, words):
    assert words in said(lambda _asked: answer)


def test_a_server_that_hangs_or_drips_is_out_of_time(monkeypatch):
    monkeypatch.setattr(http, "READ_S", 0.05)

    def late(_asked):
        time.sleep(0.3)
        return reply({})

    assert "none in time" in said(late, http.fetch, attempts=1)
    monkeypatch.setattr(http, "READ_S", 5)
    monkeypatch.setattr(http, "TOTAL_S", -1)
    assert "none in time" in said(lambda _asked: reply({"a": 1}))


def test_an_answer_that_broke_off_is_asked_for_again(pauses):
    replies = [reply('{"a": 1}', Content_Length="4000"), reply({"a": 2})]
    with serving(lambda _asked: replies.pop(0)) as server:
        assert http.fetch_json(server.url) == {"a": 2}
    assert len(pauses) == 1


def test_a_server_says_by_a_date_when_to_come_back(pauses):
    replies = [reply("", 503, Retry_After=formatdate(time.time() + 30, usegmt=True)), reply({})]
    with serving(lambda _asked: replies.pop(0)) as server:
        http.fetch_json(server.url)
    assert 27 <= pauses[0] <= 31


def test_a_server_that_wants_to_be_left_alone_for_long_is_given_up(pauses):
    busy = reply("", 429, Retry_After="3600")
    assert "a request to come back in 3600 s" in said(lambda _asked: busy)
    assert pauses == []


def test_a_redirect_is_followed_without_the_credentials_of_another_server():
    with serving(lambda _asked: reply({"here": 1})) as other:
        there = f"{other.url}/api/"
        with serving(lambda _asked: reply("", 307, Location=there)) as first:
            answer = http.fetch_json(first.url, {"q": "1"}, {"Authorization": "Bearer t"})
    assert answer == {"here": 1}
    assert first.asked[0].headers["Authorization"] == "Bearer t"
    assert "Authorization" not in other.asked[0].headers
    assert other.asked[0].path == "/api/"


def test_a_redirect_on_the_same_server_keeps_credentials_and_body():
    def answer(asked):
        return reply("", 308, Location="/new") if asked.path == "/old" else reply({})

    with serving(answer) as server:
        http.fetch_json(f"{server.url}/old", headers={"X-Api-Key": "k"}, body={"a": 1})
    assert (server.asked[1].method, server.asked[1].body) == ("POST", b'{"a": 1}')
    assert server.asked[1].headers["X-Api-Key"] == "k"


def test_a_body_does_not_follow_to_another_server():
    moved = reply("", 307, Location="http://127.0.0.1:1/")
    assert "a redirect to another server" in said(lambda _asked: moved, body={"a": 1})


def test_an_app_that_serves_others_follows_no_redirect_into_its_network(monkeypatch):
    monkeypatch.setattr(address, "_open", True)
    with pytest.raises(UserError, match="SLOWPATH_PULL_PRIVATE=1"):
        http.fetch("http://127.0.0.1:1/")
    monkeypatch.setenv(address.PRIVATE, "1")
    with pytest.raises(UserError, match="a refused connection"):
        http.fetch("http://127.0.0.1:1/", attempts=1)


def test_a_name_that_changes_its_address_is_caught_at_the_connection(monkeypatch):
    monkeypatch.setattr(address, "_open", True)
    monkeypatch.setattr(http, "refuse_forbidden", lambda _url, _where: None)
    refused = pytest.raises(UserError, match="an address inside the network")
    with serving(lambda _asked: reply({})) as server, refused:
        http.fetch(server.url)
    assert server.asked == []


@pytest.fixture
def certificate(tmp_path):
    if not shutil.which("openssl"):
        pytest.skip("openssl is needed to make a certificate")

    def made(days):
        key, first, last = (tmp_path / name for name in ("k.pem", "first.pem", f"c{days}.pem"))
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        subject = ["-subj", "/CN=localhost", "-addext", names, "-keyout", key, "-out", first]
        again = ["-in", first, "-signkey", key, "-days", str(days), "-out", last]
        for command in (["req", "-x509", *curve, *subject], ["x509", *again]):
            subprocess.run(["openssl", *command], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(last, key)
        return context, last

    return made


def test_a_certificate_of_an_own_authority_is_trusted_where_the_operator_names_it(
    certificate, monkeypatch, pauses
):
    context, file = certificate(2)
    with serving(lambda _asked: reply({"ok": 1}), context) as server:
        with pytest.raises(UserError, match="a certificate that cannot be trusted"):
            http.fetch_json(server.url)
        assert pauses == []
        for name in ("SLOWPATH_CA_FILE", "REQUESTS_CA_BUNDLE"):
            monkeypatch.setenv(name, str(file))
            assert http.fetch_json(server.url) == {"ok": 1}
            monkeypatch.delenv(name)
    monkeypatch.setenv("SLOWPATH_CA_FILE", f"{file}.absent")
    with pytest.raises(UserError, match="a file of certificate authorities"):
        http.fetch("https://127.0.0.1:1")


def test_an_expired_certificate_is_named(certificate, monkeypatch):
    context, file = certificate(-1)
    monkeypatch.setenv("SLOWPATH_CA_FILE", str(file))
    refused = pytest.raises(UserError, match="an expired certificate")
    with serving(lambda _asked: reply({}), context) as server, refused:
        http.fetch_json(server.url)


def test_a_proxy_of_the_environment_is_asked(monkeypatch):
    monkeypatch.setattr(http, "_LOOPBACK", set())
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with serving(lambda _asked: reply({"through": 1})) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert http.fetch_json("http://traces.example/api") == {"through": 1}
    assert proxy.asked[0].headers["Host"] == "traces.example"
