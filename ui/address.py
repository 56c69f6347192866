"""The view and the address bar: a link becomes the view, and the view stands in the link.

A widget's own value dies on a page change and its link would hold translated labels, so the view
lives in one dictionary of ids, from which widgets begin and which is written to the address.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode, urlsplit, urlunsplit
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.errors import UserError
from services.breakdown import AGGREGATES, BY
from services.scope import OBJECTIVES, instant_ns

BANDS: Final = ("p50", "p95", "p99", "tail", "slo", "all")
RANGES: Final = {"15m": 15, "1h": 60, "6h": 360, "24h": 1440, "7d": 10080}
"""A time range's id -> its minutes, counted back from the newest request."""

Parse = Callable[[list[str]], Any]


def _texts(given: list[str]) -> list[str]:
    return [text for text in dict.fromkeys(given) if text]


def _text(given: list[str]) -> str:
    return given[-1].strip()


def _one_of(options: Sequence[str]) -> Parse:
    return lambda given: given[-1] if given[-1] in options else None


def _number(given: list[str]) -> float | None:
    try:
        value = float(given[-1])
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def _page(given: list[str]) -> int | None:
    return int(given[-1]) if given[-1].isdecimal() and 0 < int(given[-1]) < 10**9 else None


def _sets(given: list[str]) -> list[str]:
    return [text for text in _texts(given) if text.isdecimal()]


def _instant(given: list[str]) -> int | None:
    """An ISO time as ns; in the reader's zone where it names none."""
    try:
        moment = datetime.fromisoformat(given[-1])
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(st.context.timezone or "UTC"))
        return instant_ns(moment.isoformat(), "")
    except (ValueError, OverflowError, UserError):
        return None


PARSERS: Final[dict[str, Parse]] = {
    "data": _sets,
    "range": _one_of(tuple(RANGES)),
    "since": _instant,
    "until": _instant,
    **dict.fromkeys(("model", "service", "route", "version", "status"), _texts),
    "flag": _text,
    "where": _text,
    "objective": _one_of(OBJECTIVES),
    **{f"slo_{objective}": _number for objective in OBJECTIVES},
    "band": _one_of(BANDS),
    "unit": _one_of(("time", "share")),
    "aggregate": _one_of(AGGREGATES),
    "by": _one_of(BY),
    "sort": _one_of(("slowest", "newest", "unusual")),
    "q": _text,
    "page": _page,
}
"""Every name in an address that is ours -> what makes its value; None where it is not one."""

DEFAULTS: Final[dict[str, Any]] = {
    "objective": "e2e", "band": "p95", "unit": "time", "aggregate": "path", "by": "model",
    "sort": "slowest", "page": 1,
}  # fmt: skip
"""What holds where the address says nothing; left out of it."""

OF_ONE_PAGE: Final = ("band", "unit", "aggregate", "by", "sort", "q", "page")
"""Names that only stand in the address of a page which draws their widget."""


def _view() -> dict[str, Any]:
    view: dict[str, Any] = st.session_state.setdefault("view", {})
    return view


def arrive() -> None:
    """Notice that another page is shown than before; called before any page runs."""
    here = st.context.url or ""
    if st.session_state.get("page_now", here) != here:
        st.session_state["moved"] = True
        st.session_state.pop("drawn", None)
        st.session_state["visit"] = st.session_state.get("visit", 0) + 1
    st.session_state["page_now"] = here


def begin() -> None:
    """Take what a link says into the view; called before the first widget of a page."""
    st.session_state["drawn"] = []
    said, written = _said(), st.session_state.get("written", {})
    moved = st.session_state.pop("moved", False)
    st.session_state["written"] = said
    if said == written:
        return
    for name in [] if moved else set(written) - set(said):
        put(name, None)
    for name, given in said.items():
        put(name, PARSERS[name](given))


def _said() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in PARSERS if name in st.query_params}


def put(name: str, value: Any) -> None:
    """Set one part of the view; its widget begins anew with it."""
    _view()[name] = value
    changes: dict[str, int] = st.session_state.setdefault("changes", {})
    changes[name] = changes.get(name, 0) + 1


def value(name: str) -> Any:
    """One part of the view; its default where nothing is set."""
    found = _view().get(name)
    return DEFAULTS.get(name) if found is None or found == [] else found


def values(name: str) -> list[str]:
    """A part of the view that is a list."""
    return list(_view().get(name) or [])


def key(name: str) -> str:
    """The key of a part's widget: another one on every visit, and after every `put`."""
    st.session_state["drawn"] = [*st.session_state.get("drawn", ()), name]
    change = st.session_state.get("changes", {}).get(name, 0)
    return f"{name}.{st.session_state.get('visit', 0)}.{change}"


def keep(name: str, chosen: Any) -> Any:
    """Remember what a widget says as part of the view."""
    _view()[name] = chosen
    return value(name)


def _written(name: str) -> list[str]:
    found = value(name)
    if found in (None, "", []) or found == DEFAULTS.get(name):
        return []
    if name in ("since", "until"):
        whole = datetime.fromtimestamp(found // 10**9, tz=ZoneInfo("UTC"))
        return [whole.isoformat().replace("+00:00", "Z")]
    if isinstance(found, float):
        return [f"{found:g}"]
    return [str(item) for item in (found if isinstance(found, list) else [found])]


def params(names: Sequence[str] | None = None) -> dict[str, list[str]]:
    """The view as the parameters of a link: those of the scope, or the given names."""
    chosen = [name for name in PARSERS if name not in OF_ONE_PAGE] if names is None else names
    said = {name: _written(name) for name in chosen}
    return {name: texts for name, texts in said.items() if texts}


def _of_this_page() -> dict[str, list[str]]:
    drawn = st.session_state.get("drawn", ())
    return params([name for name in PARSERS if name not in OF_ONE_PAGE or name in drawn])


def link() -> str:
    """The link that opens this view in another browser; asked for before the page is drawn."""
    there = st.session_state.get("written", {})
    said = params([name for name in PARSERS if name not in OF_ONE_PAGE or name in there])
    parts = urlsplit(st.context.url or "")
    return urlunsplit((*parts[:2], parts.path or "/", urlencode(said, doseq=True), ""))


def write() -> None:
    """Let the address bar say what the page shows; called once the widgets are drawn."""
    if "drawn" not in st.session_state:
        return
    wanted, there = _of_this_page(), _said()
    if wanted != there:
        others = {n: st.query_params.get_all(n) for n in st.query_params if n not in PARSERS}
        if others:
            for name in set(there) - set(wanted):
                del st.query_params[name]
            st.query_params.update(wanted)
        else:
            st.query_params.from_dict(wanted)
    st.session_state["written"] = wanted
    del st.session_state["drawn"]
