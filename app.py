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
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from analysis.errors import UserError
from reports import commands as report_commands
from services import commands, forward, imports
from ui import guard, login, session

SCRIPT = Path(__file__).resolve().parent / "ui" / "navigation.py"


async def healthz(_request: Request) -> Response:
    """200 while the store answers."""
    store = session.store()
    return JSONResponse({"status": "ok", "revision": store.revision, "pid": os.getpid()})


async def api(request: Request) -> Response:
    """One command of `slowpath`, for a command that finds the database held by this app."""
    command = request.path_params["command"]
    if not guard.may_command(request.headers.get("authorization", "")):
        return JSONResponse({"error": "the token of this app is missing"}, status_code=401)
    if command == "import":
        return await _import(request)
    try:
        params = await request.json()
    except ValueError:
        return JSONResponse({"error": "the body is no JSON"}, status_code=400)
    return await _answer(lambda: _run(command, params))


def _run(command: str, params: dict[str, Any]) -> Any:
    store = session.store()
    if command in report_commands.COMMANDS:
        return report_commands.COMMANDS[command](store, params)
    return commands.run(store, command, params)


async def _import(request: Request) -> Response:
    params = json.loads(request.headers.get("x-slowpath-params", "{}"))
    with tempfile.NamedTemporaryFile(prefix="slowpath-", delete=True) as kept:
        async for chunk in request.stream():
            kept.write(chunk)
        kept.flush()
        source = imports.Source(str(params.get("name") or "upload"), Path(kept.name))
        keep = bool(params.get("keep_content"))
        return await _answer(
            lambda: imports.import_file(session.store(), source, keep_content=keep)
        )


async def _answer(work: Callable[[], Any]) -> Response:
    try:
        return JSONResponse(await run_in_threadpool(work))
    except UserError as error:
        parts = [error.expected, error.found, error.where]
        return JSONResponse({"error": str(error), "user_error": parts}, status_code=422)


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Open the store (with the sample, where it is empty) before the first page, close it last."""
    guard.refuse_open_door(str(st.get_option("server.address") or ""))
    await asyncio.to_thread(session.open_at_start)
    database = session.database()
    announced = forward.announce(database, int(st.get_option("server.port")))
    guard.set_token(announced.token)
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
    ],
    middleware=[Middleware(guard.Guard)],
    lifespan=lifespan,
)
