"""After a fix: what was before, what was predicted and what was measured, per percentile."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from charts.frame import categories, escaped, figure, lengths
from charts.theme import Theme, theme
from words import _, fmt

ROW_PX: Final = 42

Outcome = Mapping[str, Any]
"""{label, before_ns, predicted: {low, typical, high}, measured: {low, typical, high}}, in ns."""


def shipped(rows: Sequence[Outcome], dark: bool = False, narrow: bool = False) -> go.Figure:
    """A tick before, a diamond above for predicted, a dot beneath for measured, with intervals."""
    look = theme(dark)
    values = [v for row in rows for v in (row["before_ns"], *row["predicted"].values(),
                                          *row["measured"].values())]  # fmt: skip
    fig = figure(look, max(1, len(rows)) * ROW_PX + 26, margin={"l": 0, "r": 0, "t": 0, "b": 22})
    axis = lengths(look, 0, max(values, default=1) * 1.05, 3 if narrow else 4)
    fig.update_layout(
        yaxis=categories(look, [str(row["label"]) for row in rows]),
        xaxis={**axis, "domain": [0, 0.7]},
    )
    fig.add_trace(
        go.Scatter(
            mode="markers", x=[row["before_ns"] for row in rows], y=list(range(len(rows))),
            marker={"symbol": "line-ns", "size": 18, "line": {"width": 2, "color": look.soft}},
            text=[fmt.ms(row["before_ns"]) for row in rows],
            hovertemplate=f"{_('before')} %{{text}}<extra></extra>",
        )
    )  # fmt: skip
    open_ = {"symbol": "diamond", "size": 10, "color": look.bg,
             "line": {"width": 1.6, "color": look.soft}}  # fmt: skip
    fig.add_trace(_side(rows, "predicted", _("predicted"), -0.14, open_, look.soft))
    fig.add_trace(
        _side(
            rows, "measured", _("measured"), 0.14, {"size": 10, "color": look.accent}, look.accent
        )
    )
    for y, row in enumerate(rows):
        text, colour = verdict(row, look)
        fig.add_annotation(x=1, xref="paper", y=y, yref="y", xanchor="right", showarrow=False,
                           text=text, font={"size": 12, "color": colour})  # fmt: skip
    return fig


def _side(
    rows: Sequence[Outcome], side: str, name: str, lift: float, marker: dict[str, Any], colour: str
) -> go.Scatter:
    ends = [row[side] for row in rows]
    return go.Scatter(
        mode="markers", x=[end["typical"] for end in ends], y=[y + lift for y in range(len(rows))],
        marker=marker,
        error_x={
            "type": "data", "symmetric": False, "color": colour, "thickness": 2, "width": 0,
            "array": [end["high"] - end["typical"] for end in ends],
            "arrayminus": [end["typical"] - end["low"] for end in ends],
        },
        text=[_with_bounds(end) for end in ends],
        customdata=[[escaped(row["label"])] for row in rows],
        hovertemplate=f"%{{customdata[0]}} {name} %{{text}}<extra></extra>",
    )  # fmt: skip


def _with_bounds(end: Mapping[str, int]) -> str:
    bounds = fmt.between(end["typical"], end["low"], end["high"])
    return f"{fmt.ms(end['typical'])} ({bounds})"


def verdict(row: Outcome, look: Theme) -> tuple[str, str]:
    """`as predicted` where the intervals meet, else how much it fell short, and its colour."""
    predicted, measured = row["predicted"], row["measured"]
    if measured["low"] <= predicted["high"] and predicted["low"] <= measured["high"]:
        return _("as predicted"), look.good
    if measured["typical"] < predicted["typical"]:
        return _("more than predicted"), look.good
    short = fmt.ms(measured["typical"] - predicted["typical"])
    return f"<b>{_('{time} short').format(time=short)}</b>", look.bad
