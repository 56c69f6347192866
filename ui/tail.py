"""Cards that compare bands and follow the time: what the tail adds, trend, heatmap, histogram."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import streamlit as st

from analysis.attribution import PREFIX, usable
from analysis.stages import GROUPS, STAGES
from charts.bands import bands
from charts.heatmap import heatmap, heatmap_rows, latency_bins
from charts.histogram import histogram
from charts.over_time import over_time
from charts.tail_adds import tail_adds
from charts.time_axis import bin_ns
from services.scope import Scope
from ui import address, aggregate, answers, figures, filters, look
from ui.texts import titled
from words import _, fmt, labels, times

COMPARED: Final = ("p50", "p95", "p99")


def dominates(scope: Scope, chosen: str = "path") -> None:
    """The bands under each other, and what p95 adds to the median."""
    parts = {band: aggregate.of_band(scope, band, chosen) for band in COMPARED}
    if parts["p50"]["mean_ns"] is None:
        return
    with st.container(border=True):
        head, tools = st.columns([4, 1], vertical_alignment="top")
        title = _("What dominates the tail that does not dominate the median")
        note = _("Mean of the requests in each band; below, what p95 adds to the median")
        if parts["p95"]["aggregate"] == "shared":
            note = f"{_('Shared')} · {note}"
        head.markdown(titled(title, note))
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
        figures.table(band_rows(means))


def band_rows(means: dict[str, dict[str, int]]) -> list[dict[str, str]]:
    """One row per stage that takes time in a band: its mean in each."""
    return [
        {_("Stage"): labels.stage(stage)}
        | {labels.band(band): fmt.ms(by_stage.get(stage, 0)) for band, by_stage in means.items()}
        for stage in STAGES
        if any(by_stage.get(stage) for by_stage in means.values())
    ]


def _means(parts: dict[str, Any]) -> dict[str, int]:
    return {row["stage"]: row["mean_ns"] for row in parts["stages"]}


def trend(scope: Scope) -> None:
    """Stages over time, those of TTFT where that is the objective; a drag narrows the time."""
    found = answers.query("time_range", scope.filters).iloc[0]
    width = bin_ns(int(found["last_start_ns"]) - int(found["start_ns"]))
    prefix = PREFIX.get(scope.objective, "")
    frame = answers.query(f"{prefix}stages_over_time", scope.filters, bin_ns=width)
    frame = frame.rename(columns={"bin_start_ns": "bin_ns"})
    if len(frame) < 2:
        return
    with st.container(border=True):
        note = _("Mean per request on the path, {step} steps · drag to set the time range")
        title = _("Stages of TTFT over time") if prefix else _("Stages over time")
        st.markdown(titled(title, note.format(step=times.step(width))))
        figure = over_time(
            frame, width, look.zone(), prefix=prefix, dark=look.dark(), narrow=look.narrow()
        )
        selected = figures.show(figure, "trend", _("Mean time per stage over time"), "box")
        figures.table(_trend_rows(frame, prefix))
        _narrow_to(selected)


def _narrow_to(selected: dict[str, Any]) -> None:
    if span := _dragged(selected):
        filters.narrow_time(*span)


def _dragged(selected: dict[str, Any]) -> tuple[int, int] | None:
    """The first and last instant of a dragged box."""
    ends = figures.boxed(selected)
    if ends is None:
        return None
    low, high = sorted(figures.instant_ns(str(end), look.zone()) for end in ends)
    return low, high


def _trend_rows(frame: pd.DataFrame, prefix: str) -> list[dict[str, str]]:
    rows = frame.to_dict("records")
    return [
        {_("From"): times.instant(row["bin_ns"], look.zone(), to="s"),
         _("Requests"): fmt.count(int(row["n"]))}
        | {labels.group(group): fmt.ms(round(sum(row[f"{prefix}{s}_ns"] or 0 for s in stages)))
           for group, stages in GROUPS.items()}
        for row in rows
    ]  # fmt: skip


def spread(scope: Scope) -> None:
    """Latency over time and its distribution."""
    latency = usable(answers.latency(scope.filters), scope.objective)
    if len(latency) >= 2:
        _over_time(scope, latency)
        _distribution(scope, latency)


def _over_time(scope: Scope, latency: pd.DataFrame) -> None:
    objective, dark, narrow = scope.objective, look.dark(), look.narrow()
    with st.container(border=True):
        title = _("{objective} over time").format(objective=labels.objective(objective))
        st.markdown(titled(title, _("Requests per cell · drag to narrow time and latency")))
        figure = heatmap(latency, objective, scope.slo_ns, look.zone(), dark, narrow)
        alt = _("Requests by time and latency")
        selected = figures.show(figure, "heatmap", alt, "box")
        figures.table([
            {_("From"): times.instant(start_ns, look.zone(), to="s"),
             _("Latency"): said, _("Requests"): fmt.count(n)}
            for start_ns, said, n in heatmap_rows(latency, objective, narrow)
        ])  # fmt: skip
    span, rows = _dragged(selected), figures.boxed(selected, "y")
    if span and rows:
        bins = latency_bins(latency, objective)
        low, high = (bins.edge(y + 0.5) / 1e6 for y in sorted(map(float, rows)))
        name = f"{objective}_ms"
        filters.narrow(*span, f"{name} >= {low:.2f} and {name} <= {high:.2f}")


def _distribution(scope: Scope, latency: pd.DataFrame) -> None:
    objective = scope.objective
    summary = answers.query("summary", scope.filters, slo_ns=scope.slo_ns).iloc[0]
    with st.container(border=True):
        title = _("Distribution of {objective}").format(objective=labels.objective(objective))
        n = fmt.count(len(latency))
        st.markdown(titled(title, _("{n} requests, logarithmic axis").format(n=n)))
        p50, p95 = (int(summary[f"{objective}_{p}_ns"]) for p in ("p50", "p95"))
        values = [int(v) for v in latency[f"{objective}_ns"]]
        dark, narrow = look.dark(), look.narrow()
        figure = histogram(values, scope.slo_ns, p50, p95, dark, narrow)
        figures.show(figure, "histogram", _("Distribution of latency"))
        bars = figure.data[0]
        figures.table([
            {_("Latency"): said[0], _("Requests"): said[1]} for said in bars.customdata if said
        ])  # fmt: skip
