"""Putting a figure on a page, and what a click or a drag on it says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

import streamlit as st

from words import _

_CONFIG: Final = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}


def show(
    figure: Any,
    key: str,
    alt: str,
    selection: Literal["points", "box"] | None = None,
    act: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Draw a figure; with `selection` (points or box) return what is selected, else {}.

    `act` is called before the run that a selection causes, so that one run is enough.
    """
    shown: dict[str, Any] = {"key": key, "alt": alt, "theme": None, "config": _CONFIG}
    if selection is None:
        st.plotly_chart(figure, **shown)
        return {}
    event = st.plotly_chart(
        figure, on_select=act or "rerun", selection_mode=selection, **shown
    )  # fmt: skip
    return dict(event.selection) if event else {}


def table(rows: list[dict[str, Any]]) -> None:
    """The figures of a chart as a table, folded away."""
    with st.expander(_("Show as table"), type="compact"):
        st.dataframe(rows, hide_index=True, height=min(38 + 35 * len(rows), 320))


def clicked(selection: dict[str, Any]) -> str | None:
    """What stands in `customdata` or `id` of the one point that was clicked."""
    points = selection.get("points") or []
    if not points:
        return None
    said = points[0].get("customdata") or points[0].get("id")
    first = said[0] if isinstance(said, list | tuple) and said else said
    return str(first) if first else None


def boxed(selection: dict[str, Any], axis: str = "x") -> tuple[Any, Any] | None:
    """The two ends of a dragged box along one axis."""
    boxes = selection.get("box") or []
    ends = boxes[0].get(axis) if boxes else None
    return (ends[0], ends[-1]) if ends else None


def instant_ns(text: str, zone: str) -> int:
    """A date that Plotly writes for an axis in the reader's zone, as ns since the epoch.

    >>> instant_ns("1970-01-01 00:00:01.5", "UTC")
    1500000000
    """
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))
    return int(moment.replace(microsecond=0).timestamp()) * 10**9 + moment.microsecond * 1000
