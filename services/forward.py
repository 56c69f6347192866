"""A command whose database an app holds goes to that app and prints the same answer."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from analysis.errors import UserError
from collectors import http

_EVERYWHERE: Final = {
    "": "127.0.0.1",
    "localhost": "127.0.0.1",
    "0.0.0.0": "127.0.0.1",  # noqa: S104  # where an app on all interfaces is asked
    "::": "::1",
}


@dataclass(frozen=True)
class RunningApp:
    """Where an app listens and what lets a command of this user in."""

    address: str
    port: int
    pid: int
    token: str

    @property
    def url(self) -> str:
        """The address for a command on the same machine."""
        host = _EVERYWHERE.get(self.address, self.address)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def app_file(database: Path) -> Path:
    """The file beside the database by which a running app is found."""
    return database.with_name(database.name + ".app")


def announce(database: Path, address: str, port: int) -> RunningApp:
    """Write the app's file, readable by its owner only, and return what it says."""
    app = RunningApp(address, port, os.getpid(), secrets.token_urlsafe(32))
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
        app = RunningApp(
            str(said.get("address", "")), int(said["port"]), int(said["pid"]), str(said["token"])
        )
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
    url = f"{app.url}/api/{command}"
    body = json.dumps(params).encode()
    return _answer(http.post(url, _headers(app, "application/json"), body))


def forward_file(
    app: RunningApp, name: str, stream: BinaryIO, params: Mapping[str, Any]
) -> dict[str, Any]:
    """One file streamed to the running app; one entry of the import's `files`."""
    url = f"{app.url}/api/import"
    headers = _headers(app, "application/octet-stream")
    headers["X-Slowpath-Params"] = json.dumps({**params, "name": name})
    answer: dict[str, Any] = _answer(http.post(url, headers, stream))
    return answer


def _answer(response: Any) -> Any:
    try:
        said = response.json()
    except ValueError as error:
        raise UserError("a JSON answer from the app", response.text[:80], response.url) from error
    if response.status_code in (400, 422) and "user_error" in said:
        raise UserError(*said["user_error"])
    if response.status_code != 200:
        found = f"{response.status_code} {said.get('error', '')}".strip()
        raise UserError("an answer from the running app", found, response.url)
    return said
