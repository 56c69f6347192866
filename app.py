"""The ASGI application: Streamlit's pages and our own routes over one open store."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
import streamlit.config
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from analysis.errors import UserError
from reports import commands as report_commands
from services import commands, forward, imports, parameters, pull
from ui import guard, live, login, otlp, session

SCRIPT = Path(__file__).resolve().parent / "ui" / "navigation.py"

if streamlit.config._main_script_path is None:
    # only `streamlit run` says beside which file .streamlit/config.toml lies; uvicorn does not
    streamlit.config._main_script_path = str(Path(__file__).resolve())


async def healthz(_request: Request) -> Response:
    """200 while the store answers, and how receiving goes."""
    held = {"status": "ok", "revision": session.store().revision, "pid": os.getpid()}
    return JSONResponse({**held, "receiving": vars(live.coming())})


async def api(request: Request) -> Response:
    """One command of `slowpath`, for a command that finds the database held by this app."""
    command = request.path_params["command"]
    if not guard.may_command(request.headers.get("authorization", "")):
        return JSONResponse({"error": "the token of this app is missing"}, status_code=401)
    if command == "import":
        return await _import(request)
    params = _object(await request.body())
    if params is None:
        return JSONResponse({"error": "the body is no JSON object"}, status_code=400)
    return await _answer(lambda: _run(command, params))


def _object(text: bytes | str) -> dict[str, Any] | None:
    """A JSON object; None where the text is something else, or nested without end."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _run(command: str, params: dict[str, Any]) -> Any:
    parameters.check(command, params)
    store = session.store()
    if command in report_commands.COMMANDS:
        return report_commands.COMMANDS[command](store, params)
    return commands.run(store, command, params)


async def _import(request: Request) -> Response:
    params = _object(request.headers.get("x-slowpath-params", "{}"))
    if params is None:
        return JSONResponse({"error": "X-Slowpath-Params is no JSON object"}, status_code=400)
    with tempfile.NamedTemporaryFile(prefix="slowpath-", delete=True) as kept:
        async for chunk in request.stream():
            kept.write(chunk)
        kept.flush()
        return await _answer(lambda: _import_file(Path(kept.name), params))


def _import_file(path: Path, params: dict[str, Any]) -> Any:
    parameters.check("import", params)
    source = imports.Source(params.get("name") or "upload", path)
    keep = bool(params.get("keep_content"))
    return imports.import_file(session.store(), source, keep_content=keep)


async def _answer(work: Callable[[], Any]) -> Response:
    try:
        return JSONResponse(await run_in_threadpool(work))
    except UserError as error:
        parts = [error.expected, error.found, error.where]
        status = 400 if isinstance(error, parameters.WrongParameter) else 422
        return JSONResponse({"error": str(error), "user_error": parts}, status_code=status)


def _announce(address: str, port: int) -> None:
    guard.set_token(forward.announce(session.database(), address, port).token)


class Listening:
    """ASGI middleware: where uvicorn listens elsewhere than configured, the first request tells."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner, self._known = inner, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Announce the address that a connection came to, once, and pass on."""
        address, port = scope.get("server") or ("", None)
        if port and not self._known:
            self._known = True
            app = forward.running_app(session.database())
            if app is not None and app.port != port:
                _announce(address, port)
        await self._inner(scope, receive, send)


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Open the store (with the sample, where it is empty) before the first page, close it last."""
    guard.refuse_open_door(str(st.get_option("server.address") or ""))
    local = guard.is_local(str(st.get_option("server.address") or ""))
    pull.serve_others(bool(login.password()) or not local)
    await asyncio.to_thread(session.open_at_start)
    database = session.database()
    address, port = st.get_option("server.address"), st.get_option("server.port")
    _announce(str(address or ""), int(port))
    try:
        yield {}
    finally:
        forward.withdraw(database)
        session.close()


app = st.App(
    SCRIPT,
    routes=[
        Route("/healthz", healthz, methods=["GET"]),
        Route(login.PATH, login.login, methods=["GET", "POST"]),
        Route("/api/{command}", api, methods=["POST"]),
        *otlp.ROUTES,
    ],
    middleware=[Middleware(guard.Guard), Middleware(Listening)],
    lifespan=lifespan,
)
