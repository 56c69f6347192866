"""Latency over time: how many requests fall in each cell of time and logarithmic latency."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from charts.frame import figure, ticked
from charts.log_bins import LogBins
from charts.theme import Theme, theme
from charts.time_axis import bin_ns, shown, time_axis
from words import _, fmt
from words.times import Zone, clock

ROWS = 14
COLUMNS = 96


def heatmap(
    frame: pd.DataFrame, objective: str = "e2e", slo_ns: int | None = None, tz: Zone = None,
    dark: bool = False, narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """Requests per cell; a drag selects a box of time and latency (`latency_bins` reads its y).

    Args:
        frame: one row per request, `start_ns` and `<objective>_ns`, none missing.
    """
    look = theme(dark)
    bins = latency_bins(frame, objective)
    cells, edges, width = _counted(frame, objective, bins, narrow)
    fig = figure(look, 190, dragmode="select", margin={"l": 0, "r": 0, "t": 4, "b": 0})
    fig.add_trace(
        go.Heatmap(
            z=np.where(cells > 0, cells, np.nan),
            x=[shown(edge + width // 2, tz) for edge in edges], y=list(range(ROWS)),
            xgap=1, ygap=1, showscale=False, hoverongaps=False, zmin=0,
            colorscale=[[i / 9, colour] for i, colour in enumerate(look.sequential)],
            text=_texts(cells, edges, bins, tz),
            hovertemplate="%{text}<extra></extra>",
        )
    )  # fmt: skip
    positions, texts = bins.ticks()
    fig.update_layout(
        xaxis=time_axis(look, edges[0], edges[-1] + width, tz, 4 if narrow else 7),
        yaxis=ticked(look, positions, texts, range=[-0.5, ROWS - 0.5], automargin=True),
    )
    fig.update_yaxes(showgrid=False)
    if slo_ns and -0.5 <= bins.position(slo_ns) - 0.5 <= ROWS - 0.5:
        _slo_line(fig, bins.position(slo_ns) - 0.5, slo_ns, look)
    return fig


def heatmap_rows(
    frame: pd.DataFrame, objective: str = "e2e", narrow: bool = False
) -> list[tuple[int, str, int]]:
    """The cells with requests, by time and then length: (ns since the epoch, lengths, count)."""
    bins = latency_bins(frame, objective)
    cells, edges, _width = _counted(frame, objective, bins, narrow)
    filled = sorted((int(column), int(row)) for row, column in np.argwhere(cells > 0))
    return [(edges[x], bins.text(y), int(cells[y, x])) for x, y in filled]


def _counted(
    frame: pd.DataFrame, objective: str, bins: LogBins, narrow: bool
) -> tuple[np.ndarray[Any, Any], list[int], int]:
    """Requests per cell, when each column starts, and how wide a column is."""
    values = frame[f"{objective}_ns"].to_numpy(dtype="float64")
    starts = frame["start_ns"].to_numpy(dtype="int64")
    first, last = (int(starts.min()), int(starts.max())) if len(starts) else (0, 1)
    width = bin_ns(last - first + 1, 40 if narrow else COLUMNS)
    first -= first % width
    columns = (last - first) // width + 1
    cells = np.zeros((ROWS, columns))
    np.add.at(cells, (bins.indices(values), (starts - first) // width), 1)
    return cells, [first + width * i for i in range(columns)], width


def latency_bins(frame: pd.DataFrame, objective: str = "e2e") -> LogBins:
    """The rows of the heatmap: `.edge(y + 0.5)` is the length at y."""
    return LogBins(frame[f"{objective}_ns"].to_numpy(dtype="float64"), ROWS)


def _texts(
    cells: np.ndarray[Any, Any], edges: list[int], bins: LogBins, tz: Zone
) -> list[list[str]]:
    lines = [bins.text(i) for i in range(ROWS)]
    clocks = [clock(edge, tz, "min") for edge in edges]
    return [
        [f"{at}<br>{line}<br><b>{fmt.count(int(n))}</b>" for at, n in zip(clocks, row, strict=True)]
        for line, row in zip(lines, cells, strict=True)
    ]


def _slo_line(fig: go.Figure, y: float, slo_ns: int, look: Theme) -> None:
    fig.add_shape(
        type="line", x0=0, x1=1, xref="paper", y0=y, y1=y,
        line={"color": look.bad, "width": 1.2, "dash": "dash"},
    )  # fmt: skip
    fig.add_annotation(
        x=1, xref="paper", y=y, xanchor="right", yanchor="bottom", showarrow=False,
        text=_("SLO {limit}").format(limit=fmt.plain(slo_ns)), bgcolor=look.bg,
        font={"size": 12, "color": look.bad}, borderpad=1,
    )  # fmt: skip
