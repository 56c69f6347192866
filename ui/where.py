"""The card that shows where one band's time goes: pie, ranked bars, legend, table."""

from __future__ import annotations

from typing import Any

import streamlit as st

from analysis.stages import GROUP_OF
from charts.bars_html import legend
from charts.pie import Slice, drawable, pie
from charts.ranked_bars import ranked_bars
from services.scope import Scope
from ui import address, answers, blocks, figures, filters, look, page_list
from ui.texts import titled
from words import _, fmt, labels, ngettext


def card(scope: Scope) -> None:
    """The pie of one band with its ranked bars."""
    with st.container(border=True):
        head, tools = st.columns([3, 2], vertical_alignment="top")
        with tools, st.container(horizontal=True, horizontal_alignment="right"):
            band = st.segmented_control(
                _("Band"), address.BANDS, default=address.value("band"), required=True,
                key=address.key("band"),
                format_func=labels.band, label_visibility="collapsed",
            )  # fmt: skip
        address.keep("band", band)
        parts = answers.breakdown(scope, str(band))
        if parts["mean_ns"] is None:
            no_ttft = scope.objective == "ttft" and not parts["requests"]
            said = blocks.why_missing("ttft") if no_ttft else _("No request is in this band.")
            head.markdown(titled(_("Where the time goes"), said))
            return
        head.markdown(titled(_("Where the time goes"), _caption(scope, parts)))
        pie_and_bars(scope, parts)
        share = next(s["share"] for s in parts["stages"] if s["stage"] == "unattributed")
        blocks.quality(scope, share)


def _caption(scope: Scope, parts: dict[str, Any]) -> str:
    said = band_caption(parts)
    if scope.objective == "tpot":
        said += " · " + _("TPOT has no stages: these are of E2E")
    return said


def band_caption(parts: dict[str, Any]) -> str:
    """Of what the figures are the mean, and what they add up to."""
    n = parts["band_requests"]
    of = ngettext("Mean of {n} request", "Mean of {n} requests", n).format(n=fmt.count(n))
    if parts["band"] in ("p50", "p95", "p99", "tail"):
        low, high = (f"p{100 * parts[side]:.3g}" for side in ("band_low", "band_high"))
        of += " " + _("from {low} to {high}").format(low=low, high=high)
    return f"{of} · {_('adds up to {total}').format(total=fmt.ms(parts['mean_ns']))}"


def key(parts: dict[str, Any]) -> list[Slice]:
    """The legend of the groups; returns stage, mean ns and share of each stage."""
    slices = [(s["stage"], s["mean_ns"], s["share"]) for s in parts["stages"]]
    st.html(legend(slices, look.dark()))
    return slices


def pie_and_bars(scope: Scope, parts: dict[str, Any]) -> None:
    """Legend, pie and bars of one breakdown; a click opens the requests of that stage."""
    slices = key(parts)
    dark, narrow = look.dark(), look.narrow()
    chosen = None
    right: Any = st.container()
    if drawable(slices):
        left, right = st.columns([5, 7])
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
    address.put("where", filters.both(scope.filters.expression, condition))
    st.switch_page(page_list.link("request_list.py"))
