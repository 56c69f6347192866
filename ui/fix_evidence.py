"""The evidence of one finding: figures, requests that carry it, what was assumed, how to check."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ui import blocks, page_list
from words import _, fmt, labels, metric_words, ngettext, phrases, savings, techniques


@st.dialog(_("Evidence"), width="medium", position="right")
def show(finding: dict[str, Any]) -> None:
    """Everything that stands behind a row of the ranking."""
    title = blocks.escaped(techniques.title(finding["id"]))
    estimate, interval = savings.saving(finding)
    st.markdown(f"**{title}**  \n{blocks.escaped(techniques.because(finding))}")
    st.markdown(f"**{estimate}** :gray[{interval}] · {savings.change(finding)}")
    st.caption(blocks.escaped(_facts(finding)))
    _requests(finding)
    _signs(finding)
    _scenario(finding)
    for heading, texts in techniques.details(finding):
        lines = "\n".join(f"- {blocks.escaped(text)}" for text in texts)
        st.markdown(f"**{heading}**\n\n{lines}")


def _facts(finding: dict[str, Any]) -> str:
    n = finding["requests_affected"]
    touched = ngettext(
        "{touched} of {n} requests would change", "{touched} of {n} requests would change", n
    ).format(touched=fmt.count(n), n=fmt.count(finding["n"]))
    parts = [touched, savings.gained(finding), savings.effort(finding)]
    parts.append(phrases.started(labels.risk(finding["risk"])))
    if finding["indicative"]:
        parts.append(_("fewer than 200 requests: a hint"))
    return " · ".join(part for part in parts if part)


def _requests(finding: dict[str, Any]) -> None:
    if not finding["evidence"]:
        return
    st.markdown(f"**{_('Requests that carry it')}**")
    to = page_list.link("request.py")
    for row in finding["evidence"][:5]:
        before = savings.length(row["current_ns"], finding["objective"])
        after = savings.length(row["predicted_ns"], finding["objective"])
        label = f"{row['trace_id'][:8]}… · {before} → {after}"
        params = {"trace": row["trace_id"], "root": row["root_span_id"]}
        st.page_link(to, label=label, query_params=params, icon=":material/timeline:")


def _signs(finding: dict[str, Any]) -> None:
    """Gauges and counters that speak of the stage; no figure of the saving comes from them."""
    found = finding.get("signs", [])
    if not found:
        return
    st.markdown(f"**{_('What the metrics show meanwhile')}**")
    st.markdown("\n".join(f"- {blocks.escaped(metric_words.sign(row))}" for row in found[:8]))


def _scenario(finding: dict[str, Any]) -> None:
    st.markdown(f"**{_('How it was estimated')}**")
    said = _(
        "Each of the {n} requests was replayed with the change: what waits for it moves up, "
        "what runs beside it stays. The interval covers the assumptions and the choice of requests."
    )
    st.markdown(said.format(n=fmt.count(finding["n"])))
    if not finding["assumptions"]:
        st.caption(_("Nothing had to be assumed."))
        return
    rows = [
        {
            _("Assumed"): techniques.assumption(finding["id"], a["name"]),
            _("Low"): savings.assumed(a["name"], a["low"]),
            _("Typical"): savings.assumed(a["name"], a["typical"]),
            _("High"): savings.assumed(a["name"], a["high"]),
            _("Grade"): techniques.grade(a["grade"]),
        }
        for a in finding["assumptions"]
    ]
    st.table(rows, border="horizontal", hide_index=True)
    example = finding["assumptions"][0]
    command = f"slowpath rank --assume {finding['id']}.{example['name']}={example['typical']:g}"
    st.caption(_("To put in your own figure: `{command}`").format(command=command))
