"""The card that shows where one band's time goes: pie, ranked bars, legend, table."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from analysis.stages import GROUP_OF, GROUPS, HARNESS
from charts.pie import drawable, pie
from charts.ranked_bars import ranked_bars
from charts.theme import theme
from services.scope import Scope
from ui import answers, blocks, figures, look, page_list
from words import _, fmt, labels, ngettext

BANDS: Final = ("p50", "p95", "p99", "tail", "slo", "all")


def card(scope: Scope) -> None:
    """The pie of one band with its ranked bars."""
    with st.container(border=True):
        head, tools = st.columns([3, 2], vertical_alignment="top")
        with tools, st.container(horizontal=True, horizontal_alignment="right"):
            band = st.segmented_control(
                _("Band"), BANDS, default="p95", required=True, key="band",
                format_func=labels.band, label_visibility="collapsed", bind="query-params",
            )  # fmt: skip
        parts = answers.breakdown(scope, str(band))
        with head:
            st.markdown(f"**{_('Where the time goes')}**")
            st.caption(band_caption(parts))
        if parts["mean_ns"] is None:
            st.markdown(_("No request is in this band."))
            return
        pie_and_bars(scope, parts)
        share = next(s["share"] for s in parts["stages"] if s["stage"] == "unattributed")
        blocks.quality(scope, share)


def band_caption(parts: dict[str, Any]) -> str:
    """Of what the figures are the mean, and what they add up to."""
    n = parts["band_requests"]
    of = ngettext("Mean of {n} request", "Mean of {n} requests", n).format(n=fmt.count(n))
    if parts["band"] in ("p50", "p95", "p99", "tail"):
        low, high = (f"p{100 * parts[side]:.3g}" for side in ("band_low", "band_high"))
        of += " " + _("from {low} to {high}").format(low=low, high=high)
    return f"{of} · {_('adds up to {total}').format(total=fmt.ms(parts['mean_ns']))}"


def pie_and_bars(scope: Scope, parts: dict[str, Any]) -> None:
    slices = [(s["stage"], s["mean_ns"], s["share"]) for s in parts["stages"]]
    st.html(group_legend(parts["stages"]))
    left, right = st.columns([5, 7])
    dark, narrow = look.dark(), look.narrow()
    chosen = None
    if drawable(slices):
        with left:
            figure = pie(slices, parts["mean_ns"], dark, narrow)
            picked = figures.show(figure, "pie", _("Pie of stages"), "points")
            chosen = figures.clicked(picked)
    with right:
        figure = ranked_bars(slices, dark, narrow)
        picked = figures.show(figure, "ranked", _("Stages, largest first"), "points")
        chosen = figures.clicked(picked) or chosen
    if chosen in GROUP_OF:
        open_stage(scope, parts, str(chosen))
    with st.expander(_("Show as table"), type="compact"):
        blocks.stage_table(parts)


def open_stage(scope: Scope, parts: dict[str, Any], stage: str) -> None:
    """The band's requests in which a stage is the longest."""
    condition = f"longest_stage = '{stage}'"
    if parts["band"] != "all" and parts["low_ns"] is not None:
        column = f"{parts['objective']}_ms"
        low, high = parts["low_ns"] / 1e6, parts["high_ns"] / 1e6
        condition += f" and {column} >= {low} and {column} <= {high}"
    before = scope.filters.expression
    st.session_state["where"] = f"({before}) and {condition}" if before else condition
    st.switch_page(page_list.link("request_list.py"))


def group_legend(stages: list[dict[str, Any]]) -> str:
    """Two lines: the four plain groups, then the harness opened into its parts."""
    share = dict.fromkeys(GROUPS, 0.0)
    for row in stages:
        share[GROUP_OF[row["stage"]]] += row["share"]
    colours = theme(look.dark())
    plain = ("inference", "application", "client", "unattributed")
    first = "".join(_swatch(group, share[group], colours) for group in plain)
    rest = sorted(HARNESS, key=lambda group: -share[group])
    parts = "".join(_swatch(group, share[group], colours) for group in rest)
    total = fmt.share(sum(share[group] for group in HARNESS))
    harness = _("Harness {share} =").format(share=f"<b>{total}</b>")
    return (
        f'<div style="font-size:.9rem;line-height:1.7">{first}<br>'
        f'<span style="margin-right:.7rem">{harness}</span>{parts}</div>'
    )


def _swatch(group: str, share: float, colours: Any) -> str:
    square = (
        f'<span style="display:inline-block;width:10px;height:10px;border-radius:2px;'
        f'background:{colours.groups[group]};margin-right:.35rem"></span>'
    )
    text = f"{labels.group(group)} <b>{fmt.share(share)}</b>"
    return f'<span style="margin-right:.9rem;white-space:nowrap">{square}{text}</span>'
