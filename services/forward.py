"""A command whose database an app holds goes to that app and prints the same answer."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from analysis.errors import UserError
from collectors import http


@dataclass(frozen=True)
class RunningApp:
    """Where an app listens and what lets a command of this user in."""

    port: int
    pid: int
    token: str


def app_file(database: Path) -> Path:
    """The file beside the database by which a running app is found."""
    return database.with_name(database.name + ".app")


def announce(database: Path, port: int) -> RunningApp:
    """Write the app's file, readable by its owner only, and return what it says."""
    app = RunningApp(port, os.getpid(), secrets.token_urlsafe(32))
    path = app_file(database)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(vars(app), stream)
    return app


def withdraw(database: Path) -> None:
    """Remove the file of an app that stops."""
    app_file(database).unlink(missing_ok=True)


def running_app(database: Path) -> RunningApp | None:
    """The app that holds a database; None where no living process says so."""
    try:
        said = json.loads(app_file(database).read_text(encoding="utf-8"))
        app = RunningApp(int(said["port"]), int(said["pid"]), str(said["token"]))
        os.kill(app.pid, 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return app


def _headers(app: RunningApp, kind: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {app.token}", "Content-Type": kind}


def forward(app: RunningApp, command: str, params: Mapping[str, Any]) -> Any:
    """The answer of one command from the running app.

    Raises:
        UserError: the input was wrong (as the app says), or the app does not answer.
    """
    url = f"http://127.0.0.1:{app.port}/api/{command}"
    body = json.dumps(params).encode()
    return _answer(http.post(url, _headers(app, "application/json"), body))


def forward_file(
    app: RunningApp, name: str, stream: BinaryIO, params: Mapping[str, Any]
) -> dict[str, Any]:
    """One file streamed to the running app; one entry of the import's `files`."""
    url = f"http://127.0.0.1:{app.port}/api/import"
    headers = _headers(app, "application/octet-stream")
    headers["X-Slowpath-Params"] = json.dumps({**params, "name": name})
    answer: dict[str, Any] = _answer(http.post(url, headers, stream))
    return answer


def _answer(response: Any) -> Any:
    try:
        said = response.json()
    except ValueError as error:
        raise UserError("a JSON answer from the app", response.text[:80], response.url) from error
    if response.status_code == 422:
        raise UserError(*said["user_error"])
    if response.status_code != 200:
        found = f"{response.status_code} {said.get('error', '')}".strip()
        raise UserError("an answer from the running app", found, response.url)
    return said
