"""What a click on a waterfall hits: the whole row, in the names and in the time."""

from collections.abc import Sequence
from typing import Final

import plotly.graph_objects as go

from charts.waterfall.columns import Columns
from charts.waterfall.rows import Waterfall
from charts.waterfall.text import hover

_CLEAR: Final = "rgba(0,0,0,0)"
_BEYOND: Final = 20
"""Views that a row's target is long: of two bars hit, the one that ends nearer answers."""


def targets(rows: Waterfall, columns: Columns) -> list[go.Bar]:
    """Clear bars over every row, beneath all marks."""
    time = _bar(rows, [_BEYOND * rows.view_ns / 1e6] * len(rows.rows), "x")
    return [time] if columns.narrow else [time, _bar(rows, [1.0] * len(rows.rows), "x2")]


def _bar(rows: Waterfall, lengths: Sequence[float], axis: str) -> go.Bar:
    return go.Bar(
        name="targets", orientation="h", x=lengths, base=[0.0] * len(lengths), xaxis=axis,
        y=list(range(len(lengths))), width=1.0, marker={"color": _CLEAR, "line": {"width": 0}},
        customdata=[[row.key, hover(row)] for row in rows.rows],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )  # fmt: skip
