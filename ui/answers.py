"""Answers of the services, kept until the store changes."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any, Final

import pandas as pd
import streamlit as st

from data.filters import Filters
from data.store import Store
from services import breakdown as breakdown_service
from services import data_sets as data_set_service
from services import ranking as ranking_service
from services import request as request_service
from services import request_list
from services import rules as rule_service
from services.rule_drafts import Draft
from services.scope import Scope
from ui import session

_KEPT: Final = 128
SOON_S: Final = 0.3
"""How long one asking for the ranking waits: short, so that a click is heard in between."""

Rows = Future[list[dict[str, Any]]]
_rankings: dict[tuple[Store, int, Scope, int], Rows] = {}
_lock = threading.Lock()
_one_at_a_time = threading.Lock()


@st.cache_data(show_spinner=False, max_entries=_KEPT)
def _query(revision: int, name: str, filters: Filters | None, bound: tuple[Any, ...]) -> Any:
    assert revision >= 0  # part of the key: another revision, another answer
    return session.store().query(name, filters, **dict(bound))


def query(name: str, filters: Filters | None = None, **bound: Any) -> pd.DataFrame:
    """One query's answer, kept per revision, filters and parameters."""
    frame: pd.DataFrame = _query(session.store().revision, name, filters, tuple(bound.items()))
    return frame


def latency(filters: Filters, objective: str = "e2e") -> pd.DataFrame:
    """One row per request in scope, with the stages of an objective."""
    return query("latency_ttft" if objective == "ttft" else "latency", filters)


def unattributed(filters: Filters | None = None) -> dict[str, Any]:
    """Span names without a stage, as `slowpath rules unattributed --json`."""
    found = query("unattributed_names", filters, limit=2**62)
    return rule_service.names(request_list.records(found))


def rules() -> list[dict[str, Any]]:
    """Every rule with what it took, as `slowpath rules --json`."""
    return _rules(session.store().revision)


@st.cache_data(show_spinner=False, max_entries=8)
def _rules(revision: int) -> list[dict[str, Any]]:
    assert revision >= 0
    return rule_service.listed(session.store())


@st.cache_data(show_spinner=False, max_entries=_KEPT)
def _tried(revision: int, draft: Draft, most: int) -> dict[str, Any]:
    assert revision >= 0
    return rule_service.preview(session.store(), draft, most)


def tried(draft: Draft, most: int) -> dict[str, Any]:
    """What a rule would move, over more than `most` records in a sample."""
    found: dict[str, Any] = _tried(session.store().revision, draft, most)
    return found


def data_sets() -> list[dict[str, Any]]:
    """The finished imports, newest first."""
    return data_set_service.data_sets(session.store())


@st.cache_data(show_spinner=False, max_entries=_KEPT)
def _breakdown(
    revision: int, scope: Scope, band: str, by: str | None, aggregate: str
) -> dict[str, Any]:
    assert revision >= 0
    store = session.store()
    objective = "e2e" if scope.objective == "tpot" else scope.objective
    return breakdown_service.break_down(
        store, scope.filters, objective, band, by, scope.slo_ns, aggregate
    )


def breakdown(scope: Scope, band: str, aggregate: str = "path") -> dict[str, Any]:
    """Stages of one band, as `slowpath breakdown --json`."""
    return _breakdown(session.store().revision, scope, band, None, aggregate)


def groups(scope: Scope, by: str, band: str, aggregate: str = "path") -> list[dict[str, Any]]:
    """The same for each group of requests, as `slowpath breakdown --by`."""
    found: list[dict[str, Any]] = _breakdown(session.store().revision, scope, band, by, aggregate)[
        "groups"
    ]
    return found


def ranking(scope: Scope, percentile: int = 95) -> list[dict[str, Any]]:
    """Every technique, as `slowpath rank --json`; takes as long as it takes."""
    return _ranked(scope, percentile).result()


def ranking_soon(scope: Scope, percentile: int = 95) -> list[dict[str, Any]] | None:
    """The same where it is there or nearly so; None while it is worked out in the background."""
    try:
        return _ranked(scope, percentile).result(timeout=SOON_S)
    except TimeoutError:
        return None


def _ranked(scope: Scope, percentile: int) -> Rows:
    store = session.store()
    now = (store, store.revision)
    with _lock:
        for key in [key for key in _rankings if key[:2] != now]:
            _rankings.pop(key).cancel()
        key = (*now, scope, percentile)
        if key not in _rankings:
            if len(_rankings) >= _KEPT:
                _rankings.pop(next(iter(_rankings))).cancel()
            _rankings[key] = Future()
            work = (_rankings[key], store, scope, percentile)
            threading.Thread(target=_rank, args=work, daemon=True, name="ranking").start()
        return _rankings[key]


def _rank(answer: Rows, store: Store, scope: Scope, percentile: int) -> None:
    with _one_at_a_time:
        if not answer.set_running_or_notify_cancel():
            return
        try:
            answer.set_result(ranking_service.rank_all(store, scope, percentile))
        except Exception as error:  # it is raised where the answer is asked for
            answer.set_exception(error)


@st.cache_data(show_spinner=False, max_entries=32)
def _shown(revision: int, trace: str, root: str | None, raw: bool) -> dict[str, Any]:
    assert revision >= 0
    return request_service.show(session.store(), trace, root, raw)


def request(trace: str, root: str | None, raw: bool = False) -> dict[str, Any]:
    """One request, as `slowpath show --json`; raises UserError where there is none."""
    return _shown(session.store().revision, trace, root, raw)


def usual(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Per stage what requests of the same route usually take."""
    return request_service.usual(session.store(), shown)


@st.cache_data(show_spinner=False, max_entries=_KEPT)
def _page(revision: int, filters: Filters, bound: tuple[Any, ...]) -> Any:
    assert revision >= 0
    return request_list.page(session.store(), filters, **dict(bound))


def request_page(filters: Filters, **bound: Any) -> tuple[list[dict[str, Any]], int]:
    """One page of requests, and how many there are."""
    found: tuple[list[dict[str, Any]], int] = _page(
        session.store().revision, filters, tuple(bound.items())
    )
    return found
