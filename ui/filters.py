"""The scope row under the navigation: which requests, by which measure; mirrored to the URL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import streamlit as st

from data.filters import Filters
from services.scope import DEFAULT_SLO_MS, OBJECTIVES, Scope
from ui import answers, look
from words import _, fmt, labels, ngettext, page_labels, times

COLUMNS: Final = ("model", "service", "route", "version", "status")
PILLS_AT_MOST: Final = 12
SPANS: Final = {"15m": 15, "1h": 60, "6h": 360, "24h": 1440, "7d": 10080}
"""A time range's id -> its minutes, counted back from the newest request."""

EXAMPLES: Final = (
    "request_queue_ms > 200",
    "ttft_ms > 1000 and output_tokens > 100",
    "status = 'error' or retries_backoff_ms > 0",
)
BOUND: Final[dict[str, Any]] = {"bind": "query-params", "persist_state": "session"}


def scope(objectives: tuple[str, ...] = OBJECTIVES) -> Scope:
    """Draw the scope row and return what it says; every value of it stands in the URL."""
    _take_dragged()
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with row:
        sets = _data_sets()
        start_ns, end_ns = _time(sets)
        chosen, expression = _columns(sets)
        _chips(chosen, expression)
        st.space("stretch")
        objective = _objective(objectives)
        slo_ms = _slo(objective)
    plural = {"model": "models", "service": "services", "route": "routes",
              "version": "versions", "status": "statuses"}  # fmt: skip
    lists = {plural[name]: tuple(values) for name, values in chosen.items()}
    made = Filters(
        data_sets=sets,
        start_ns=start_ns,
        end_ns=end_ns,
        flag=st.session_state.get("flag"),
        expression=expression,
        **lists,
    )
    return Scope(made, objective, slo_ms)


def show_only(data_sets: list[int]) -> None:
    """Let the next page show these data sets and nothing filtered away."""
    for name in (*COLUMNS, "where", "flag", "range", "since", "until"):
        st.session_state.pop(name, None)
    st.session_state["data"] = [str(number) for number in data_sets]


def _data_sets() -> tuple[int, ...]:
    known = {str(row["import_id"]): row["name"] for row in answers.data_sets() if not row["hidden"]}
    options = list(known)[:PILLS_AT_MOST]
    picked = [key for key in st.session_state.get("data") or [] if key in options]
    name = " + ".join(known[key] for key in picked[:2]) if picked else _("All data")
    more = f" + {len(picked) - 2}" if len(picked) > 2 else ""
    with st.popover(f"{_short(name, 28)}{more}", icon=":material/database:"):
        st.pills(
            _("Data sets; none chosen means all"),
            options,
            selection_mode="multi",
            format_func=lambda key: f"{_short(known[key], 40)} · {key}",
            key="data",
            wrap=True,
            **BOUND,
        )
    return tuple(int(key) for key in st.session_state.get("data") or [] if key in known)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _time(sets: tuple[int, ...]) -> tuple[int | None, int | None]:
    found = answers.query("time_range", Filters(data_sets=sets)).iloc[0]
    if not int(found["n"]):
        return None, None
    first, last = int(found["start_ns"]), int(found["end_ns"])
    start_ns, end_ns = _range(last)
    shown = times.time_range(start_ns or first, end_ns or last, look.zone())
    with st.popover(shown, icon=":material/schedule:"):
        st.pills(_("Newest"), list(SPANS), key="range", format_func=_span_label, **BOUND)
        st.datetime_input(_("From"), value=None, key="since", step=60, **BOUND)
        st.datetime_input(_("Until"), value=None, key="until", step=60, **BOUND)
        st.caption(_("Times in {zone}").format(zone=look.zone()))
    return _range(last)


def _span_label(span: str) -> str:
    names = {
        "15m": _("15 min"),
        "1h": _("1 h"),
        "6h": _("6 h"),
        "24h": _("24 h"),
        "7d": _("7 days"),
    }
    return names[span]


def _range(last_ns: int) -> tuple[int | None, int | None]:
    since, until = (_instant(st.session_state.get(name)) for name in ("since", "until"))
    if since is None and until is None and (span := st.session_state.get("range")):
        return last_ns - SPANS[span] * 60_000_000_000, None
    return since, until


def _instant(chosen: Any) -> int | None:
    if not isinstance(chosen, datetime):
        return None
    local = chosen if chosen.tzinfo else chosen.replace(tzinfo=ZoneInfo(look.zone()))
    since_epoch = local.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return since_epoch // timedelta(microseconds=1) * 1000


def narrow_time(start_ns: int, end_ns: int) -> None:
    """Narrow the time to a range, as a drag over a chart does, and run the page again.

    The widgets of the row have been drawn when a chart is dragged over, and a drawn widget's value
    cannot be set: it is kept aside and taken at the beginning of the next run.
    """
    st.session_state["dragged_range"] = (start_ns, end_ns)
    st.rerun()


def _take_dragged() -> None:
    dragged = st.session_state.pop("dragged_range", None)
    if dragged is None:
        return
    zone = ZoneInfo(look.zone())
    for name, ns in zip(("since", "until"), dragged, strict=True):
        moment = datetime.fromtimestamp(ns // 1_000_000_000, tz=zone)
        st.session_state[name] = moment.replace(tzinfo=None)


def _columns(sets: tuple[int, ...]) -> tuple[dict[str, list[str]], str]:
    facets = answers.query("facets", Filters(data_sets=sets))
    active = sum(bool(st.session_state.get(name)) for name in (*COLUMNS, "where", "flag"))
    label = _("Filters") + (f" · {active}" if active else "")
    with st.popover(label, icon=":material/filter_list:", width="content"):
        for name in COLUMNS:
            _pills(name, facets[facets["facet"] == name])
        _flag_pills(sets)
        st.text_input(
            _("Expression"), key="where", placeholder=EXAMPLES[0], help=" · ".join(EXAMPLES),
            **BOUND,
        )  # fmt: skip
    values = {name: list(st.session_state.get(name) or []) for name in COLUMNS}
    return values, st.session_state.get("where") or ""


def _pills(name: str, facet: Any) -> None:
    counts = dict(zip(facet["value"].astype(str), facet["n"], strict=True))
    options = list(counts)[:PILLS_AT_MOST]
    if len(options) < 2 and not st.session_state.get(name):
        return
    st.pills(
        page_labels.column(name),
        options,
        selection_mode="multi",
        format_func=lambda value: f"{_short(value, 40)} · {fmt.count(int(counts[value]))}",
        key=name,
        wrap=True,
        **BOUND,
    )


def _flag_pills(sets: tuple[int, ...]) -> None:
    counts = answers.query("flag_counts", Filters(data_sets=sets))
    options = list(counts["flag"])[:PILLS_AT_MOST]
    if options or st.session_state.get("flag"):
        st.pills(_("Flag"), options, key="flag", format_func=labels.flag, wrap=True, **BOUND)


def _chips(chosen: dict[str, list[str]], expression: str) -> None:
    active = [(name, value) for name in COLUMNS for value in chosen[name]]
    if expression:
        active.append(("where", expression))
    if flag := st.session_state.get("flag"):
        active.append(("flag", flag))
    for name, value in active[:3]:
        st.button(
            _short(value, 24),
            key=f"chip-{name}-{value}",
            type="tertiary",
            icon=":material/close:",
            icon_position="right",
            on_click=_drop,
            args=(name, value),
        )
    if len(active) > 3:
        n = len(active) - 3
        st.caption(ngettext("+{n} more", "+{n} more", n).format(n=n))


def _drop(name: str, value: str) -> None:
    kept = st.session_state.get(name)
    if isinstance(kept, list):
        st.session_state[name] = [v for v in kept if v != value]
    else:
        st.session_state[name] = "" if name == "where" else None


def clear() -> None:
    """Take every filter off."""
    for name in COLUMNS:
        st.session_state[name] = []
    st.session_state["where"] = ""
    for name in ("flag", "range", "since", "until"):
        st.session_state[name] = None


def _objective(objectives: tuple[str, ...]) -> str:
    if st.session_state.get("objective") not in objectives:
        st.session_state.pop("objective", None)
    chosen = st.segmented_control(
        _("Objective"), objectives, default="e2e", required=True, key="objective",
        format_func=labels.objective, label_visibility="collapsed", **BOUND,
    )  # fmt: skip
    return str(chosen)


def _slo(objective: str) -> float | None:
    standard = DEFAULT_SLO_MS[objective]
    said = st.session_state.get(f"slo_{objective}")
    shown = fmt.plain(round((said or standard) * 1_000_000))
    with st.popover(_("SLO {limit}").format(limit=shown)):
        chosen = st.number_input(
            _("SLO for {objective}, in ms").format(objective=labels.objective(objective)),
            min_value=1.0, value=standard, step=100.0, format="%.0f", key=f"slo_{objective}",
            **BOUND,
        )  # fmt: skip
    return float(chosen) if chosen else None
