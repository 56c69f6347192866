"""The What to fix page: the ranking, a row per technique that applies, and why others do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from analysis.answer import Answer
from charts.bars_html import saving_bar
from services.scope import PERCENTILES, Scope
from ui import answers, blocks, look, page_list
from words import _, fmt, labels, ngettext, phrases, techniques

LEAST: Final = 20
"""Requests under which a percentile is one or two requests."""
FIRST: Final = 5


@dataclass(frozen=True)
class Drawn:
    """What every row shares: the scope, the widest bar in ns, technique id -> rank."""

    scope: Scope
    widest: int
    ranked: dict[str, int]


def tools() -> int:
    """The percentile that the ranking is about."""
    chosen = st.segmented_control(
        _("Percentile"), PERCENTILES, default=95, required=True, key="percentile",
        format_func=lambda p: f"p{p}", label_visibility="collapsed", bind="query-params",
    )  # fmt: skip
    return int(chosen or 95)


def show(scope: Scope) -> None:
    """Heading, tools, rows."""
    n = int(answers.query("summary", scope.filters, slo_ns=scope.slo_ns).iloc[0]["n"])
    if n < LEAST:
        blocks.heading(Answer("needs", {"least": LEAST, "count": n}))
        return
    place = st.container()
    percentile = tools()
    findings = answers.ranking(scope, percentile)
    applying = [f for f in findings if f["applies"]]
    with place:
        _heading(applying, percentile)
    st.caption(_counts(findings, percentile, scope))
    widest = max((abs(f["saving_ns"]["high"]) for f in applying), default=1) or 1
    ranked = {finding["id"]: number for number, finding in enumerate(applying, 1)}
    drawn = Drawn(scope, widest, ranked)
    for finding in applying[:FIRST]:
        _row(finding, drawn)
    _more(applying[FIRST:], drawn)
    _others(findings)


def _heading(applying: list[dict[str, Any]], percentile: int) -> None:
    if not applying or applying[0]["saving_ns"]["typical"] <= 0:
        blocks.heading(Answer("nothing_to_fix", {"percentile": percentile}))
        return
    first = applying[0]
    figures = {
        "title": techniques.title(first["id"]),
        "percentile": percentile,
        "current_ns": first["current_ns"],
        "predicted_ns": first["predicted_ns"],
        "effort_days": first["effort_days"],
    }
    blocks.heading(Answer("fix", figures))


def _counts(findings: list[dict[str, Any]], percentile: int, scope: Scope) -> str:
    applying = sum(f["applies"] for f in findings)
    lacking = sum(bool(f["lacks"]) for f in findings)
    text = _(
        "{tried} techniques tried on {n} requests by replaying each one · {objective} "
        "p{percentile} · 90 % intervals · {applying} apply, {no} do not, {lacking} lack data"
    )
    return text.format(
        tried=fmt.count(len(findings)),
        n=fmt.count(findings[0]["n"] if findings else 0),
        objective=labels.objective(scope.objective),
        percentile=percentile,
        applying=fmt.count(applying),
        no=fmt.count(len(findings) - applying - lacking),
        lacking=fmt.count(lacking),
    )


def _row(finding: dict[str, Any], drawn: Drawn) -> None:
    with st.container(border=True):
        left, right = st.columns([3, 2], vertical_alignment="center")
        with left:
            title = blocks.escaped(techniques.title(finding["id"]))
            number = drawn.ranked[finding["id"]]
            st.markdown(f":gray[{number}] **{title}**{_tie(finding, drawn)}")
            st.markdown(blocks.escaped(techniques.because(finding)))
            _badges(finding)
        with right:
            saving = finding["saving_ns"]
            bounds = (saving["low"], saving["typical"], saving["high"])
            st.html(saving_bar(*bounds, drawn.widest, finding["stage"], look.dark()))
            shown = fmt.interval(*(-ns for ns in (bounds[1], bounds[0], bounds[2])))
            st.markdown(f"**{shown}**")
            if st.button(_("Evidence"), icon=":material/fact_check:", type="tertiary",
                         key=f"evidence-{finding['id']}"):  # fmt: skip
                _evidence(finding, drawn.scope)


def _tie(finding: dict[str, Any], drawn: Drawn) -> str:
    ranks = sorted(drawn.ranked[other] for other in finding["tie_with"] if other in drawn.ranked)
    if not ranks:
        return ""
    shown = ", ".join(str(rank) for rank in ranks[:3]) + (" …" if len(ranks) > 3 else "")
    return f" :gray-badge[{_('tie with {others}').format(others=shown)}]"


def _badges(finding: dict[str, Any]) -> None:
    colour = {"low": "green", "medium": "orange", "high": "red"}[finding["risk"]]
    parts = [
        f":gray-badge[:material/schedule: {phrases.days(finding['effort_days'])}]",
        f":{colour}-badge[{labels.risk(finding['risk'])}]",
    ]
    gained = finding["within_slo_gained"]
    if gained:
        said = _("{points} within SLO").format(points=fmt.points(gained / finding["n"]))
        parts.append(f":gray-badge[{said}]")
    if any(a["grade"] == "estimate" for a in finding["assumptions"]):
        parts.append(f":orange-badge[{_('estimate')}]")
    st.markdown(" ".join(parts))


@st.dialog(_("Evidence"), width="large")
def _evidence(finding: dict[str, Any], scope: Scope) -> None:
    st.markdown(f"**{blocks.escaped(techniques.title(finding['id']))}**")
    st.markdown(blocks.escaped(techniques.because(finding)))
    times = _("{objective}: {current} → {predicted}, over {n} requests, {touched} of them touched")
    st.markdown(
        times.format(
            objective=labels.objective(scope.objective),
            current=fmt.ms(finding["current_ns"]),
            predicted=fmt.ms(finding["predicted_ns"]),
            n=fmt.count(finding["n"]),
            touched=fmt.count(finding["requests_affected"]),
        )
    )
    _assumptions(finding)
    for title, texts in techniques.details(finding):
        st.markdown(f"**{title}**\n\n" + "\n".join(f"- {blocks.escaped(t)}" for t in texts))
    if finding["evidence"]:
        st.markdown(f"**{_('Requests that carry it')}**")
        to = page_list.link("request.py")
        for row in finding["evidence"]:
            after = fmt.ms(row["predicted_ns"])
            label = f"{row['trace_id'][:8]}… · {fmt.ms(row['current_ns'])} → {after}"
            params = {"trace": row["trace_id"], "root": row["root_span_id"]}
            st.page_link(to, label=label, query_params=params)


def _assumptions(finding: dict[str, Any]) -> None:
    if not finding["assumptions"]:
        return
    st.markdown(f"**{_('Assumptions')}**")
    rows = [
        {
            _("What"): techniques.assumption(finding["id"], a["name"]),
            _("Low"): f"{a['low']:g}",
            _("Typical"): f"{a['typical']:g}",
            _("High"): f"{a['high']:g}",
            _("Grade"): techniques.grade(a["grade"]),
        }
        for a in finding["assumptions"]
    ]
    st.table(rows, border="horizontal")
    example = finding["assumptions"][0]
    command = f"slowpath rank --assume {finding['id']}.{example['name']}={example['typical']:g}"
    st.caption(_("To put in your own figure: `{command}`").format(command=command))


def _more(applying: list[dict[str, Any]], drawn: Drawn) -> None:
    if not applying:
        return
    most = fmt.ms(max(abs(f["saving_ns"]["typical"]) for f in applying))
    n = len(applying)
    said = ngettext(
        "{n} more that applies, under {most}", "{n} more that apply, each under {most}", n
    )
    with st.expander(said.format(n=fmt.count(n), most=most), type="compact"):
        for finding in applying:
            _row(finding, drawn)


def _others(findings: list[dict[str, Any]]) -> None:
    no = [f for f in findings if not f["applies"] and not f["lacks"]]
    lacking = [f for f in findings if f["lacks"]]
    for rows, said in (
        (no, _("{n} that do not apply, and why")),
        (lacking, _("{n} need data you do not send yet")),
    ):
        if rows:
            with st.expander(said.format(n=fmt.count(len(rows))), type="compact"):
                for finding in rows:
                    title = blocks.escaped(techniques.title(finding["id"]))
                    st.markdown(f"**{title}** · {blocks.escaped(techniques.because(finding))}")
