"""The commands by name, each from plain parameters to its JSON answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.errors import UserError
from data.store import Store
from services import (
    breakdown,
    data_sets,
    imports,
    metrics,
    pull,
    ranking,
    request,
    request_list,
    retention,
    rules,
)
from services.scope import filters_of, percentile_of, scope_of

Params = Mapping[str, Any]
MOST: Final = 2**62
"""Rows that a database can be asked for."""


def _requests(store: Store, params: Params) -> Any:
    slowest = params.get("slowest")
    if slowest is not None and not 1 <= int(slowest) <= MOST:
        raise UserError(f"a number of requests from 1 to {MOST}", repr(slowest), "slowest")
    return request_list.every(store, filters_of(params), slowest and int(slowest))


def _show(store: Store, params: Params) -> Any:
    trace, _slash, root = str(params.get("trace") or "").partition("/")
    return request.show(store, trace, root or None, raw=bool(params.get("raw")))


def _breakdown(store: Store, params: Params) -> Any:
    scope = scope_of(params)
    band, by = str(params.get("band") or "all"), params.get("by")
    return breakdown.break_down(
        store, scope.filters, scope.objective, band, str(by) if by else None, scope.slo_ns,
        str(params.get("aggregate") or "path"),
    )  # fmt: skip


def _rank(store: Store, params: Params) -> Any:
    assume = dict(params.get("assume") or {})
    return ranking.rank_all(store, scope_of(params), percentile_of(params), assume)


def _collect(store: Store, params: Params) -> Any:
    return pull.collect(store, str(params.get("source") or ""), params)


def _data_sets(store: Store, params: Params) -> Any:
    if params.get("delete") is not None:
        return data_sets.delete(store, int(params["delete"]))
    return data_sets.data_sets(store)


def _metrics(store: Store, params: Params) -> Any:
    return metrics.series(store, params.get("name"))


def _rules(store: Store, _params: Params) -> Any:
    return rules.listed(store)


def _unattributed(store: Store, params: Params) -> Any:
    limit = params.get("limit")
    return rules.unattributed(store, None if limit is None else int(limit))


CHANGES: Final[dict[str, Callable[..., Any]]] = {
    "rules_add": rules.add,
    "rules_delete": rules.delete,
}
"""Commands that take a third argument too: what is told of their progress."""

COMMANDS: Final[dict[str, Callable[[Store, Params], Any]]] = {
    "requests": _requests,
    "show": _show,
    "breakdown": _breakdown,
    "rank": _rank,
    "collect": _collect,
    "datasets": _data_sets,
    "metrics": _metrics,
    "imported": imports.imported,
    "sweep": retention.sweep,
    "rules": _rules,
    "rules_unattributed": _unattributed,
    **CHANGES,
}
"""Command -> what answers it; `import` and `report` take or give files and stand apart."""


def run(store: Store, command: str, params: Params) -> Any:
    """The JSON answer of one command.

    Raises:
        UserError: what the user asked for is wrong.
    """
    if command not in COMMANDS:
        raise UserError(f"one of {', '.join(COMMANDS)}", repr(command), "command")
    return COMMANDS[command](store, params)
