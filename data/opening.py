"""Open the database file: who holds it, which version wrote it, what an older one needs."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from analysis.derived import (
    CALLS_SCHEMA,
    FLAGS_SCHEMA,
    LOOKS_SCHEMA,
    REQUESTS_SCHEMA,
    ROWS_SCHEMA,
)
from analysis.errors import UserError
from analysis.stages import STAGES
from data import slices
from data.sql_files import SCHEMA, step
from words import _

SCHEMA_VERSION: Final = 5
"""Raised when `schema.sql`, or what `derive` makes of the same records, changes."""

DERIVED: Final[dict[str, Any]] = {
    "requests": REQUESTS_SCHEMA.append(pa.field("import_ids", pa.list_(pa.int64()))).append(
        pa.field("sample", pa.bool_())
    ),
    "span_rows": ROWS_SCHEMA.append(slices.FIELD),
    "calls": CALLS_SCHEMA,
    "flags": FLAGS_SCHEMA,
}
"""Derived table -> its Arrow schema; `requests` also says which imports brought its records.

`spans` is a view of `span_rows` and `looks`, which holds once what many spans have in common, and
`segments` one of the slices in the row of their span, which names it once for all of them.
"""

LOOKS: Final = LOOKS_SCHEMA.insert(0, pa.field("look", pa.int64()))
VIEWS: Final = ("spans", "segments")

_UNLIKE: Final = frozenset({"key", "span_id", "parent_key"})
"""Ids that hardly repeat: looking for a way to compress them costs more than it saves."""

_HOLDER: Final = re.compile(r"\(PID (\d+)\)")


class StoreLocked(UserError):  # noqa: N818  # a state that callers ask for, named like UserError
    """Another process holds the database; `pid` names it where that is known."""

    def __init__(self, path: str, pid: int | None) -> None:
        self.pid = pid
        holder = _("the process with pid {pid}").format(pid=pid) if pid else _("another process")
        super().__init__(
            _("a database that no other process has open"),
            _("one held by {holder}").format(holder=holder),
            path,
        )


def connect(path: str, memory_limit: str) -> Any:
    """The one connection to the file, without a way to other files or the network.

    Raises:
        StoreLocked: another process has it open.
        UserError: it cannot be read or written, or is no database.
    """
    config = {
        "memory_limit": memory_limit,
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    try:
        if path != ":memory:":
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        return duckdb.connect(path, config=config)
    except (duckdb.Error, OSError) as error:
        text = str(error)
        if "lock" in text.lower():
            raise StoreLocked(path, _holder(path, text)) from error
        found = text.splitlines()[0] if text else type(error).__name__
        raise UserError(_("a database file that can be opened"), found, path) from error


def _holder(path: str, message: str) -> int | None:
    """The pid in DuckDB's message, else the one that the running app wrote beside the file."""
    if match := _HOLDER.search(message):
        return int(match[1])
    try:
        return int(json.loads(Path(f"{path}.app").read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def fingerprint() -> str:
    """A digest of the derived tables' columns: rows of other columns have to be derived again."""
    laid = {**DERIVED, "looks": LOOKS, "stages": STAGES}
    text = "\n".join(f"{name}\n{columns}" for name, columns in laid.items())
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def facts(cursor: Any) -> dict[str, str]:
    """What `meta` says; {} for a new file."""
    tables = {row[0] for row in cursor.execute("SHOW TABLES").fetchall()}
    if not tables:
        return {}
    try:
        known = dict(cursor.execute("SELECT key, value FROM meta").fetchall())
        int(known["schema_version"])
    except (duckdb.Error, KeyError, ValueError) as error:
        found = _("a database of something else")
        raise UserError(_("a slowpath database"), found) from error
    return known


def version(known: dict[str, str]) -> int:
    """The schema version that wrote the file; raises UserError for one newer than ours."""
    found = int(known.get("schema_version", 0))
    if found > SCHEMA_VERSION:
        raise UserError(
            _("a database of schema version {ours} or older").format(ours=SCHEMA_VERSION),
            _("version {found}, written by a newer slowpath").format(found=found),
        )
    return found


def create(cursor: Any) -> None:
    """Lay the stored tables where they are absent, and the derived ones anew."""
    cursor.execute(SCHEMA.read_text(encoding="utf-8"))
    for name, schema in (DERIVED | {"looks": LOOKS}).items():
        cursor.register("empty", schema.empty_table())
        columns = cursor.execute("DESCRIBE SELECT * FROM empty").fetchall()
        cursor.unregister("empty")
        laid = ", ".join(f"{column} {kind}{_kept(column)}" for column, kind, *_rest in columns)
        cursor.execute(f"CREATE OR REPLACE TABLE {name} ({laid})")
    tables = {row[0] for row in cursor.execute("FROM duckdb_tables() SELECT table_name").fetchall()}
    for name in VIEWS:
        if name in tables:  # of an older version
            cursor.execute(f"DROP TABLE {name}")
        cursor.execute(step(name).format(stages=list(STAGES)))


def _kept(column: str) -> str:
    """How a column is told to be kept, where DuckDB is not left to find out."""
    if column in _UNLIKE:
        return " USING COMPRESSION uncompressed"
    return " USING COMPRESSION zstd" if column == "attributes" else ""


def note(cursor: Any, key: str, value: str) -> None:
    """Write one fact into `meta`."""
    cursor.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])
