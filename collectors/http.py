"""The one door to other machines: timeouts, retries, size limits, errors in plain words.

Redirects are followed hop by hop, each one checked like the first address; credentials stay with
the origin for which they were given. Every connection is checked once more by the address that it
reached, so that a name which changes its address between the two gains nothing.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from analysis.errors import UserError
from collectors.address import base_url, refuse_address, refuse_forbidden, shown_url
from collectors.pauses import MAX_ASKED_S, asked_s, wait_s
from words import _

CONNECT_S: Final = 5.0
READ_S: Final = 60.0
TOTAL_S: Final = 900.0
"""Seconds in which an answer must be complete, however steadily it drips."""

ATTEMPTS: Final = 4
MAX_HOPS: Final = 5
MAX_ANSWER: Final = 1 << 30
"""Bytes that an answer may have, unpacked."""

_AGAIN: Final = {429, 502, 503, 504}
_MOVED: Final = {301, 302, 303, 307, 308}
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}
_AUTHORITIES: Final = ("SLOWPATH_CA_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_CHUNK: Final = 1 << 16
pause = time.sleep


class AbsentError(UserError):
    """There is nothing at an address."""


class UnreachableError(UserError):
    """No answer came from an address."""


@dataclass(frozen=True)
class Answer:
    """What a server answered: status, headers, the whole body, and the address that was asked."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes
    url: str

    @property
    def text(self) -> str:
        """The body as text."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON. Raises: ValueError."""
        return json.loads(self.content)


def fetch(
    url: str,
    params: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    attempts: int = ATTEMPTS,
    body: Any = None,
) -> Answer:
    """A server's answer to GET, or to a POST of `body` as JSON; tried again while it is busy.

    Raises: UserError naming the address (without credentials) where it cannot be reached, may not
    be asked, refuses, or answers with anything but success.
    """
    data = None if body is None else json.dumps(body).encode()
    sent = {**({"Content-Type": "application/json"} if data else {}), **(headers or {})}
    for attempt in range(1, attempts + 1):
        last = attempt == attempts
        try:
            with _followed(url, params, sent, data) as response:
                if response.status_code not in _AGAIN or last:
                    return _successful(url, response)
                asked = asked_s(response.headers.get("Retry-After"))
        except requests.RequestException as error:
            if last or not _may_pass(error):
                raise _unreachable(url, error) from error
            asked = None
        if asked and asked > MAX_ASKED_S:
            found = _("a request to come back in {n} s").format(n=int(asked))
            raise UserError(_("an answer"), found, shown_url(url))
        pause(wait_s(attempt, asked))
    raise AssertionError("the last attempt returns or raises")


def _may_pass(error: requests.RequestException) -> bool:
    if isinstance(error, requests.exceptions.SSLError):
        return False
    passing = requests.ConnectionError | requests.Timeout | requests.exceptions.ChunkedEncodingError
    return isinstance(error, passing)


def fetch_json(
    url: str,
    params: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
) -> Any:
    """A server's answer as JSON. Raises: UserError, also where the answer is a web page."""
    answer = fetch(url, params, {"Accept": "application/json", **(headers or {})}, body=body)
    try:
        return json.loads(answer.content)
    except (ValueError, RecursionError) as error:
        raise UserError(_("a JSON answer"), _kind(answer.content), shown_url(url)) from error


def post(
    url: str,
    headers: Mapping[str, str] | None = None,
    body: bytes | BinaryIO | Iterable[bytes] = b"",
    read_s: float | None = None,
) -> Answer:
    """The answer to one POST, whatever its status; a stream is sent in pieces, never held whole.

    `read_s` None waits for as long as it takes. Raises: UserError where there is no answer.
    """
    try:
        with _request("POST", url, headers=headers, data=body, timeout=read_s) as response:
            return _answer(url, response)
    except requests.RequestException as error:
        raise _unreachable(url, error) from error


def _followed(
    url: str, params: Mapping[str, Any] | None, headers: Mapping[str, str], data: bytes | None
) -> requests.Response:
    """The answer behind at most `MAX_HOPS` redirects; a moved POST is asked again as it was."""
    for _hop in range(MAX_HOPS + 1):
        method = "GET" if data is None else "POST"
        response = _request(method, url, params=params, headers=headers, data=data, timeout=READ_S)
        target = response.headers.get("Location")
        if response.status_code not in _MOVED or not target:
            return response
        response.close()
        there = base_url(urljoin(url, target), keep_slash=True)
        if _origin(there) != _origin(url):
            headers = {key: headers[key] for key in ("Accept", "Content-Type") if key in headers}
            if data is not None:
                raise UserError(_("an answer"), _("a redirect to another server"), shown_url(url))
        url, params = there, None
    raise UserError(_("an answer"), _("redirects without end"), shown_url(url))


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _request(
    method: str,
    url: str,
    *,
    params: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    data: bytes | BinaryIO | Iterable[bytes] | None = None,
    timeout: float | None,
) -> requests.Response:
    base_url(url)
    refuse_forbidden(url, shown_url(url))
    with requests.Session() as session:
        session.trust_env = urlsplit(url).hostname not in _LOOPBACK
        session.mount("http://", _CheckedAdapter())
        session.mount("https://", _CheckedAdapter())
        return session.request(
            method,
            url,
            params=params,
            headers={"User-Agent": "slowpath", **(headers or {})},
            data=data,
            timeout=(CONNECT_S, timeout),
            stream=True,
            allow_redirects=False,
            verify=_authorities(),
        )


def _authorities() -> bool | str:
    """The file of certificate authorities that the environment names, else those of requests."""
    for name in _AUTHORITIES:
        if path := os.environ.get(name):
            if not Path(path).exists():
                raise UserError(_("a file of certificate authorities"), path, name)
            return path
    return True


class _Checked(HTTPConnection):
    """A connection that is given up, before anything is sent, where it reached a forbidden one."""

    def connect(self) -> None:
        super().connect()
        _refuse_peer(self)


class _CheckedSecure(HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        _refuse_peer(self)


def _refuse_peer(connection: HTTPConnection) -> None:
    if connection.sock is not None:
        refuse_address(str(connection.sock.getpeername()[0]), connection.host)


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Checked


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _CheckedSecure


class _CheckedAdapter(HTTPAdapter):
    """Connections of our own, except through a proxy, which is the operator's choice."""

    def init_poolmanager(self, *args: Any, **named: Any) -> None:
        super().init_poolmanager(*args, **named)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}


def _successful(url: str, response: requests.Response) -> Answer:
    status = response.status_code
    if status in (401, 403):
        expected = _("access with these credentials")
        raise UserError(expected, _("a refusal ({status})").format(status=status), shown_url(url))
    if status == 404:
        raise AbsentError(_("an answer"), _("nothing at this address (404)"), shown_url(url))
    if not response.ok:
        found = _("status {status}").format(status=status)
        raise UserError(_("a successful answer"), found, shown_url(url))
    return _answer(url, response)


def _answer(url: str, response: requests.Response) -> Answer:
    content = _content(url, response)
    return Answer(response.status_code, dict(response.headers), content, shown_url(url))


def _content(url: str, response: requests.Response) -> bytes:
    held, began = io.BytesIO(), time.monotonic()
    for chunk in response.iter_content(_CHUNK):
        held.write(chunk)
        if held.tell() > MAX_ANSWER:
            expected = _("an answer of at most {n} MB").format(n=MAX_ANSWER >> 20)
            raise UserError(expected, _("a longer one"), shown_url(url))
        if time.monotonic() - began > TOTAL_S:
            raise UserError(_("an answer"), _("none in time"), shown_url(url))
    return held.getvalue()


def _unreachable(url: str, error: requests.RequestException) -> UnreachableError:
    said = str(error)
    if isinstance(error, requests.Timeout) or "Read timed out" in said:
        found = _("none in time")
    elif isinstance(error, requests.exceptions.SSLError):
        expired = "expired" in said
        found = (
            _("an expired certificate") if expired else _("a certificate that cannot be trusted")
        )
    elif isinstance(error, requests.exceptions.ProxyError):
        found = _("a proxy that does not let it through")
    elif "IncompleteRead" in said:
        found = _("an answer that breaks off")
    elif "refused" in said:
        found = _("a refused connection; nothing listens there")
    elif "resolve" in said or "resolution" in said:
        found = _("no machine of that name")
    else:
        found = _("a broken connection")
    return UnreachableError(_("an answer"), found, shown_url(url))


def _kind(content: bytes) -> str:
    start = content[:200].lstrip().lower()
    if not start:
        return _("an empty answer")
    return _("an HTML page") if start.startswith(b"<") else _("something else")
