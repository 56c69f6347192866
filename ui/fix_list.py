"""The What to fix page: the ranking, a row per technique that applies, and why others do not."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from analysis.answer import Answer
from reports.ranking_markdown import ranking_markdown
from services.scope import PERCENTILES, Scope
from ui import answers, blocks, copy_button, fix_row
from words import _, fmt, labels, ngettext, savings, sentences, techniques

LEAST: Final = 20
"""Requests under which a percentile is one or two requests."""
FIRST: Final = 5
WORTH_NS: Final = {"e2e": 20_000_000, "tpot": 500_000}
"""A saving up to this is not worth a headline."""


def show(scope: Scope) -> None:
    """Heading, tools, rows."""
    known = answers.query("summary", scope.filters, slo_ns=scope.slo_ns).iloc[0]
    n = int(known["n"])
    if not n:
        blocks.nothing_matches()
    elif n < LEAST:
        blocks.heading(Answer("needs", {"needs": LEAST, "has": n}))
        st.markdown(_("A replay over fewer requests says more of chance than of the change."))
    elif scope.objective != "e2e" and not int(known[f"n_{scope.objective}"]):
        blocks.heading(Answer("no_ttft", {"count": n}))
        st.markdown(blocks.why_missing(scope.objective))
    else:
        _ranking(scope, n)


def _ranking(scope: Scope, n: int) -> None:
    place, tools = st.container(), st.container(
        horizontal=True, vertical_alignment="center", gap="small"
    )  # fmt: skip
    with tools:
        percentile = _percentile()
    replaying = _("Replaying {n} requests with every technique")
    with st.spinner(replaying.format(n=fmt.count(n))):
        findings = answers.ranking(scope, percentile)
    applying = [f for f in findings if f["applies"]]
    said, counts = _answer(applying, percentile), _counts(findings, percentile, scope)
    with place:
        blocks.heading(said)
    st.caption(blocks.escaped(counts))
    with tools:
        st.space("stretch")
        heading = sentences.sentence(said.id, said.figures)
        text = ranking_markdown(findings, heading, counts)
        copy_button.text(_("Copy as Markdown"), text, "copy-ranking", "content")
    shared = fix_row.drawn(applying)
    for finding in applying[:FIRST]:
        fix_row.row(finding, shared)
    _more(applying[FIRST:], shared)
    _others(findings)


def _percentile() -> int:
    chosen = st.segmented_control(
        _("Percentile"), PERCENTILES, default=95, required=True, key="percentile",
        format_func=lambda p: f"p{p}", label_visibility="collapsed", bind="query-params",
    )  # fmt: skip
    return int(chosen or 95)


def _answer(applying: list[dict[str, Any]], percentile: int) -> Answer:
    first = max(applying, key=lambda f: f["saving_ns"]["typical"], default=None)
    least = WORTH_NS["tpot" if first and first["objective"] == "tpot" else "e2e"]
    if first is None or first["saving_ns"]["typical"] <= least:
        return Answer("nothing_to_fix", {"percentile": percentile, "step_ns": least})
    first = applying[0]
    figures = {name: first[name] for name in ("current_ns", "predicted_ns", "effort_days")}
    figures |= {"title": techniques.title(first["id"]), "percentile": percentile}
    figures["objective"] = first["objective"]
    return Answer("fix", figures)


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


def _more(applying: list[dict[str, Any]], shared: fix_row.Drawn) -> None:
    if not applying:
        return
    most = max(applying, key=lambda f: f["saving_ns"]["typical"])["saving_ns"]["typical"]
    n = len(applying)
    said = ngettext(
        "{n} more that applies, saving at most {most}",
        "{n} more that apply, each saving at most {most}",
        n,
    )
    with st.expander(
        said.format(n=fmt.count(n), most=savings.length(max(0, most), applying[0]["objective"])),
        type="compact",
    ):
        for finding in applying:
            fix_row.row(finding, shared)


def _others(findings: list[dict[str, Any]]) -> None:
    no = [f for f in findings if not f["applies"] and not f["lacks"]]
    lacking = [f for f in findings if f["lacks"]]
    for rows, said in (
        (no, _("{n} that do not apply, and why")),
        (lacking, _("{n} need data you do not send yet")),
    ):
        if rows:
            with st.expander(said.format(n=fmt.count(len(rows))), type="compact"):
                st.markdown("\n".join(_reason(finding) for finding in rows))


def _reason(finding: dict[str, Any]) -> str:
    title = blocks.escaped(techniques.title(finding["id"]))
    return f"- **{title}** · {blocks.escaped(techniques.because(finding))}"
