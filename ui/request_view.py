"""The head of one request: where it stands, its answer, its facts, its doubts."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from analysis import answer
from data.filters import Filters
from ui import (
    answers,
    blocks,
    chosen_span,
    look,
    page_list,
    pinning,
    request_menu,
    span_card,
    waterfall_view,
)
from words import _, fmt, labels, ngettext, sentences, times

FEW: Final = 20
"""Requests under which a request is not placed among the percentiles."""


def asked() -> tuple[str, str | None]:
    """The trace and root that the URL names; empty where it names none."""
    return st.query_params.get("trace", ""), st.query_params.get("root")


def head(shown: dict[str, Any], usual: list[dict[str, Any]]) -> None:
    """The bar above, the answer, the line of facts."""
    request = shown["request"]
    said = answer.of_request(request["e2e_ns"], request["stages"], usual)
    said = answer.Answer(said.id, {**said.figures, "bound": request["excluded"]})
    name = request["route"] or request["name"]
    st.set_page_config(page_title=f"{_length(request)} {name} · slowpath")
    _bar(shown, sentences.sentence(said.id, said.figures))
    blocks.heading(said)
    lost = request["stages"].get("retries_backoff", 0)
    if lost:
        st.markdown(blocks.escaped(sentences.sentence("retry_cost", {"ns": lost})))
    st.caption(blocks.escaped(" · ".join(_facts(shown))))
    _others(shown)


def _length(request: dict[str, Any]) -> str:
    return fmt.at_least(request["e2e_ns"]) if request["excluded"] else fmt.ms(request["e2e_ns"])


def _bar(shown: dict[str, Any], said: str) -> None:
    request = shown["request"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(page_list.link("request_list.py"), label=_("Requests"),
                     icon=":material/arrow_back:")  # fmt: skip
        name = blocks.escaped(request["route"] or request["name"])
        st.markdown(f"**{name}** :gray[{blocks.escaped(request['service'] or '')}]")
        colour, icon = ("green", "check") if request["status"] == "ok" else ("red", "error")
        band = _band(request)
        badges = [f":gray-badge[{band}]"] if band else []
        if request["excluded"]:
            badges.append(f":orange-badge[{_('lower bound, left out of percentiles')}]")
        badges.append(f":{colour}-badge[:material/{icon}: {labels.status(request['status'])}]")
        st.markdown(" ".join(badges))
        st.space("stretch")
        _neighbours(request)
        pinning.button(request["trace_id"])
        request_menu.menu(shown, said, st.session_state.get("span"))


def _band(request: dict[str, Any]) -> str:
    """Where the request lies among all: `over p95`; empty among few, or where it has no length."""
    known = answers.query("summary", Filters(), slo_ns=None).iloc[0]
    if known["n"] - known["excluded"] < FEW or request["excluded"]:
        return ""
    for name, said in (("p99", _("over p99")), ("p95", _("over p95")), ("p50", _("over p50"))):
        if request["e2e_ns"] > known[f"e2e_{name}_ns"]:
            return said
    return _("under p50")


def _neighbours(request: dict[str, Any]) -> None:
    found = answers.query(
        "neighbours", Filters(), trace_id=request["trace_id"], root_key=request["root_key"]
    ).to_dict("records")
    sides = {"slower": (_("Slower"), ":material/chevron_left:", "J"),
             "faster": (_("Faster"), ":material/chevron_right:", "K")}  # fmt: skip
    for side, (label, icon, key) in sides.items():
        to = next((row for row in found if row["side"] == side), None)
        if st.button(label, icon=icon, disabled=to is None, shortcut=key, key=side) and to:
            params = {"trace": to["trace_id"], "root": to["root_span_id"]}
            st.switch_page(page_list.link("request.py"), query_params=params)


def _facts(shown: dict[str, Any]) -> list[str]:
    request = shown["request"]
    parts = [
        f"{times.instant(request['start_ns'], look.zone())} "
        f"({times.clock(request['start_ns'], 'UTC')} UTC)",
        _("trace {id}").format(id=_shortened(request["trace_id"])),
    ]
    if request["model"]:
        parts.append(request["model"])
    parts += _tokens(request)
    if request["ttft_ns"] is not None:
        seen = _("first token after {ttft}, seen by {source}")
        source = labels.ttft_source(request["ttft_source"])
        parts.append(seen.format(ttft=fmt.ms(request["ttft_ns"]), source=source))
    if request["raw_e2e_ns"] not in (None, request["e2e_ns"]):
        raw = _("the root span itself says {length}")
        parts.append(raw.format(length=fmt.ms(request["raw_e2e_ns"])))
    spans, services = request["n_spans"], request["n_services"]
    parts.append(ngettext("{n} span", "{n} spans", spans).format(n=fmt.count(spans)))
    parts.append(ngettext("{n} service", "{n} services", services).format(n=fmt.count(services)))
    return parts


def _shortened(trace_id: str) -> str:
    return trace_id if len(trace_id) <= 12 else f"{trace_id[:4]}…{trace_id[-4:]}"


def _tokens(request: dict[str, Any]) -> list[str]:
    parts = []
    for name, said in (
        ("input_tokens", _("{n} tokens in")),
        ("cached_tokens", _("{n} cached")),
        ("output_tokens", _("{n} out")),
    ):
        if request[name] is not None:
            parts.append(said.format(n=fmt.count(request[name])))
    return parts


def _others(shown: dict[str, Any]) -> None:
    others = shown["other_requests"]
    if not others:
        return
    n = len(others)
    said = ngettext("{n} more request in this trace", "{n} more requests in this trace", n)
    with st.expander(said.format(n=fmt.count(n)), type="compact"):
        for row in others[:50]:
            params = {"trace": row["trace_id"], "root": row["root_span_id"]}
            label = f"{row['name']} · {fmt.ms(row['e2e_ns'])}"
            to = page_list.link("request.py")
            st.page_link(to, label=blocks.escaped(label), query_params=params)
        if n > 50:
            st.caption(_("and {n} more, in the command's answer").format(n=fmt.count(n - 50)))


def not_found(trace: str) -> None:
    """No such request: what was asked for, and the closest ids as links."""
    blocks.heading(answer.Answer("not_found"))
    if trace:
        asked_for = _("Asked for: {id}").format(id=trace[:80])
        st.markdown(blocks.escaped(asked_for))
        st.caption(_("The closest are"))
        to = page_list.link("request.py")
        for close in answers.query("closest_traces", Filters(), trace=trace.lower())["trace_id"]:
            st.page_link(to, label=close, query_params={"trace": close},
                         icon=":material/timeline:")  # fmt: skip
    st.page_link(page_list.link("request_list.py"), label=_("All requests"),
                 icon=":material/arrow_back:")  # fmt: skip


def body(shown: dict[str, Any], usual: list[dict[str, Any]], root: str | None) -> None:
    """The waterfall with its tools, the chosen span beside it, the usual beneath."""
    trace = shown["request"]["trace_id"]
    chosen_span.begin(trace)
    query, on_path, raw = waterfall_view.tools(shown)
    drawn = answers.request(trace, root, raw=True) if raw else shown
    chart, card = st.columns([73, 27])
    with chart.container(border=True):
        selected = waterfall_view.chart(drawn, query, on_path, raw)
    with card:
        span_card.card(drawn, selected)
        span_card.against_usual(shown, usual)
