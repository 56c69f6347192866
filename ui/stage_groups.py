"""Stages by time, model, service, version or route: a bar and a row for each group."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import streamlit as st

from analysis.stages import STAGES
from charts.bands import bands
from charts.over_time import over_time
from services.breakdown import BINS_NS, BY
from services.scope import Scope
from ui import address, aggregate, answers, figures, look
from ui.texts import short, titled
from words import _, fmt, labels, ngettext, page_labels, times

BANDS: Final = ("p50", "p95", "p99", "tail", "all")
DRAWN: Final = 8
"""Groups with a bar of their own; the table has all."""

FEW: Final = 20
"""Under this many requests in a group a percentile of it means little."""


def card(scope: Scope, chosen: str) -> None:
    """The card; `chosen` is the aggregate."""
    with st.container(border=True):
        head = st.container()
        by, band = _tools()
        groups, note = _groups(scope, by, band, chosen)
        if not groups:
            head.markdown(titled(_title(by), _("No request is in this band.")))
            return
        head.markdown(titled(_title(by), _note(groups, by, band, note)))
        _figure(groups, by)
        _table(groups, by)
        _few(groups)


def _groups(scope: Scope, by: str, band: str, chosen: str) -> tuple[list[dict[str, Any]], str]:
    """The groups that have requests in the band, and by which aggregate they are."""
    groups, note = answers.groups(scope, by, band), ""
    if chosen == "shared" and sum(group["band_requests"] for group in groups) > aggregate.MOST:
        note = aggregate.unsplit([_("all groups")])
    elif chosen == "shared":
        groups, note = answers.groups(scope, by, band, chosen), _("Shared")
    return [group for group in groups if group["mean_ns"] is not None], note


def _note(groups: list[dict[str, Any]], by: str, band: str, note: str) -> str:
    of = {
        "p50": _("Mean of the median band of each group"),
        "tail": _("Mean of the slowest 10\u202f% of each group"),
        "all": _("Mean of each group"),
    }
    said = of.get(band) or _("Mean of the {band} band of each group").format(band=band)
    notes = [note, said] if note else [said]
    if by not in BINS_NS and len(groups) > DRAWN:
        bars = _("bars for the {n} largest of {total} groups")
        notes.append(bars.format(n=DRAWN, total=fmt.count(len(groups))))
    return " · ".join(notes)


def _title(by: str) -> str:
    return _("Stages by {column}").format(column=page_labels.grouping(by).lower())


def _tools() -> tuple[str, str]:
    """By what, and of which band."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        by = st.segmented_control(
            _("By"), BY, default=address.value("by"), required=True, key=address.key("by"),
            format_func=page_labels.grouping, label_visibility="collapsed", wrap=True,
        )  # fmt: skip
        st.space("stretch")
        band = st.segmented_control(
            _("Band"), BANDS, default=_band(), required=True, key=address.key("band"),
            format_func=labels.band, label_visibility="collapsed", wrap=True,
        )  # fmt: skip
    address.keep("by", by)
    address.keep("band", band)
    return str(by), str(band)


def _band() -> str:
    said = str(address.value("band"))
    return said if said in BANDS else "p95"


def _figure(groups: list[dict[str, Any]], by: str) -> None:
    dark, narrow = look.dark(), look.narrow()
    alt = _("Stages of each group")
    if by in BINS_NS:
        frame = pd.DataFrame([_bin(group) for group in groups])
        figure = over_time(frame, BINS_NS[by], look.zone(), dark=dark, narrow=narrow)
        figures.show(figure, "groups", alt)
        return
    drawn = groups[:DRAWN]
    means = {str(number): _means(group) for number, group in enumerate(drawn)}
    names = [short(_name(group, by), 16 if narrow else 28) for group in drawn]
    figures.show(bands(means, dark=dark, narrow=narrow, names=names), "groups", alt)


def _bin(group: dict[str, Any]) -> dict[str, Any]:
    row = {f"{stage}_ns": ns for stage, ns in _means(group).items()}
    return {"bin_ns": group["key"], "n": group["band_requests"], **row}


def _means(group: dict[str, Any]) -> dict[str, int]:
    return {row["stage"]: row["mean_ns"] for row in group["stages"]}


def _name(group: dict[str, Any], by: str) -> str:
    key = group["key"]
    if key is None:
        return _("(not said)")
    return times.instant(key, look.zone(), to="min") if by in BINS_NS else str(key)


def _table(groups: list[dict[str, Any]], by: str) -> None:
    ms = st.column_config.NumberColumn
    lengths = {
        name: _("{name}, ms").format(name=name) for name in (_("Mean"), _("Median"), _("p95"))
    }
    columns = {name: ms(shown, format="localized") for name, shown in lengths.items()}
    height = min(38 + 35 * len(groups), 320)
    rows = [_row(group, by) for group in groups]
    st.dataframe(rows, hide_index=True, height=height, column_config=columns)


def _row(group: dict[str, Any], by: str) -> dict[str, Any]:
    return {
        page_labels.grouping(by): _name(group, by),
        _("Requests"): group["requests"],
        _("In the band"): group["band_requests"],
        _("Mean"): round(group["mean_ns"] / 1e6, 2),
        _("Median"): round(group["p50_ns"] / 1e6, 2),
        _("p95"): round(group["p95_ns"] / 1e6, 2),
        **_longest(group),
    }


def _longest(group: dict[str, Any]) -> dict[str, str]:
    means = _means(group)
    stage = max(STAGES, key=lambda name: means.get(name, 0))
    share = means.get(stage, 0) / group["mean_ns"] if group["mean_ns"] else 0.0
    return {
        _("Longest stage"): labels.stage(stage),
        _("Its mean"): fmt.ms(means.get(stage, 0)),
        _("Its share"): fmt.share(share),
    }


def _few(groups: list[dict[str, Any]]) -> None:
    few = sum(group["requests"] < FEW for group in groups)
    if few:
        said = ngettext(
            "{n} group has fewer than {least} requests: its band is all of them.",
            "{n} groups have fewer than {least} requests: their bands are all of them.",
            few,
        )
        st.caption(said.format(n=fmt.count(few), least=FEW))
