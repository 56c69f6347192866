"""What sets the slow requests apart: per attribute value its share among them and the rest."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from charts.frame import categories, escaped, figure, ticked
from charts.theme import Theme, theme
from words import _, fmt, labels

ROW_PX: Final = 36

Value = Mapping[str, Any]
"""{label, share, rest_share, extra_ns, low_ns, high_ns, stage}: shares from 0 to 1, the extra time
with its interval, and the stage it sits in."""


def apart(rows: Sequence[Value], dark: bool = False, narrow: bool = False) -> go.Figure:
    """One row per value: ○ among the rest — ● among the slow; `customdata[0]` is the row."""
    look = theme(dark)
    y = list(range(len(rows)))
    fig = figure(look, max(1, len(rows)) * ROW_PX + 26, margin={"l": 0, "r": 0, "t": 0, "b": 22})
    values = [0.0, 0.25, 0.5, 0.75, 1.0]
    axis = ticked(look, values, [fmt.share(v) for v in values], range=[-0.02, 1.02])
    fig.update_layout(
        yaxis=categories(look, [str(row["label"]) for row in rows]),
        xaxis={**axis, "domain": [0, 0.66 if narrow else 0.56]},
    )
    colours = [look.stage(str(row["stage"])) if _sure(row) else look.faint for row in rows]
    for row, at in zip(rows, y, strict=True):
        fig.add_shape(type="line", x0=row["rest_share"], x1=row["share"], y0=at, y1=at,
                      layer="below", line={"color": look.faint, "width": 2})  # fmt: skip
        fig.add_annotation(x=1, xref="paper", y=at, yref="y", xanchor="right", showarrow=False,
                           text=_text(row, look, narrow), font={"size": 12})  # fmt: skip
    hovers = [[i, _hover(row)] for i, row in enumerate(rows)]
    seen = {"customdata": hovers, "hovertemplate": "%{customdata[1]}<extra></extra>"}
    ring = {"size": 9, "color": look.bg, "line": {"width": 1.6, "color": look.soft}}
    rest = [row["rest_share"] for row in rows]
    fig.add_trace(go.Scatter(mode="markers", x=rest, y=y, marker=ring, **seen))
    dots = {"size": 10, "color": colours}
    fig.add_trace(
        go.Scatter(mode="markers", x=[r["share"] for r in rows], y=y, marker=dots, **seen)
    )
    return fig


def _sure(row: Value) -> bool:
    return bool(row["low_ns"] > 0 or row["high_ns"] < 0)


def _text(row: Value, look: Theme, narrow: bool) -> str:
    whole = fmt.interval(row["extra_ns"], row["low_ns"], row["high_ns"])
    estimate, bracket, rest = whole.partition(" (")
    if _sure(row):
        estimate = f'<b><span style="color:{look.ink}">{estimate}</span></b>'
    if narrow:
        return f'<span style="color:{look.soft}">{estimate}</span>'
    text = _("{time} in {stage}").format(
        time=f"{estimate}{bracket}{rest}", stage=escaped(labels.stage_phrase(str(row["stage"])))
    )
    return f'<span style="color:{look.soft}">{text}</span>'


def _hover(row: Value) -> str:
    shares = _("{share} of the slow, {rest} of the rest").format(
        share=fmt.share(row["share"]), rest=fmt.share(row["rest_share"])
    )
    return f"<b>{escaped(row['label'])}</b><br>{shares}"
