"""One pull from a service that keeps traces or metrics, stored like an import."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import collectors
from analysis.errors import UserError
from data.store import Store
from services.imports import Stored, imported, settled, summed, unchanged
from services.progress import Progress, Step, silent
from services.scope import instant_ns

HOUR_NS = 3_600_000_000_000
LAST = "last"
OVERLAP_NS = 300_000_000_000
"""How far a pull since the last one reaches back behind its end, for spans that came late."""


def collect(
    store: Store, source: str, params: Mapping[str, Any], progress: Progress = silent
) -> dict[str, Any]:
    """Pull once from a URL; the answer has the shape of `slowpath import`.

    Args:
        params: `since` and `until` (ISO time or ns), or `hours` back from now (1 where absent);
            `since` "last" goes on where the last such pull of this address ended, and one that
            brings nothing new is no data set then; and the source's own fields, such as
            `service` and `limit`.

    Raises:
        UserError: the address does not answer, or answers with something else.
    """
    if not source.startswith(("http://", "https://")):
        raise UserError("an address that begins with http:// or https://", repr(source), "collect")
    started, key = time.monotonic(), _key(source, params)
    until = instant_ns(params.get("until"), "until") or time.time_ns()
    follows = params.get("since") == LAST
    kept = store.fact(key) if follows else None
    since = int(kept) - OVERLAP_NS if kept else _since(params, until)
    row = _one(store, source, params, (since, until), kept is not None, progress)
    if follows:
        store.note(key, str(max(until, int(kept or until))))
    return summed([row], lambda held: imported(store, held), time.monotonic() - started)


def _since(params: Mapping[str, Any], until: int) -> int:
    given = params.get("since")
    since = None if given == LAST else instant_ns(given, "since")
    return since or until - int(params.get("hours") or 1) * HOUR_NS


def _key(source: str, params: Mapping[str, Any]) -> str:
    """Under what the end of the last pull is kept: the service, and what of it was asked for."""
    asked = {name: params[name] for name in ("service", "project", "families") if params.get(name)}
    return f"pulled:{shown(source)}:{json.dumps(asked, sort_keys=True)}"


def _one(
    store: Store,
    source: str,
    params: Mapping[str, Any],
    window: tuple[int, int],
    again: bool,
    progress: Progress,
) -> dict[str, Any]:
    digest = f"pull:{shown(source)}:{window[0]}:{window[1]}:{time.time_ns()}"
    import_id = store.begin(shown(source), digest)
    if import_id is None:
        raise RuntimeError("a pull never has a known hash")
    try:
        return _pulled(store, import_id, source, params, window, again, progress)
    except BaseException:
        store.abort(import_id)
        raise


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


def shown(source: str) -> str:
    """An address without its scheme, user, password and query: the name of what came from it."""
    return (
        source.split("://", 1)[1].rsplit("@", maxsplit=1)[-1].split("?", maxsplit=1)[0].rstrip("/")
    )


def _pulled(
    store: Store,
    import_id: int,
    source: str,
    params: Mapping[str, Any],
    window: tuple[int, int],
    again: bool,
    progress: Progress,
) -> dict[str, Any]:
    report = collectors.ReadReport()
    since, until = window
    stored, new = Stored(shown(source), 0, 0), 0
    for batch in collectors.pull(source, dict(params), since, until, report):
        added = store.add(import_id, batch)
        stored, new = stored.more(added), new + added.new
        progress(Step(stored.name, "read", 0, 0, stored.spans))
    if again and not new and not stored.points and not report.rejected:
        store.abort(import_id)
        return unchanged(stored.name, report.format)
    return settled(store, import_id, report, stored, progress)
