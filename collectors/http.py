"""The one door to other machines: timeouts, retries, size limits, errors in plain words."""

from __future__ import annotations

import io
import json
import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final
from urllib.parse import urlsplit, urlunsplit

import requests

from analysis.errors import UserError
from collectors.door import stripped_address
from words import _

CONNECT_S: Final = 5.0
READ_S: Final = 60.0
ATTEMPTS: Final = 4
BACKOFF_S: Final = 0.5
"""Pause before the second attempt; it doubles each time, with half of it left to chance."""

MAX_PAUSE_S: Final = 20.0
MAX_ANSWER: Final = 1 << 30
"""Bytes that an answer may have."""

_AGAIN: Final = {429, 502, 503, 504}
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}
_CHUNK: Final = 1 << 16
pause = time.sleep


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
) -> Answer:
    """A server's answer to GET, tried again while it is unreachable or busy.

    Raises: UserError naming the address (without credentials) where it cannot be reached, refuses,
    or answers with anything but success.
    """
    for attempt in range(1, attempts + 1):
        last = attempt == attempts
        try:
            response = _request("GET", url, params=params, headers=headers, timeout=READ_S)
        except requests.RequestException as error:
            if last or not isinstance(error, requests.ConnectionError | requests.Timeout):
                raise _unreachable(url, error) from error
            pause(_wait(attempt, None))
            continue
        with response:
            if response.status_code not in _AGAIN or last:
                return _successful(url, response)
            pause(_wait(attempt, response.headers.get("Retry-After")))
    raise AssertionError("the last attempt returns or raises")


def fetch_json(
    url: str, params: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
) -> Any:
    """A server's answer as JSON. Raises: UserError, also where the answer is a web page."""
    answer = fetch(url, params, {"Accept": "application/json", **(headers or {})})
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


def shown_url(url: str) -> str:
    """An address as messages may show it: no user, no password, no query values, no fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return stripped_address(url)
    return stripped_address(urlunsplit((*parts[:4], "")))


def base_url(url: str) -> str:
    """A base address without its last slash. Raises: UserError where it is not http or https."""
    try:
        parts = urlsplit(url.strip())
        complete = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        complete = False
    if not complete:
        raise UserError(_("an address such as http://host:port"), shown_url(url) or _("none"))
    return url.strip().rstrip("/")


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
    with requests.Session() as session:
        session.trust_env = urlsplit(url).hostname not in _LOOPBACK
        return session.request(
            method,
            url,
            params=params,
            headers={"User-Agent": "slowpath", **(headers or {})},
            data=data,
            timeout=(CONNECT_S, timeout),
            stream=True,
        )


def _wait(attempt: int, asked: str | None) -> float:
    grown = BACKOFF_S * 2.0 ** (attempt - 1)
    waited = grown / 2 + random.uniform(0, grown / 2)  # noqa: S311  # spreads load, hides nothing
    if asked and asked.isdecimal():
        waited = max(waited, float(asked))
    return min(waited, MAX_PAUSE_S)


def _successful(url: str, response: requests.Response) -> Answer:
    status = response.status_code
    if status in (401, 403):
        expected = _("access with these credentials")
        raise UserError(expected, _("a refusal ({status})").format(status=status), shown_url(url))
    if status == 404:
        raise UserError(_("an answer"), _("nothing at this address (404)"), shown_url(url))
    if not response.ok:
        found = _("status {status}").format(status=status)
        raise UserError(_("a successful answer"), found, shown_url(url))
    return _answer(url, response)


def _answer(url: str, response: requests.Response) -> Answer:
    content = _content(url, response)
    return Answer(response.status_code, dict(response.headers), content, shown_url(url))


def _content(url: str, response: requests.Response) -> bytes:
    held = io.BytesIO()
    try:
        for chunk in response.iter_content(_CHUNK):
            held.write(chunk)
            if held.tell() > MAX_ANSWER:
                expected = _("an answer of at most {n} MB").format(n=MAX_ANSWER >> 20)
                raise UserError(expected, _("a longer one"), shown_url(url))
    except requests.RequestException as error:
        raise _unreachable(url, error) from error
    return held.getvalue()


def _unreachable(url: str, error: requests.RequestException) -> UserError:
    if isinstance(error, requests.Timeout):
        found = _("none in time")
    elif isinstance(error, requests.exceptions.SSLError):
        found = _("a certificate that cannot be trusted")
    elif "refused" in str(error):
        found = _("a refused connection; nothing listens there")
    elif "resolve" in str(error) or "resolution" in str(error):
        found = _("no machine of that name")
    else:
        found = _("a broken connection")
    return UserError(_("an answer"), found, shown_url(url))


def _kind(content: bytes) -> str:
    start = content[:200].lstrip().lower()
    if not start:
        return _("an empty answer")
    return _("an HTML page") if start.startswith(b"<") else _("something else")
