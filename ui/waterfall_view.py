"""The waterfall on the page: its tools, its folds, its window, the chosen span."""

from __future__ import annotations

from typing import Any

import streamlit as st

from charts.waterfall.drawing import key_of_marks, waterfall, window_text
from charts.waterfall.minimap import minimap
from charts.waterfall.rows import MOST, Waterfall, waterfall_rows
from ui import chosen_span, figures, look, request_flags
from words import _, fmt


def tools(shown: dict[str, Any]) -> tuple[str, bool, bool]:
    """Search text, whether only the path, whether raw times; the request's flags at the right."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        query = st.text_input(
            _("Find a span"), key="find", placeholder=_("Find a span"), width=230,
            icon=":material/search:", label_visibility="collapsed", bind="query-params",
        )  # fmt: skip
        names = {"all": _("All spans"), "path": _("On the path")}
        chosen_span.recall_which(names)
        which = st.segmented_control(
            _("Spans"), list(names), required=True, key="which", format_func=names.__getitem__,
            label_visibility="collapsed", on_change=chosen_span.remember_which,
        )  # fmt: skip
        raw = st.toggle(
            _("Raw times"), key="raw", bind="query-params",
            help=_("Times as they were exported, with no clock moved"),
        )  # fmt: skip
        st.space("stretch")
        request_flags.badges(shown["spans"])
    return query or "", which == "path", bool(raw)


def chart(shown: dict[str, Any], query: str, on_path: bool, raw: bool) -> str:
    """Draw the waterfall and return the key of the chosen span."""
    chosen_span.bring_into_view(shown)
    folded, selected = chosen_span.folded(), chosen_span.key(shown)
    rows = waterfall_rows(
        shown["spans"], shown["segments"], folded, on_path, query, shown["calls"], raw,
        chosen_span.first_row(),
    )  # fmt: skip
    dark, narrow = look.dark(), look.narrow()
    overview = minimap(rows, dark, narrow)
    if overview is not None:
        figures.show(overview, "minimap", _("The whole request, only its critical path"))
    figure = waterfall(rows, shown["request"]["ttft_ns"], selected, dark, narrow)
    state = (shown["request"]["trace_id"], query, on_path, raw, rows.first, folded)
    key = f"waterfall-{hash(state)}"
    folds = {row.key for row in rows.rows if len(row.lengths) > 1}
    alt = _("Waterfall of the request")
    figures.show(figure, key, alt, "points", lambda: _act(key, folds))
    _window(rows)
    _count(rows, query)
    st.caption(key_of_marks(rows))
    return selected


def _act(key: str, folds: set[str]) -> None:
    """A click selects a span; on a fold's mark, and on a fold of many, it opens or folds."""
    clicked = figures.clicked(dict(st.session_state[key].get("selection") or {}))
    if not clicked:
        return
    if clicked in folds or clicked.startswith("toggle:"):
        chosen_span.toggle(clicked.removeprefix("toggle:"))
    else:
        chosen_span.select(clicked)


def _window(rows: Waterfall) -> None:
    if rows.total <= MOST:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        last = rows.first + len(rows.rows)
        st.caption(window_text(rows), width="content")
        st.button(_("Earlier rows"), icon=":material/keyboard_arrow_up:", disabled=not rows.first,
                  on_click=chosen_span.move, args=(max(0, rows.first - MOST),))  # fmt: skip
        st.button(_("Later rows"), icon=":material/keyboard_arrow_down:",
                  disabled=last >= rows.total, on_click=chosen_span.move, args=(last,))  # fmt: skip


def _count(rows: Waterfall, query: str) -> None:
    if query:
        said = _("{n} of {total} spans match")
        st.caption(said.format(n=fmt.count(rows.matches or 0), total=fmt.count(rows.spans)))
