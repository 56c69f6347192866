"""How the mean per group moves over time, stacked, with marks for what happened."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.stages import GROUPS
from charts.frame import escaped, figure, lengths, vertical
from charts.theme import Theme, theme
from charts.time_axis import shown, time_axis, widths_ns
from words import fmt, labels
from words.times import Zone

Mark = tuple[int, str]
"""An instant in ns and what happened then."""


def over_time(
    frame: pd.DataFrame, width_ns: int | None = None, tz: Zone = None, marks: Sequence[Mark] = (),
    prefix: str = "", dark: bool = False, narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """One stacked bar per time bin, a layer per group; a drag selects a range of time.

    Args:
        frame: one row per bin: `bin_ns` (its start, ns since the epoch) and, for each stage, its
            mean ns in the column `<prefix><stage>_ns`; a column `n` (requests) if known. Bins
            that are not there stay empty.
        width_ns: the bins' width; by default the smallest distance between two bins.
        prefix: `ttft_` for the time before the first token.
    """
    look, rows = theme(dark), frame.sort_values("bin_ns")
    starts = [int(value) for value in rows["bin_ns"]]
    width = width_ns or widths_ns(starts)
    fig = figure(
        look, 230, barmode="stack", hovermode="x unified", dragmode="select",
        selectdirection="h", margin={"l": 20, "r": 0, "t": 22, "b": 0},
    )  # fmt: skip
    layers = _layers(rows, prefix)
    total = [sum(column) for column in zip(*layers.values(), strict=True)] or [0.0] * len(starts)
    for group, values in layers.items():
        fig.add_trace(_layer(group, starts, values, width, tz, look))
    counts = [f"\u2002n {fmt.count(n)}" for n in rows["n"]] if "n" in rows else [""] * len(rows)
    fig.add_trace(_sums(starts, total, counts, tz, look.ink, width))
    low, high = (starts[0], starts[-1] + width) if starts else (0, width)
    fig.update_layout(
        xaxis=time_axis(look, low, high, tz, 4 if narrow else 7),
        yaxis=lengths(look, 0, max(total, default=0.0) * 1.04 or 1.0, 4, automargin=True),
    )
    for at, text in marks:
        vertical(fig, shown(at, tz), escaped(text), look.soft, xanchor="left", xshift=4)
    return fig


def _layers(rows: pd.DataFrame, prefix: str) -> dict[str, list[float]]:
    """The mean of each group per bin, groups without time left out."""
    layers = {}
    for group, stages in GROUPS.items():
        columns = [f"{prefix}{s}_ns" for s in stages if f"{prefix}{s}_ns" in rows]
        values = [float(v) for v in rows[columns].fillna(0).sum(axis=1)]
        if any(values):
            layers[group] = values
    return layers


def _layer(
    group: str, starts: list[int], values: list[float], width: int, tz: Zone, look: Theme
) -> go.Bar:
    name = escaped(labels.group(group))
    return go.Bar(
        x=[shown(start, tz) for start in starts], y=values, name=name,
        width=width / 1e6 * 0.88, offset=width / 1e6 * 0.06,
        marker={"color": look.groups[group], "line": {"width": 0}},
        customdata=[[fmt.ms(round(v)), start] for v, start in zip(values, starts, strict=True)],
        hovertemplate=f"{name} <b>%{{customdata[0]}}</b><extra></extra>",
    )  # fmt: skip


def _sums(
    starts: list[int], totals: list[float], counts: list[str], tz: Zone, colour: str, width: int
) -> go.Scatter:
    """The total of a bin, for the hover only."""
    return go.Scatter(
        x=[shown(start + width // 2, tz) for start in starts], y=totals, mode="markers",
        marker={"size": 1, "opacity": 0, "color": colour},
        customdata=[[fmt.ms(round(v)), n] for v, n in zip(totals, counts, strict=True)],
        hovertemplate="<b>%{customdata[0]}</b>%{customdata[1]}<extra></extra>",
    )  # fmt: skip
