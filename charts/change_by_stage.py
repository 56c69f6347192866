"""Two sides compared stage by stage: colour only where the interval leaves chance out."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from charts.frame import categories, escaped, figure, lengths
from charts.theme import Theme, theme
from words import fmt, labels

ROW_PX: Final = 29

Change = Mapping[str, Any]
"""{stage, a_ns, b_ns, change_ns, low_ns, high_ns}: mean on each side, B − A with its interval."""


def certain(row: Change) -> bool:
    """Whether the interval excludes 0."""
    return bool(row["low_ns"] > 0 or row["high_ns"] < 0)


def change_by_stage(rows: Sequence[Change], dark: bool = False, narrow: bool = False) -> go.Figure:
    """One bar per stage from 0 to its change, with its interval, in the order given."""
    look = theme(dark)
    count = max(1, len(rows))
    low = min([0.0, *(float(row["low_ns"]) for row in rows)])
    high = max([1.0, *(float(row["high_ns"]) for row in rows)])
    fig = figure(look, count * ROW_PX + 26, margin={"l": 0, "r": 0, "t": 0, "b": 22})
    axis = lengths(look, low - 0.03 * (high - low), high * 1.03, 3 if narrow else 5)
    texts = [fmt.ms_delta(value) for value in axis["tickvals"]]
    fig.update_layout(
        yaxis=categories(look, [labels.stage(str(row["stage"])) for row in rows]),
        xaxis={**axis, "ticktext": texts, "domain": [0, 0.62 if narrow else 0.52]},
    )
    changes = [float(row["change_ns"]) for row in rows]
    fig.add_trace(
        go.Bar(
            orientation="h", x=changes, y=list(range(len(rows))), width=0.55,
            marker={"color": [_colour(row, look) for row in rows], "line": {"width": 0}},
            error_x={
                "type": "data", "symmetric": False, "color": look.ink, "thickness": 1.5, "width": 4,
                "array": [row["high_ns"] - row["change_ns"] for row in rows],
                "arrayminus": [row["change_ns"] - row["low_ns"] for row in rows],
            },
            customdata=[[row["stage"], _hover(row)] for row in rows],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    )  # fmt: skip
    for y, row in enumerate(rows):
        _column(fig, y, 1.0, _difference(row, look, narrow), look.ink)
        if not narrow:
            _column(fig, y, 0.70, f"{fmt.ms(row['a_ns'])} → {fmt.ms(row['b_ns'])}", look.soft)
    return fig


def _colour(row: Change, look: Theme) -> str:
    return look.stage(str(row["stage"])) if certain(row) else look.faint


def _column(fig: go.Figure, y: int, x: float, text: str, colour: str) -> None:
    fig.add_annotation(
        x=x, y=y, xref="paper", yref="y", xanchor="right", showarrow=False, text=text,
        font={"size": 12, "color": colour},
    )  # fmt: skip


def _difference(row: Change, look: Theme, narrow: bool) -> str:
    text = fmt.interval(row["change_ns"], row["low_ns"], row["high_ns"])
    estimate, bracket, rest = text.partition(" (")
    shown = f"<b>{estimate}</b>" if certain(row) else estimate
    whole = shown if narrow else f"{shown}{bracket}{rest}"
    return whole if certain(row) else f'<span style="color:{look.soft}">{whole}</span>'


def _hover(row: Change) -> str:
    change = fmt.interval(row["change_ns"], row["low_ns"], row["high_ns"])
    sides = f"{fmt.ms(row['a_ns'])} → {fmt.ms(row['b_ns'])}"
    return f"{escaped(labels.stage(str(row['stage'])))}<br>{sides}<br><b>{change}</b>"
