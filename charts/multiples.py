"""Small multiples: several metrics over one time axis, each with its own scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from charts.contrast import tint
from charts.frame import escaped, figure, nice_step, ticked
from charts.over_time import Mark
from charts.theme import Theme, theme
from charts.time_axis import shown, time_axis
from words.times import Zone

PANEL_PX: Final = 88


@dataclass(frozen=True)
class Panel:
    """One metric: (instant in ns, value) in order of time; None leaves a gap.

    `ticks` writes a value of the axis, `last` is the latest value with its unit; `stage` gives
    the colour.
    """

    title: str
    points: tuple[tuple[int, float | None], ...]
    last: str
    stage: str = "unattributed"
    unit: str = ""


def multiples(
    panels: Sequence[Panel], lo_ns: int, hi_ns: int, tz: Zone = None, marks: Sequence[Mark] = (),
    request_ns: int | None = None, dark: bool = False, narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """One filled line per panel; marks as dotted lines through all, the request in `bad`."""
    look = theme(dark)
    count = max(1, len(panels))
    height = count * PANEL_PX + 60
    apart = min(max(0.055, 30 / height), 0.9 / count)  # room for the title of the next panel
    grid = make_subplots(rows=count, cols=1, shared_xaxes=True, vertical_spacing=apart)
    fig = go.Figure(grid)
    fig.update_layout(figure(look, height).layout)
    fig.update_layout(margin={"l": 0, "r": 64, "t": 42, "b": 22}, template=None)
    axis = time_axis(look, lo_ns, hi_ns, tz, 4 if narrow else 7)
    fig.update_xaxes(**axis)
    fig.update_xaxes(showticklabels=False)
    fig.update_xaxes(showticklabels=True, row=count, col=1)
    for i, panel in enumerate(panels, 1):
        _draw(fig, i, panel, tz, look)
    lines = [(at, escaped(text), look.soft, "dot") for at, text in marks]
    lines += [(request_ns, "", look.bad, "solid")] if request_ns is not None else []
    for at, text, colour, dash in lines:
        fig.add_shape(type="line", x0=shown(at, tz), x1=shown(at, tz), y0=0, y1=1, xref="x",
                      yref="paper", line={"color": colour, "width": 1.2, "dash": dash})  # fmt: skip
        fig.add_annotation(x=shown(at, tz), y=1, xref="x", yref="paper", yanchor="bottom",
                           yshift=18, showarrow=False, text=text,
                           font={"size": 12, "color": colour})  # fmt: skip
    return fig


def _draw(fig: go.Figure, row: int, panel: Panel, tz: Zone, look: Theme) -> None:
    values = [value for _at, value in panel.points if value is not None]
    top = max([*values, 0.0]) * 1.1 or 1.0
    step = nice_step(top, 3)
    ticks = [i * step for i in range(int(top / step) + 1)]
    texts = [f"{tick:,.10g}{panel.unit}" for tick in ticks]
    fig.update_yaxes(**ticked(look, ticks, texts, range=[0, top], automargin=True), row=row, col=1)
    colour = look.stage(panel.stage)
    fig.add_trace(
        go.Scatter(
            mode="lines", x=[shown(at, tz) for at, _value in panel.points],
            y=[value for _at, value in panel.points], connectgaps=False, fill="tozeroy",
            fillcolor=tint(colour, 0.12), line={"color": colour, "width": 1.6},
            name=escaped(panel.title), hovertemplate="%{y:,.3~f}<extra></extra>",
        ),
        row=row, col=1,
    )  # fmt: skip
    domain = f"y{row if row > 1 else ''} domain"
    fig.add_annotation(x=0, y=1, xref="paper", yref=domain, xanchor="left", yanchor="bottom",
                       showarrow=False, text=f"<b>{escaped(panel.title)}</b>",
                       font={"size": 13, "color": look.ink})  # fmt: skip
    fig.add_annotation(x=1, y=0.6, xref="paper", yref=domain, xanchor="left", xshift=8,
                       showarrow=False, text=f"<b>{escaped(panel.last)}</b>",
                       font={"size": 13, "color": look.ink})  # fmt: skip
