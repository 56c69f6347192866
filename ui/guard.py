"""Nobody else gets in: known hosts, our own origin, a password on any open address."""

from __future__ import annotations

import hmac
import ipaddress
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import urlsplit

from analysis.errors import UserError
from ui import login

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
HOSTS: Final = "SLOWPATH_HOSTS"
RECEIVING: Final = frozenset({"/v1/traces", "/v1/metrics"})
OPEN_PATHS: Final = frozenset({"/healthz", login.PATH})

_token = ""


def set_token(token: str) -> None:
    """Let in the commands that carry this token."""
    global _token  # noqa: PLW0603  # one process, one token
    _token = token


def may_command(authorization: str) -> bool:
    """Whether an `Authorization` header carries this app's token."""
    return bool(_token) and hmac.compare_digest(authorization.encode(), f"Bearer {_token}".encode())


def is_local(address: str) -> bool:
    """Whether a listening address is reached from this machine only."""
    if address in LOCAL:
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def refuse_open_door(address: str) -> None:
    """Raise `UserError` for an address beyond this machine without a password."""
    if not is_local(address) and not login.password():
        found = f"the address {address or '(all interfaces)'} and no password"
        raise UserError(f"localhost, or a password in {login.PASSWORD}", found, "serve")


def host_name(header: str) -> str:
    """The host of a `Host` header or an origin, without the port.

    >>> host_name("[::1]:8501"), host_name("localhost:8501")
    ('::1', 'localhost')
    """
    return (urlsplit(f"//{header}").hostname or "").lower()


def known_host(name: str) -> bool:
    """Whether a name is ours: local names, listed ones, and bare addresses beside a password.

    A page of a stranger reaches us under a name that he controls (DNS rebinding), never under a
    bare address, so with a password set a bare address may be any.
    """
    listed = {host.strip() for host in os.environ.get(HOSTS, "").lower().split(",")} - {""}
    if is_local(name) or name in listed:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return bool(login.password())


class Guard:
    """ASGI middleware: unknown hosts, foreign origins and strangers end here, on every path."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403 with the reason."""
        if scope["type"] in ("http", "websocket"):
            headers = _headers(scope)
            if reason := refusal(scope, headers):
                await _refuse(scope, receive, send, reason)
                return
            if scope["path"] not in OPEN_PATHS and not admitted(scope["path"], headers):
                await _ask(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _headers(scope: Scope) -> dict[str, str]:
    return {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}


def admitted(path: str, headers: dict[str, str]) -> bool:
    """Whether the password's cookie, or on a command's route the app's token, is there.

    The routes of the receiver ask for a token of their own.
    """
    if path in RECEIVING:
        return True
    if path.startswith("/api/") and may_command(headers.get("authorization", "")):
        return True
    return login.is_logged_in(headers)


def refusal(scope: Scope, headers: dict[str, str]) -> str | None:
    """Why a connection is refused; None where it is not."""
    host = headers.get("host", "")
    if not known_host(host_name(host)):
        return f"unknown host {host[:80]!r}; list it in {HOSTS}"
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        return f"foreign origin {origin[:80]!r}"
    server = scope.get("server")
    if server and server[0] and not is_local(str(server[0])) and not login.password():
        return f"an address beyond this machine needs a password in {login.PASSWORD}"
    return None


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    body = reason.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _ask(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket" or scope["path"].startswith("/api/"):
        await _refuse(scope, receive, send, "log in first")
        return
    headers = [(b"location", login.PATH.encode())]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
