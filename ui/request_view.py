"""The head of one request: where it stands, its answer, its facts, its doubts."""

from __future__ import annotations

from typing import Any

import streamlit as st

from analysis import answer
from data.filters import Filters
from ui import answers, blocks, look, page_list
from words import _, fmt, labels, ngettext, sentences, times


def asked() -> tuple[str, str | None]:
    """The trace and root that the URL names; empty where it names none."""
    return st.query_params.get("trace", ""), st.query_params.get("root")


def head(shown: dict[str, Any], usual: list[dict[str, Any]]) -> None:
    """The bar above, the answer, the line of facts."""
    request = shown["request"]
    _bar(request)
    blocks.heading(answer.of_request(request["e2e_ns"], request["stages"], usual))
    lost = request["stages"].get("retries_backoff", 0)
    if lost:
        st.markdown(blocks.escaped(sentences.sentence("retry_cost", {"ns": lost})))
    st.caption(blocks.escaped(" · ".join(_facts(shown))))
    _flags(shown)
    _others(shown)


def _bar(request: dict[str, Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(page_list.link("request_list.py"), label=_("Requests"),
                     icon=":material/arrow_back:")  # fmt: skip
        name = blocks.escaped(request["route"] or request["name"])
        st.markdown(f"**{name}** :gray[{blocks.escaped(request['service'] or '')}]")
        colour, icon = ("green", "check") if request["status"] == "ok" else ("red", "error")
        st.markdown(f":{colour}-badge[:material/{icon}: {labels.status(request['status'])}]")
        st.space("stretch")
        _neighbours(request)


def _neighbours(request: dict[str, Any]) -> None:
    found = answers.query(
        "neighbours", Filters(), trace_id=request["trace_id"], root_key=request["root_key"]
    ).to_dict("records")
    sides = {"slower": (_("Slower"), ":material/chevron_left:", "j"),
             "faster": (_("Faster"), ":material/chevron_right:", "k")}  # fmt: skip
    for side, (label, icon, key) in sides.items():
        to = next((row for row in found if row["side"] == side), None)
        if st.button(label, icon=icon, disabled=to is None, shortcut=key, key=side) and to:
            params = {"trace": to["trace_id"], "root": to["root_span_id"]}
            st.switch_page(page_list.link("request.py"), query_params=params)


def _facts(shown: dict[str, Any]) -> list[str]:
    request = shown["request"]
    parts = [
        times.instant(request["start_ns"], look.zone()),
        f"{times.clock(request['start_ns'], 'UTC')} UTC",
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


def _flags(shown: dict[str, Any]) -> None:
    counts: dict[str, list[Any]] = {}
    for span in shown["spans"]:
        for flag, amount in span["flags"].items():
            counts.setdefault(flag, []).append(amount)
    if not counts:
        return
    with st.container(horizontal=True, gap="small"):
        for flag, amounts in sorted(counts.items()):
            label = f"{labels.flag(flag)} · {fmt.count(len(amounts))}"
            with st.popover(label, icon=":material/flag:", type="tertiary"):
                st.markdown(f"{labels.flag_meaning(flag)} {labels.flag_effect(flag)}")
                largest = max((a for a in amounts if a is not None), key=abs, default=None)
                if largest is not None:
                    by = _("Largest: {amount}").format(amount=fmt.ms_delta(largest))
                    st.caption(by)


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


def not_found(error: Any) -> None:
    """No such request: what was asked for and the closest ids."""
    blocks.heading(answer.Answer("not_found"))
    st.markdown(blocks.escaped(str(error)))
    st.page_link(page_list.link("request_list.py"), label=_("All requests"))
