"""All stages by all bands: the heading and the table of the Stages page."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from analysis import answer
from analysis.stages import GROUP_OF, STAGES
from services.scope import Scope
from ui import aggregate, answers, blocks, where
from ui.texts import titled
from words import _, labels

SHOWN = ("p50", "p95", "p99", "tail", "all")


def heading(scope: Scope) -> str:
    """The page's answer, the switch between the aggregates, the groups; returns the aggregate."""
    latency = answers.latency(scope.filters, scope.objective)
    blocks.heading(answer.overview(latency, scope.objective, 95, scope.slo_ns))
    chosen = aggregate.choose()
    aggregate.difference(scope, chosen)
    parts = aggregate.of_band(scope, "p95", chosen)
    if parts["mean_ns"] is not None:
        where.key(parts)
    return chosen


def table(scope: Scope, chosen: str = "path") -> None:
    """Mean ms of every stage in every band, with the bands' sizes, and the same as CSV."""
    parts = {band: aggregate.of_band(scope, band, chosen) for band in SHOWN}
    frame = pd.DataFrame(_rows(parts))
    with st.container(border=True):
        note = _("Mean per request in ms")
        if chosen == "shared":
            note = f"{_('Shared')} · {note}"
        st.markdown(titled(_("All stages, all bands"), note))
        st.dataframe(frame, hide_index=True, column_config=_columns(frame))
        said = [f"{labels.band(band)}: {where.band_caption(parts[band])}" for band in SHOWN]
        if unsplit := [b for b in SHOWN if parts[b]["aggregate"] != chosen]:
            said.append(aggregate.unsplit([labels.band(band) for band in unsplit]))
        st.caption("  \n".join(said))
        st.download_button(
            _("CSV, in ns"), _csv(parts), "stages.csv", "text/csv", on_click="ignore",
            icon=":material/download:",
        )  # fmt: skip


def _by_stage(parts: dict[str, Any]) -> dict[str, int]:
    return {row["stage"]: row["mean_ns"] for row in parts["stages"]}


def _rows(parts: dict[str, Any]) -> list[dict[str, Any]]:
    means = {labels.band(band): _by_stage(parts[band]) for band in SHOWN}
    return [
        {
            _("Group"): labels.group(GROUP_OF[stage]),
            _("Stage"): labels.stage(stage),
            **{name: round(by_stage.get(stage, 0) / 1e6, 2) for name, by_stage in means.items()},
        }
        for stage in STAGES
        if any(by_stage.get(stage) for by_stage in means.values())
    ]


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {name: number(f"{name}, ms", format="localized") for name in frame.columns[2:]}


def _csv(parts: dict[str, Any]) -> str:
    means = {band: _by_stage(parts[band]) for band in SHOWN}
    rows = [{"stage": s, **{b: means[b].get(s, 0) for b in SHOWN}} for s in STAGES]
    return pd.DataFrame(rows).to_csv(index=False)
