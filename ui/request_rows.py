"""Requests as rows of a table in which one click opens the waterfall."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd
import streamlit as st

from charts.strip import strip
from ui import look, page_list
from words import _, fmt, labels, times


def table(
    rows: list[dict[str, Any]], key: str, height: int | Literal["content"] = "content"
) -> None:
    """Draw rows in the shape of `slowpath requests`; a click on a row opens it."""
    frame = pd.DataFrame([_cells(row) for row in rows])
    event = st.dataframe(
        frame,
        hide_index=True,
        height=height,
        row_height=34,
        column_config=_columns(),
        column_order=_order(list(frame.columns)),
        on_select="rerun",
        selection_mode="single-cell",
        key=key,
        placeholder=fmt.ms(None),
        alt=_("Requests, one a row"),
    )
    cells = event.selection.cells if event else []
    if cells and cells[0][0] < len(rows):
        open_request(rows[cells[0][0]])


def open_request(row: dict[str, Any]) -> None:
    """Go to the waterfall of one request."""
    params = {"trace": row["trace_id"], "root": row["root_span_id"]}
    st.switch_page(page_list.link("request.py"), query_params=params)


def _order(columns: list[str]) -> list[str]:
    if not look.narrow():
        return columns
    return [name for name in columns if name in ("started", "e2e", "where", "longest")]


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    longest = max(row["stages"], key=lambda name: row["stages"][name], default="unattributed")
    flags = [labels.flag(flag) for flag in row["flags"]]
    left_out = [_("left out of percentiles")] if row["excluded"] else []
    return {
        "started": times.instant(row["start_ns"], look.zone(), to="s"),
        "route": row["route"] or row["name"],
        "e2e": row["e2e_ns"] / 1e9,
        "where": strip(row["stages"], dark=look.dark()),
        "ttft": None if row["ttft_ns"] is None else row["ttft_ns"] / 1e9,
        "longest": labels.stage(longest),
        "input": row["input_tokens"],
        "output": row["output_tokens"],
        "status": labels.status(row["status"]),
        "flags": ", ".join(left_out + flags),
    }


def _columns() -> dict[str, Any]:
    seconds, column = "%.2f s", st.column_config
    return {
        "started": column.TextColumn(_("Started")),
        "route": column.TextColumn(_("Route")),
        "e2e": column.NumberColumn(_("E2E"), format=seconds),
        "where": column.ImageColumn(_("Where the time went"), width=208),
        "ttft": column.NumberColumn(_("TTFT"), format=seconds),
        "longest": column.TextColumn(_("Longest stage")),
        "input": column.NumberColumn(_("Tokens in"), format="localized"),
        "output": column.NumberColumn(_("out"), format="localized"),
        "status": column.TextColumn(_("Status")),
        "flags": column.TextColumn(_("Flags")),
    }


def counted(shown_from: int, shown: int, total: int) -> str:
    """`1 to 50 of 4,118`."""
    return _("{first} to {last} of {total}").format(
        first=fmt.count(shown_from + 1),
        last=fmt.count(shown_from + shown),
        total=fmt.count(total),
    )
