"""Cards that compare bands and follow the time: what the tail adds, trend, heatmap, histogram."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from analysis.attribution import usable
from charts.bands import bands
from charts.heatmap import heatmap
from charts.histogram import histogram
from charts.over_time import over_time
from charts.tail_adds import tail_adds
from services.scope import Scope
from ui import address, answers, figures, filters, look
from words import _, fmt, labels, times

STEPS_S: Final = (
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
    7 * 86400,
)  # fmt: skip
BINS: Final = 48
COMPARED: Final = ("p50", "p95", "p99")


def dominates(scope: Scope) -> None:
    """The bands under each other, and what p95 adds to the median."""
    parts = {band: answers.breakdown(scope, band) for band in COMPARED}
    if parts["p50"]["mean_ns"] is None:
        return
    with st.container(border=True):
        head, tools = st.columns([4, 1], vertical_alignment="top")
        head.markdown(f"**{_('What dominates the tail that does not dominate the median')}**")
        head.caption(_("Mean of the requests in each band; below, what p95 adds to the median"))
        with tools, st.container(horizontal=True, horizontal_alignment="right"):
            unit = st.segmented_control(
                _("Unit"), ("time", "share"), default=address.value("unit"), required=True,
                key=address.key("unit"),
                format_func={"time": _("Time"), "share": _("Share")}.__getitem__,
                label_visibility="collapsed",
            )  # fmt: skip
        address.keep("unit", unit)
        means = {band: _means(parts[band]) for band in COMPARED}
        dark, narrow = look.dark(), look.narrow()
        figure = bands(means, in_shares=unit == "share", dark=dark, narrow=narrow)
        figures.show(figure, "bands", _("Stages of the median, p95 and p99 bands"))
        adds = tail_adds(means["p50"], means["p95"], dark=dark, narrow=narrow)
        figures.show(adds, "adds", _("What p95 adds to the median, by stage"))


def _means(parts: dict[str, Any]) -> dict[str, int]:
    return {row["stage"]: row["mean_ns"] for row in parts["stages"]}


def step_ns(first_ns: int, last_ns: int) -> int:
    """A round width that cuts a time range into at most 48 bins.

    >>> step_ns(0, 3600 * 10**9) // 10**9
    120
    """
    span_s = max(1, (last_ns - first_ns) // 1_000_000_000)
    return next((s for s in STEPS_S if span_s <= s * BINS), STEPS_S[-1]) * 1_000_000_000


def trend(scope: Scope) -> None:
    """Stages over time; a drag narrows the time range."""
    found = answers.query("time_range", scope.filters).iloc[0]
    width = step_ns(int(found["start_ns"]), int(found["last_start_ns"]))
    frame = answers.query("stages_over_time", scope.filters, bin_ns=width)
    frame = frame.rename(columns={"bin_start_ns": "bin_ns"})
    if len(frame) < 2:
        return
    with st.container(border=True):
        st.markdown(f"**{_('Stages over time')}**")
        st.caption(
            _("Mean per request, {step} steps · drag to set the time range").format(
                step=times.step(width)
            )
        )
        figure = over_time(frame, width, look.zone(), dark=look.dark(), narrow=look.narrow())
        selected = figures.show(figure, "trend", _("Mean time per stage over time"), "box")
        _narrow_to(selected)


def _narrow_to(selected: dict[str, Any]) -> None:
    ends = figures.boxed(selected)
    if ends is None:
        return
    low, high = sorted(figures.instant_ns(str(end), look.zone()) for end in ends)
    filters.narrow_time(low, high)


def spread(scope: Scope) -> None:
    """Latency over time and its distribution."""
    objective = scope.objective
    latency = usable(answers.latency(scope.filters), objective)
    if len(latency) < 2:
        return
    summary = answers.query("summary", scope.filters, slo_ns=scope.slo_ns).iloc[0]
    dark, narrow, slo = look.dark(), look.narrow(), scope.slo_ns
    name = labels.objective(objective)
    with st.container(border=True):
        st.markdown(f"**{_('{objective} over time').format(objective=name)}**")
        st.caption(_("Requests per cell"))
        figure = heatmap(latency, objective, slo, look.zone(), dark, narrow)
        figures.show(figure, "heatmap", _("Requests by time and latency"))
    with st.container(border=True):
        st.markdown(f"**{_('Distribution of {objective}').format(objective=name)}**")
        n = fmt.count(len(latency))
        st.caption(_("{n} requests, logarithmic axis").format(n=n))
        percentiles = (int(summary[f"{objective}_{p}_ns"]) for p in ("p50", "p95"))
        values = [int(v) for v in latency[f"{objective}_ns"]]
        figure = histogram(values, slo, *percentiles, dark=dark, narrow=narrow)
        figures.show(figure, "histogram", _("Distribution of latency"))
