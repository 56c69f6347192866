"""One pull from a service that keeps traces or metrics, stored like an import."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import collectors
from analysis.errors import UserError
from data.store import Store
from services.imports import Stored, imported, settled, summed
from services.progress import Progress, Step, silent
from services.scope import instant_ns

HOUR_NS = 3_600_000_000_000


def collect(
    store: Store, source: str, params: Mapping[str, Any], progress: Progress = silent
) -> dict[str, Any]:
    """Pull once from a URL; the answer has the shape of `slowpath import`.

    Args:
        params: `since` and `until` (ISO time or ns), or `hours` back from now (1 where absent),
            and the source's own fields, such as `service` and `limit`.

    Raises:
        UserError: the address does not answer, or answers with something else.
    """
    if not source.startswith(("http://", "https://")):
        raise UserError("an address that begins with http:// or https://", repr(source), "collect")
    started = time.monotonic()
    until = instant_ns(params.get("until"), "until") or time.time_ns()
    back = int(params.get("hours") or 1) * HOUR_NS
    since = instant_ns(params.get("since"), "since") or until - back
    import_id = store.begin(_name(source), f"pull:{_name(source)}:{since}:{until}:{time.time_ns()}")
    if import_id is None:
        raise RuntimeError("a pull never has a known hash")
    try:
        row = _pulled(store, import_id, source, params, (since, until), progress)
    except BaseException:
        store.abort(import_id)
        raise
    return summed([row], lambda held: imported(store, held), time.monotonic() - started)


def serve_others(reached: bool) -> None:
    """Say whether this process serves others: then it pulls from no private address of its own."""
    collectors.set_open(reached)


def revealed(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with a token given by reference (`env:NAME`, `file:/path`) read here.

    Raises:
        UserError: there is no such variable or file.
    """
    token = params.get("token")
    return {**params, "token": collectors.revealed(str(token))} if token else dict(params)


def _name(source: str) -> str:
    return (
        source.split("://", 1)[1].rsplit("@", maxsplit=1)[-1].split("?", maxsplit=1)[0].rstrip("/")
    )


def _pulled(
    store: Store,
    import_id: int,
    source: str,
    params: Mapping[str, Any],
    window: tuple[int, int],
    progress: Progress,
) -> dict[str, Any]:
    report = collectors.ReadReport()
    since, until = window
    stored = Stored(_name(source), 0, 0)
    for batch in collectors.pull(source, dict(params), since, until, report):
        stored = stored.more(store.add(import_id, batch))
        progress(Step(stored.name, "read", 0, 0, stored.spans))
    return settled(store, import_id, report, stored, progress)
