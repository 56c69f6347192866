"""Where a command is answered: from the database file, or by the app that holds it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import UserError
from data.store import Store, StoreLocked
from services import forward, imports, opening
from services.commands import CHANGES
from services.progress import Progress, silent

Command = Callable[[Store, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Place:
    """One database file, and whether a running app may answer for it."""

    database: Path
    offline: bool
    commands: Mapping[str, Command]

    def answer(self, command: str, params: Mapping[str, Any]) -> Any:
        """The JSON answer of one command.

        Raises:
            UserError: the user's fault; `StoreLocked` where another process holds the file.
        """
        try:
            store = opening.open_store(self.database)
        except StoreLocked as locked:
            return forward.forward(self._app(locked), command, params)
        try:
            return self.commands[command](store, params)
        finally:
            store.close()

    def change(self, command: str, params: Mapping[str, Any], progress: Progress = silent) -> Any:
        """The JSON answer of a command that changes the rules, told of on the way."""
        try:
            store = opening.open_store(self.database)
        except StoreLocked as locked:
            return forward.forward(self._app(locked), command, params)
        try:
            return CHANGES[command](store, params, progress)
        finally:
            store.close()

    def import_files(
        self, files: Iterable[imports.Source], progress: Progress = silent, keep: bool = False
    ) -> dict[str, Any]:
        """The answer of `slowpath import`."""
        try:
            store = opening.open_store(self.database)
        except StoreLocked as locked:
            return _forwarded(self._app(locked), files, keep)
        try:
            return imports.import_files(store, files, progress, keep_content=keep)
        finally:
            store.close()

    def _app(self, locked: StoreLocked) -> forward.RunningApp:
        app = None if self.offline else forward.running_app(self.database)
        if app is None:
            raise locked
        return app

    def refuse_busy(self, host: str, port: int) -> None:
        """Raise `UserError` where the port is taken or the database cannot be opened."""
        try:
            opening.open_store(self.database).close()
        except StoreLocked as locked:
            raise self._held(locked) from locked
        try:
            with socket.create_server((host, port)):
                pass
        except OSError as error:
            problem = error.strerror or str(error)
            raise UserError("a free port (--port)", problem, f"{host}:{port}") from error

    def _held(self, locked: StoreLocked) -> UserError:
        app = forward.running_app(self.database)
        if app is None or app.pid != locked.pid:
            return locked
        found = f"the app of pid {app.pid}, on {app.url}"
        return UserError("a database that no app holds", found, str(self.database))


def _forwarded(
    app: forward.RunningApp, files: Iterable[imports.Source], keep: bool
) -> dict[str, Any]:
    started = time.monotonic()
    rows = [_forwarded_file(app, file, keep) for file in files]

    def together(params: Mapping[str, Any]) -> Any:
        return forward.forward(app, "imported", params)

    return imports.summed(rows, together, time.monotonic() - started)


def _forwarded_file(app: forward.RunningApp, file: imports.Source, keep: bool) -> dict[str, Any]:
    try:
        with file.path.open("rb") as stream:
            return forward.forward_file(app, file.name, stream, {"keep_content": keep})
    except (UserError, OSError) as error:
        return imports.failed(file.name, error)
