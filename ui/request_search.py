"""The Requests page's content: order, search, one page of rows, export."""

from __future__ import annotations

import json
from typing import Final

import pandas as pd
import streamlit as st

from analysis.answer import Answer
from services import request_list
from services.scope import Scope
from ui import address, answers, blocks, look, request_rows, session
from words import _, fmt

PAGE: Final = 50


def show(scope: Scope) -> None:
    """The list: heading, tools, table, pages."""
    summary = answers.query("summary", scope.filters, slo_ns=scope.slo_ns).iloc[0]
    total = int(summary["n"])
    if not total:
        blocks.nothing_matches()
        return
    slowest = answers.request_page(scope.filters, sort="slowest", limit=1)[0][0]
    blocks.heading(Answer("requests_listed", {"count": total, "slowest_ns": slowest["e2e_ns"]}))
    sort, search = _tools(scope)
    _rows(scope, sort, search, int(summary["excluded"]))


def _tools(scope: Scope) -> tuple[str, str]:
    names = {"slowest": _("Slowest"), "newest": _("Newest"), "unusual": _("Furthest from usual")}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        sort = st.segmented_control(
            _("Order"), list(names), format_func=names.__getitem__, required=True,
            default=address.value("sort"), key=address.key("sort"), label_visibility="collapsed",
        )  # fmt: skip
        search = st.text_input(
            _("Search"), address.value("q") or "", key=address.key("q"),
            placeholder=_("Trace id, route or name"), icon=":material/search:",
            label_visibility="collapsed", width=260,
        )  # fmt: skip
        st.space("stretch")
        with st.popover(_("Export"), icon=":material/download:"):
            _export(scope)
    address.keep("sort", sort)
    address.keep("q", search.strip())
    return str(sort), search.strip()


def _export(scope: Scope) -> None:
    rows = request_list.every(session.store(), scope.filters)
    st.caption(_("{n} requests in scope, times in ns").format(n=fmt.count(len(rows))))
    text = json.dumps(rows, ensure_ascii=False)
    st.download_button("JSON", text, "requests.json", "application/json", on_click="ignore")
    flat = pd.json_normalize(rows).to_csv(index=False)
    st.download_button("CSV", flat, "requests.csv", "text/csv", on_click="ignore")


def _rows(scope: Scope, sort: str, search: str, left_out: int) -> None:
    _first_page_of_another_list((sort, search, scope))
    bound = {"sort": sort, "limit": PAGE, "search": search}
    number = int(address.value("page"))
    rows, total = answers.request_page(scope.filters, **bound, offset=(number - 1) * PAGE)
    if not rows and number > 1:
        address.put("page", None)
        st.rerun()
    if not rows:
        st.markdown(_("No request matches."))
        return
    key = f"rows-{sort}-{search}-{number}-{hash(scope)}-{look.dark()}"
    request_rows.table(rows, key=key, height=520 if len(rows) > 13 else "content")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_caption((number - 1) * PAGE, len(rows), total, left_out))
        st.space("stretch")
        if total > PAGE:
            pages = -(-total // PAGE)
            chosen = st.pagination(pages, default=min(number, pages), key=address.key("page"))
            if address.keep("page", chosen) != number:
                st.rerun()


def _first_page_of_another_list(listed: tuple[str, str, Scope]) -> None:
    """Begin at the first page where the list is not the one that was paged through."""
    before = st.session_state.get("listed", listed)
    st.session_state["listed"] = listed
    if listed != before and address.value("page") != 1:
        address.put("page", None)
        st.rerun()


def _caption(first: int, shown: int, total: int, left_out: int) -> str:
    text = request_rows.counted(first, shown, total)
    if left_out:
        also = _("{n} left out of percentiles are listed too, marked")
        text += " · " + also.format(n=fmt.count(left_out))
    return text + " · " + _("click a row to open it")
