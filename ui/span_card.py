"""The chosen span beside the waterfall, and the request against its usual."""

from __future__ import annotations

import json
from typing import Any, Final

import streamlit as st

from charts.usual import usual as usual_chart
from ui import blocks, figures, look, waterfall_view
from words import _, fmt, labels, page_labels

MOST: Final = 10
"""Stages of the request that are set against their usual, the longest first."""


def card(shown: dict[str, Any], key: str | None) -> None:
    """Name, time, stage and rule; the cut of a model call; attributes, events, links."""
    span = _span(shown, key)
    if span is None:
        return
    with st.container(border=True):
        service = blocks.escaped(span["service"] or "")
        name = blocks.escaped(span["name"] or _("(never arrived)"))
        st.markdown(f"**{name}** :gray[{service}]")
        own = _("{own} of {length} on the critical path").format(
            own=fmt.ms(span["self_ns"]), length=fmt.ms(span["end_ns"] - span["start_ns"])
        )
        stage, rule = labels.stage(span["stage"]), span["rule"].replace("`", "")
        st.markdown(f"{own} · {stage} · {_('rule')} `{rule}`")
        for flag in span["flags"]:
            st.caption(f"{labels.flag(flag)}: {labels.flag_meaning(flag)}")
        call = next((c for c in shown["calls"] if c["key"] == span["key"]), None)
        if call:
            _call(shown, span, call)
        below = [s for s in shown["spans"] if s["parent_key"] == span["key"]]
        if below:
            label = _("Fold or open what is under it · {n}").format(n=fmt.count(len(below)))
            st.button(label, icon=":material/unfold_more:", type="tertiary", key="fold",
                      on_click=waterfall_view.toggle, args=(span["key"],))  # fmt: skip
        _details(span)


def _by_value(row: dict[str, Any]) -> tuple[int, str]:
    return -row["value_ns"], row["stage"]


def _span(shown: dict[str, Any], key: str | None) -> dict[str, Any] | None:
    spans = shown["spans"]
    chosen = next((span for span in spans if span["key"] == key), None)
    return chosen or max(spans, key=lambda span: span["self_ns"], default=None)


def _call(shown: dict[str, Any], span: dict[str, Any], call: dict[str, Any]) -> None:
    marks = call["marks"]
    pieces = span["pieces"] or [[span["stage"], span["start_ns"], span["end_ns"]]]
    rows = [
        {
            _("Segment"): labels.stage(stage),
            _("Time"): fmt.ms(end - start),
            _("Mark"): page_labels.mark(stage, marks),
        }
        for stage, start, end in pieces
    ]
    st.table(rows, border="horizontal")
    parts = []
    if call["first_token_ns"] is not None:
        parts.append(_("first token {time}").format(time=fmt.ms(call["first_token_ns"])))
    if call["answer"] and shown["request"]["tpot_ns"] is not None:
        parts.append(fmt.per_token(shown["request"]["tpot_ns"]))
    if call["output_tokens"] is not None:
        parts.append(fmt.tokens(call["output_tokens"]))
    st.caption(" · ".join(parts))
    if call["reported"]:
        differing = ", ".join(f"{name} {fmt.ms(ns)}" for name, ns in call["reported"].items())
        st.caption(_("Reported beside: {lengths}").format(lengths=blocks.escaped(differing)))


def _details(span: dict[str, Any]) -> None:
    for title, value in (
        (_("Attributes"), span["attributes"]),
        (_("Events"), span["events"]),
        (_("Links"), span["links"]),
    ):
        if value:
            with st.expander(f"{title} · {fmt.count(len(value))}", type="compact"):
                st.code(json.dumps(value, indent=1, ensure_ascii=False), language="json",
                        wrap_lines=True)  # fmt: skip


def against_usual(shown: dict[str, Any], usual: list[dict[str, Any]]) -> None:
    """Each stage of the request against its p5 to p95 over requests of the same route."""
    with st.container(border=True):
        st.markdown(f"**{_('Against the usual')}**")
        peers = max((row["n"] for row in usual), default=0)
        if peers < 20:
            said = _("Too few requests of this route for a usual: {n}, 20 are needed")
            st.caption(said.format(n=fmt.count(peers)))
            return
        st.caption(_("Same route, {n} requests").format(n=fmt.count(peers)))
        stages = shown["request"]["stages"]
        rows = [{**row, "value_ns": stages.get(row["stage"], 0)} for row in usual]
        rows = sorted((r for r in rows if r["value_ns"] or r["p50_ns"]), key=_by_value)[:MOST]
        figure = usual_chart(rows, look.dark(), look.narrow())
        figures.show(figure, "usual", _("Stages of this request against the usual"))
