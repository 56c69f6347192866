"""A whole request in a thumb's height: its critical path, and which rows are drawn below."""

import plotly.graph_objects as go

from charts.contrast import tint
from charts.frame import figure, hidden
from charts.theme import theme
from charts.waterfall.rows import Waterfall

FROM = 60
"""Rows from which a request has a minimap."""


def minimap(rows: Waterfall, dark: bool = False, narrow: bool = False) -> go.Figure | None:
    """The whole request in 40 px, on-path only, the window outlined; None under 60 rows."""
    if rows.total < FROM:
        return None
    look = theme(dark)
    lines: dict[str, tuple[list[float | None], list[float | None]]] = {}
    for y, parts in rows.outline:
        for stage, low, high in parts:
            xs, ys = lines.setdefault(stage, ([], []))
            xs += [low / 1e6, high / 1e6, None]
            ys += [y, y, None]
    fig = figure(look, 32 if narrow else 40, xaxis=hidden(range=[0, rows.view_ns / 1e6]))
    fig.update_layout(yaxis=hidden(range=[rows.total - 0.5, -0.5]))
    for stage, (xs, ys) in sorted(lines.items()):
        line = {"color": look.stage(stage), "width": 1}
        fig.add_trace(go.Scatter(mode="lines", x=xs, y=ys, line=line, hoverinfo="skip"))
    fig.add_shape(
        type="rect", xref="paper", x0=0, x1=1, y0=rows.first - 0.5,
        y1=rows.first + len(rows.rows) - 0.5, line={"color": look.accent, "width": 1.5},
        fillcolor=tint(look.accent, 0.06),
    )  # fmt: skip
    return fig
