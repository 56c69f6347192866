"""Open the one store: which file, with which rules, and the sample on an empty one."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

from analysis.errors import UserError
from data.rules_file import default_rules
from data.store import Store

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "samples" / "sample.json.gz"


def database_path(given: str | None = None) -> Path:
    """`--db`, else the environment's `SLOWPATH_DB`, else a file in the user's data folder."""
    chosen = given or os.environ.get("SLOWPATH_DB")
    if chosen:
        return Path(chosen).expanduser().resolve()
    return user_data_path("slowpath") / "slowpath.duckdb"


def user_rules_path() -> Path | None:
    """The user's own stage rules, tried before ours: `SLOWPATH_RULES`, else beside the data."""
    path = rules_path()
    return path if path.is_file() else None


def rules_path() -> Path:
    """Where the user's own stage rules stand, or will once there is one."""
    named = os.environ.get("SLOWPATH_RULES")
    if named and not Path(named).is_file():
        raise UserError("a TOML file of stage rules", "no such file", f"SLOWPATH_RULES={named}")
    return Path(named) if named else user_data_path("slowpath") / "rules.toml"


def open_store(path: Path) -> Store:
    """The store in a file, which is made where it is absent.

    Raises:
        UserError: the folder cannot be written, another process holds the file (`StoreLocked`),
            or the file was written by a newer slowpath.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("a folder that can be written", str(error), str(path.parent)) from error
    return Store(path, default_rules(user_rules_path()))
