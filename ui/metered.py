"""What a page shows where only metrics have come: the pie of means, and what it leaves open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from analysis.answer import Answer
from charts.pie import drawable, pie
from charts.ranked_bars import ranked_bars
from services.scope import Scope
from ui import answers, blocks, figures, look, overview, page_list, where
from ui.texts import escaped, titled
from words import _, fmt, labels, metric_words


def means(scope: Scope, detail: bool = False) -> bool:
    """Whether there are only metrics that time requests; then that has been drawn.

    With `detail` also which family each slice comes from, and all that was timed beside the pie.
    """
    if int(overview.summary(scope)["n"]):
        return False
    parts = answers.breakdown(replace(scope, objective="e2e"), "all")
    if parts["basis"] != "metrics":
        return False
    blocks.heading(_answer(parts))
    st.badge(metric_words.badge(), icon=":material/functions:", color="gray")
    _cards(parts)
    if scope.objective != "e2e":
        st.caption(_("These are of E2E: metrics do not divide the time to a token."))
    divided = [other for other in parts["others"] if len(other["pieces"]) > 1]
    for number, one in enumerate([parts, *divided]):
        _pie_card(one, number)
    _undivided([other for other in parts["others"] if other not in divided])
    if detail:
        _slices(parts)
        _totals(parts["totals"])
    _causes(parts["causes"])
    _open(parts["cannot_tell"])
    return True


def _answer(parts: dict[str, Any]) -> Answer:
    top = max(parts["stages"], key=lambda row: row["mean_ns"])
    figures_ = {"mean_ns": parts["mean_ns"], "stage": top["stage"], "share": top["share"]}
    return Answer("metric_means", figures_)


def _cards(parts: dict[str, Any]) -> None:
    """What is known of the whole; a percentile only as the bounds of its bucket."""
    with st.grid(2 + len(parts["bounds"]), min_column_width=150):
        st.metric(
            _("Requests counted"), fmt.count(parts["counted"]), border=True, height="stretch",
            help=_("By {emitters}; none of them is known singly.").format(
                emitters=metric_words.emitters(parts["emitters"])
            ),
        )  # fmt: skip
        st.metric(_("Mean"), fmt.ms(parts["mean_ns"]), border=True, height="stretch")
        for name, held in parts["bounds"].items():
            st.metric(
                name, metric_words.bounds(*held), border=True, height="stretch",
                help=_("The bounds of the bucket that holds it; nothing finer was exported."),
            )  # fmt: skip


def _pie_card(parts: dict[str, Any], number: int) -> None:
    with st.container(border=True):
        st.markdown(titled(_("Where the mean time goes"), escaped(metric_words.source(parts))))
        slices = where.key(parts)
        dark, narrow = look.dark(), look.narrow()
        right: Any = st.container()
        if drawable(slices):
            left, right = st.columns([5, 7])
            with left:
                drawn = pie(slices, parts["mean_ns"], dark, narrow)
                figures.show(drawn, f"mean-pie-{number}", _("Pie of mean time per stage"))
        with right:
            drawn = ranked_bars(slices, dark, narrow)
            figures.show(drawn, f"mean-bars-{number}", _("Stages by mean time, largest first"))
        with st.expander(_("Show as table"), type="compact"):
            blocks.stage_table(parts)


def _undivided(others: list[dict[str, Any]]) -> None:
    """Layers of which only the whole was timed, a line each."""
    if not others:
        return
    with st.container(border=True):
        note = _("Only their whole was timed, over other requests than those above")
        st.markdown(titled(_("Counted apart"), note))
        lines = (f"- {escaped(metric_words.apart(other))}" for other in others)
        st.markdown("\n".join(lines))


def _slices(parts: dict[str, Any]) -> None:
    """Where each slice comes from: a family, or what is left of one."""
    with st.container(border=True):
        note = _("Sum ÷ count of each family; what its parts leave is a difference of means")
        st.markdown(titled(_("How each slice was made"), note))
        rows = [
            {
                _("Stage"): labels.stage(piece["stage"]),
                _("Mean"): fmt.ms(piece["mean_ns"]),
                _("From"): piece["family"] if piece["measured"]
                else _("rest of {family}").format(family=piece["family"]),
            }
            for piece in parts["pieces"]
        ]  # fmt: skip
        st.dataframe(rows, hide_index=True)


def _totals(totals: list[dict[str, Any]]) -> None:
    if not totals:
        return
    with st.container(border=True):
        note = _("These overlap with the slices, or counted something else")
        st.markdown(titled(_("Measured beside the pie"), note))
        rows = [
            {
                _("Family"): row["family"],
                _("Times"): metric_words.role(row["role"]),
                _("Counted"): fmt.count(row["count"]),
                _("Mean"): fmt.ms(row["mean_ns"]),
                **{name: metric_words.bounds(*held) for name, held in row["bounds"].items()},
            }
            for row in totals
        ]
        st.dataframe(rows, hide_index=True)


def _causes(found: list[dict[str, Any]]) -> None:
    """What gauges and counters showed: evidence of causes, no time."""
    if not found:
        return
    with st.container(border=True):
        note = _("Evidence of causes: it says nothing of how much time they cost")
        st.markdown(titled(_("What the gauges show"), note))
        st.markdown("\n".join(f"- {escaped(metric_words.sign(row))}" for row in found))


def _open(ids: list[str]) -> None:
    """What these metrics leave open, and the way to know it."""
    with st.container(border=True):
        note = _("Traces of the same system answer these")
        st.markdown(titled(_("What cannot be told from these metrics"), note))
        st.markdown("\n".join(f"- {escaped(said)}" for said in metric_words.cannot_tell(ids)))
        to = page_list.link("sources.py")
        st.page_link(to, label=_("Add traces"), icon=":material/upload:")
