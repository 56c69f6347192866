"""How long data is kept: the limits in force, sweeping by them, and what is on disk."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from analysis.errors import UserError
from data.store import Limits, Store

DAYS: Final = "SLOWPATH_KEEP_DAYS"
GIGABYTES: Final = "SLOWPATH_KEEP_GB"
RANGE: Final = {DAYS: (0.01, 36_500.0), GIGABYTES: (0.1, 1e6)}
"""Below these nothing could ever stay: an empty database takes some megabytes."""

EVERY_S: Final = 3600.0


def limits() -> Limits:
    """What the environment asks to keep; no limit where it says nothing.

    Raises:
        UserError: a variable holds no number, or one that is too small.
    """
    return _limits(
        _number(DAYS, os.environ.get(DAYS)), _number(GIGABYTES, os.environ.get(GIGABYTES))
    )


def _limits(days: float | None, gigabytes: float | None) -> Limits:
    return Limits(days, None if gigabytes is None else int(gigabytes * 1e9))


def _number(name: str, given: object) -> float | None:
    if given is None or given == "":
        return None
    try:
        found = float(str(given))
    except ValueError:
        found = float("nan")
    low, high = RANGE[name]
    if not low <= found <= high:
        raise UserError(f"a number from {low:g} to {high:,.0f}", repr(given), name)
    return found


def sweep(store: Store, params: Mapping[str, Any]) -> dict[str, Any]:
    """Remove what is beyond the limits where `yes` says so; else only say what would go.

    Raises:
        UserError: there is no limit, neither in `params` (`days`, `gb`) nor in the environment.
    """
    wanted = _limits(_number(DAYS, params.get("days")), _number(GIGABYTES, params.get("gb")))
    wanted = limits() if wanted == Limits() else wanted
    if wanted == Limits():
        raise UserError("how much to keep", "no limit", f"--days, --gb, {DAYS} or {GIGABYTES}")
    really = bool(params.get("yes"))
    went = store.sweep(wanted, time.time_ns(), dry_run=not really)
    pins = len(store.query("pins"))
    return {"removed": really, **asdict(wanted), **_counts(went), "pinned_traces": pins}


def _counts(went: Any) -> dict[str, int]:
    return {name: getattr(went, name) for name in ("traces", "requests", "spans", "points")}


def on_disk(store: Store, database: Path) -> dict[str, Any]:
    """Bytes of the database and of what waits beside it, the limits, and the last sweep."""
    disk, beside = store.disk(), database.with_name(database.name + ".received")
    waiting = sum(path.stat().st_size for path in beside.glob("*.batches") if path.exists())
    swept = store.query("sweeps")
    last = None if swept.empty else swept.iloc[0].to_dict()
    return {
        "file": disk.file + disk.log, "free": max(0, disk.file - disk.used), "waiting": waiting,
        "limits": limits(), "pins": len(store.query("pins")), "last": last,
    }  # fmt: skip


def is_pinned(store: Store, trace_id: str) -> bool:
    """Whether no sweep takes this trace."""
    return trace_id in set(store.query("pins")["trace_id"])


class Sweeper:
    """Sweeps by the environment's limits, at the start and every hour; nothing without limits.

    Args:
        store: the open store, asked for each time.
    """

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store, self._stop = store, threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
        self.error: str | None = None
        try:
            self._limits = limits()
        except UserError:  # the page says it; the app is of use without a limit
            self._limits = Limits()

    def start(self) -> None:
        """Sweep in the background from now on."""
        if self._limits != Limits():
            self._thread.start()

    def stop(self) -> None:
        """End, once a sweep that runs is through."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        self.once()
        while not self._stop.wait(EVERY_S):
            self.once()

    def once(self) -> None:
        """Sweep now; what fails is said on the page and tried again."""
        try:
            self._store().sweep(self._limits, time.time_ns())
            self.error = None
        except Exception as error:  # a full disk, a store that closes: the next hour tries again
            self.error = f"{type(error).__name__}: {error}"
