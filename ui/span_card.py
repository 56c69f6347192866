"""The chosen span beside the waterfall, and the request against its usual."""

from __future__ import annotations

import json
from typing import Any, Final

import streamlit as st

from charts.usual import usual as usual_chart
from ui import blocks, chosen_span, figures, look, naming
from words import _, fmt, labels, page_labels, token_words

MOST: Final = 10
"""Stages of the request that are set against their usual, the longest first."""
FEW: Final = 20
TALLEST: Final = 320
"""Pixels from which a list of attributes scrolls."""


def card(shown: dict[str, Any], key: str) -> None:
    """Name, time, stage and rule; the cut of a model call; attributes, events, links."""
    span = next((span for span in shown["spans"] if span["key"] == key), None)
    if span is None:
        return
    call = next((c for c in shown["calls"] if c["key"] == key), None)
    with st.container(border=True, gap="xsmall"):
        st.markdown("  \n".join([_title(span), _time(span), _kind(span, call)]))
        naming.rule_link(span)
        for flag in span["flags"]:
            st.caption(f"**{labels.flag(flag)}** {labels.flag_meaning(flag)}")
        if call:
            _call(shown, span, call)
        _fold(shown, span)
        _details(span, shown["request"])


def _title(span: dict[str, Any]) -> str:
    name = blocks.escaped(page_labels.span_name(span["name"], span["key"]))
    failed = f" :red-badge[{labels.status(span['status'])}]" if span["status"] == "error" else ""
    return f"**{name}** :gray[{blocks.escaped(span['service'] or '')}]{failed}"


def _time(span: dict[str, Any]) -> str:
    bound = not {"incomplete", "root_missing"}.isdisjoint(span["flags"])
    ns = span["end_ns"] - span["start_ns"]
    length = fmt.at_least(ns) if bound else fmt.ms(ns)
    if not span["blocking"]:
        return _("{length}, asynchronous: nobody waited for it").format(length=length)
    if not span["self_ns"]:
        return _("{length}, none of it on the critical path").format(length=length)
    if span["self_ns"] == ns:
        return _("{length}, all of it on the critical path").format(length=length)
    said = _("{length}, {own} of it on the critical path")
    return said.format(length=length, own=fmt.ms(span["self_ns"]))


def _kind(span: dict[str, Any], call: dict[str, Any] | None) -> str:
    what = _("model call") if call else labels.stage(span["stage"])
    return f":gray[{what}]"


def _call(shown: dict[str, Any], span: dict[str, Any], call: dict[str, Any]) -> None:
    marks = call["marks"]
    pieces = span["pieces"] or [[span["stage"], span["start_ns"], span["end_ns"]]]
    rows = [
        {
            _("Segment"): labels.stage(stage),
            _("Time"): fmt.ms(end - start),
            _("Mark"): page_labels.mark_kind(stage, marks),
        }
        for stage, start, end in pieces
    ]
    st.table(rows, border="horizontal", hide_index=True)
    parts = []
    if call["first_token_ns"] is not None:
        parts.append(_("first token {time}").format(time=fmt.ms(call["first_token_ns"])))
    if call["answer"] and shown["request"]["tpot_ns"] is not None:
        parts.append(fmt.per_token(shown["request"]["tpot_ns"]))
    if call["output_tokens"] is not None:
        parts.append(fmt.tokens(call["output_tokens"]))
    said = _("Marked by {marks}").format(marks=", ".join(sorted(set(marks.values()))))
    st.caption(" · ".join(parts) or _("no token marked"), help=said if marks else None)
    for said in (token_words.gaps(call), token_words.reported(call)):
        if said:
            st.caption(said)
    if call["reported"] and "stage_sum_mismatch" in span["flags"]:
        differing = ", ".join(f"{name} {fmt.ms(ns)}" for name, ns in call["reported"].items())
        st.caption(_("Reported beside: {lengths}").format(lengths=blocks.escaped(differing)))


def _fold(shown: dict[str, Any], span: dict[str, Any]) -> None:
    below = [s for s in shown["spans"] if s["parent_key"] == span["key"]]
    if below:
        label = _("Fold or open the {n} below").format(n=fmt.count(len(below)))
        st.button(label, icon=":material/unfold_more:", type="tertiary", key="fold",
                  shortcut="F", on_click=chosen_span.toggle, args=(span["key"],))  # fmt: skip


def _details(span: dict[str, Any], request: dict[str, Any]) -> None:
    events = [_event(event, request["start_ns"]) for event in span["events"]]
    for title, value in (
        (_("Attributes"), span["attributes"]),
        (_("Events"), events),
        (_("Links"), span["links"]),
    ):
        if value:
            with st.expander(f"{title} · {fmt.count(len(value))}", type="compact"):
                text = json.dumps(value, indent=1, ensure_ascii=False)
                tall = text.count("\n") > 14
                st.code(text, language="json", wrap_lines=True,
                        height=TALLEST if tall else "content")  # fmt: skip


def _event(event: dict[str, Any], start_ns: int) -> dict[str, Any]:
    """An event with its time as the waterfall counts it, from the request's start."""
    at = event.get("time_ns")
    when = {} if at is None else {"at": fmt.ms(at - start_ns).replace(fmt.THIN, " ")}
    return {"name": event["name"], **when, **(event.get("attributes") or {})}


def against_usual(shown: dict[str, Any], usual: list[dict[str, Any]]) -> None:
    """Each stage of the request against its p5 to p95 over requests of the same route."""
    with st.container(border=True, gap="xsmall"):
        peers = max((row["n"] for row in usual), default=0)
        title = f"**{_('Against the usual')}**"
        if peers < FEW:
            said = _("Too few requests of this route for a usual: {n}, 20 are needed")
            st.markdown(f"{title}  \n:small[:gray[{said.format(n=fmt.count(peers))}]]")
            return
        said = _("Same route, {n} requests: grey from p5 to p95, a line at the median")
        st.markdown(f"{title}  \n:small[:gray[{said.format(n=fmt.count(peers))}]]")
        stages = shown["request"]["stages"]
        rows = [{**row, "value_ns": stages.get(row["stage"], 0)} for row in usual]
        rows = sorted((r for r in rows if r["value_ns"] or r["p50_ns"]), key=_by_value)[:MOST]
        figure = usual_chart(rows, look.dark(), look.narrow())
        figures.show(figure, "usual", _("Stages of this request against the usual"))


def _by_value(row: dict[str, Any]) -> tuple[int, str]:
    return -row["value_ns"], row["stage"]
