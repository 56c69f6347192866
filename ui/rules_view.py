"""The rules on the Sources page: span names without a stage, and the rules there are."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import streamlit as st

from analysis.answer import Answer
from ui import answers, blocks, naming, rule_dialog, rule_form, rule_jobs, rule_list
from ui.texts import titled
from words import _, fmt, ngettext, page_labels, rule_words

FIRST: Final = 8
LEAST: Final = 0.001
"""Names with a row of their own, and the share of all time that earns one; the others stand in a
table."""
VIEWS: Final = ("data", "rules")


def chosen() -> str:
    """What the page shows: the data that came, or the rules; the address names the latter."""
    if "sources_view" not in st.session_state:
        named = st.query_params.get("view", "data")
        st.session_state["sources_view"] = named if named in VIEWS else "data"
    titles = {"data": _("Data"), "rules": _("Rules")}
    st.segmented_control(
        _("View"), VIEWS, required=True, key="sources_view", label_visibility="collapsed",
        format_func=lambda view: titles[view], on_change=_remember,
    )  # fmt: skip
    return str(st.session_state["sources_view"] or "data")


def _remember() -> None:
    rule_dialog.close()
    if "view" in st.query_params:
        del st.query_params["view"]
    if st.session_state["sources_view"] == "rules":
        st.query_params["view"] = "rules"


def show(head: Any) -> None:
    """The answer, what runs, the rule that a link names, names without a stage, all rules."""
    found = answers.unattributed()
    with head:
        blocks.heading(_answer(found))
    rule_jobs.show()
    if named := st.query_params.get("rule"):
        rule_list.chosen(named)
    _names(found)
    rule_list.own()
    rule_list.built_in()
    opened = rule_dialog.wanted()
    if opened and opened["kind"] == "form":
        rule_form.show(opened["number"], *opened["given"])
    elif opened:
        rule_list.confirm(*opened["given"])


def _answer(found: dict[str, Any]) -> Answer:
    top = found["names"][: naming.TOP]
    if top:
        share = sum(row["share"] or 0.0 for row in top)
        figures = {"share": found["share"], "count": len(top), "top_share": share}
        return Answer("names_without_stage", figures)
    if not len(answers.data_sets()):
        return Answer("empty")
    if not int(answers.query("summary")["n"].iloc[0]):
        return Answer("metrics_only")
    if found["absent_ns"]:
        return Answer("only_absent", {"share": found["absent_share"]})
    return Answer("all_attributed")


def _names(found: dict[str, Any]) -> None:
    with st.container(border=True):
        st.markdown(titled(_("Span names without a stage"), _note(found)))
        worth = sum((row["share"] or 0.0) >= LEAST for row in found["names"])
        first = min(FIRST, max(worth, naming.TOP))
        for number, row in enumerate(found["names"][:first]):
            _row(row, number)
        _others(found["names"][first:])


def _note(found: dict[str, Any]) -> str:
    if not len(answers.data_sets()):
        return _("Nothing has been imported yet.")
    parts = []
    if n := found["total"]:
        parts.append(ngettext("{n} name", "{n} names", n).format(n=fmt.count(n)))
        parts.append(_("time on the critical path"))
    else:
        parts.append(
            _("No span is left without one; a rule of your own still wins over the built-in ones")
        )
    if found["absent_ns"]:
        said = _("{share} is of spans that never arrived, which no rule can take")
        parts.append(said.format(share=fmt.share(found["absent_share"])))
    return blocks.escaped(" · ".join(parts))


def _row(row: dict[str, Any], number: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        name = blocks.escaped(page_labels.span_name(row["name"], ""))
        service = blocks.escaped(row["service"] or "")
        parts = (fmt.ms(row["total_ns"]), rule_words.of_all(row["share"]),
                 rule_words.requests(row["requests"]), rule_words.spans(row["spans"]))  # fmt: skip
        st.markdown(
            f"**{name}** :gray[{service}]  \n:small[:gray[{' · '.join(parts)}]]", width="stretch"
        )
        asked = ("form", row["name"], row["service"] or "")
        st.button(_("Make a rule"), icon=":material/add:", key=f"rule-of-{number}",
                  on_click=rule_dialog.ask, args=asked)  # fmt: skip


def _others(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    n = len(rows)
    share = rule_words.of_all(sum(row["share"] or 0.0 for row in rows))
    said = ngettext("{n} more name, {share}", "{n} more names, {share}", n)
    with st.expander(said.format(n=fmt.count(n), share=share), type="compact"):
        frame = pd.DataFrame([_cells(row) for row in rows])
        number = st.column_config.NumberColumn
        columns = {_("Time"): number(format="%.3f s"), _("Share"): number(format="percent")}
        event = st.dataframe(
            frame, hide_index=True, column_config=columns, on_select="rerun",
            selection_mode="single-row", key="more_names",
        )  # fmt: skip
        picked = event.selection.rows if event else []
        if picked and picked[0] < n:
            _row(rows[picked[0]], FIRST + picked[0])


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    return {
        _("Span name"): page_labels.span_name(row["name"], ""),
        _("Service"): row["service"] or "",
        _("Requests"): row["requests"],
        _("Spans"): row["spans"],
        _("Time"): row["total_ns"] / 1e9,
        _("Share"): row["share"],
    }
