"""The command that gives a file: `slowpath report`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from analysis.errors import UserError
from data.store import Store
from reports.build import Wanted, report
from reports.data import SECTIONS, ReportData
from reports.markdown import markdown
from reports.raw import as_csv, as_json
from reports.report import html
from services.scope import percentile_of, scope_of

FORMATS: Final[dict[str, Callable[[ReportData], str]]] = {
    "html": html,
    "md": markdown,
    "json": as_json,
    "csv": as_csv,
}
"""The file's ending -> what writes it."""


def _report(store: Store, params: Mapping[str, Any]) -> dict[str, str]:
    kind = str(params.get("format", "html"))
    if kind not in FORMATS:
        endings = ", ".join(f".{ending}" for ending in FORMATS)
        found = repr(f".{kind}") if kind else "no ending"
        raise UserError(f"a file that ends in {endings}", found, "report")
    wanted = Wanted(
        percentile=percentile_of(params),
        title=str(params.get("title") or ""),
        notes=str(params.get("notes") or ""),
        sections=tuple(params.get("sections") or SECTIONS),
        tz=_zone(str(params.get("tz") or "UTC")),
        made_ns=time.time_ns(),
    )
    return {"content": FORMATS[kind](report(store, scope_of(params), wanted))}


def _zone(name: str) -> str:
    """The name of a time zone that is known here."""
    try:
        return str(ZoneInfo(name))
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise UserError("a time zone such as Europe/Berlin", repr(name)[:60], "report tz") from None


COMMANDS: Final[dict[str, Callable[[Store, Mapping[str, Any]], Any]]] = {"report": _report}
"""Command -> what answers it, beside those of `services.commands`."""
