"""The password page and its cookie, for an app that listens beyond this machine."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import html
import os
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from words import _

PASSWORD: Final = "SLOWPATH_PASSWORD"  # noqa: S105  # the variable's name, not a password
COOKIE: Final = "slowpath_login"
PATH: Final = "/login"
DAYS: Final = 30

_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>slowpath</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<body style="font:15px/1.5 system-ui,sans-serif;max-width:22rem;margin:20vh auto;padding:0 1rem">
<h1 style="font-size:1.3rem">{title}</h1><form method="post">
<label>{label}<br><input type="password" name="password" autofocus required
style="font:inherit;width:100%;padding:.4rem;margin:.4rem 0"></label>
<p role="alert">{problem}</p><button style="font:inherit;padding:.4rem 1rem">{button}</button>
</form></body></html>"""


def password() -> str:
    """The password that lets a browser in; empty where none is set."""
    return os.environ.get(PASSWORD, "")


def _cookie_value() -> str:
    return hmac.new(password().encode(), b"slowpath login", hashlib.sha256).hexdigest()


def is_logged_in(headers: Mapping[str, str]) -> bool:
    """Whether a request carries the cookie of the present password, or none is needed."""
    if not password():
        return True
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return False
    return morsel is not None and hmac.compare_digest(
        morsel.value.encode(), _cookie_value().encode()
    )


def _page(problem: str, status: int) -> Response:
    texts = {
        "title": _("This slowpath asks for its password"),
        "label": _("Password"),
        "button": _("Open"),
        "problem": problem,
    }
    return HTMLResponse(_PAGE.format_map({k: html.escape(v) for k, v in texts.items()}), status)


async def login(request: Request) -> Response:
    """The form, and what becomes of it."""
    if request.method != "POST":
        return _page("", 200)
    form = await request.form(max_files=0, max_fields=4)
    given = str(form.get("password", ""))
    if not hmac.compare_digest(given.encode(), password().encode()):
        await asyncio.sleep(1)  # guessing stays slow
        return _page(_("This is not the password."), 401)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        COOKIE, _cookie_value(), max_age=DAYS * 86400, httponly=True, samesite="strict"
    )
    return answer
