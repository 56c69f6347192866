"""One request as a waterfall: thick on the critical path, thin beside it, hatched asynchronous."""

from dataclasses import replace
from typing import Final

import plotly.graph_objects as go

from charts.frame import figure
from charts.theme import theme
from charts.waterfall.axes import axes, lines, notes, scale_of
from charts.waterfall.bars import Sizes, bars
from charts.waterfall.columns import columns
from charts.waterfall.marks import marks, row_tints
from charts.waterfall.rows import Waterfall
from charts.waterfall.targets import targets
from charts.waterfall.text import texts
from words import _, fmt

WIDE: Final = Sizes(row_px=27, thick=0.66, thin=0.30, drop=0.0, time_px=530, head_px=40)
NARROW: Final = Sizes(row_px=40, thick=0.36, thin=0.20, drop=0.22, time_px=330, head_px=40)


def waterfall(
    rows: Waterfall, ttft_ns: int | None = None, selected: str = "",
    dark: bool = False, narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """The rows as bars over time; `customdata[0]` of every point is the row's key.

    Args:
        rows: of `waterfall_rows`.
        ttft_ns: the request's time to first token.
        selected: the key of the row that is lit.
    """
    look, parts = theme(dark), columns(rows.rows, narrow)
    sizes = replace(NARROW if narrow else WIDE, time_px=parts.time_px)
    scale = scale_of(rows, ttft_ns)
    count = max(1, len(rows.rows))
    fig = figure(
        look, count * sizes.row_px + sizes.head_px + 6, barmode="overlay", hovermode="closest",
        hoverdistance=12, margin={"l": 0, "r": 0, "t": sizes.head_px, "b": 6},
    )  # fmt: skip
    fig.update_layout(**axes(look, scale, count, parts))
    fig.update_layout(shapes=row_tints(rows, selected, look))
    for note in notes(look, scale, parts):
        fig.add_annotation(note)
    fig.add_traces(targets(rows, parts))
    fig.add_traces(bars(rows, sizes, look))
    fig.add_traces(lines(look, scale, count))
    fig.add_traces(texts(rows, selected, look, parts))
    fig.add_traces(marks(rows, sizes, look))
    return fig.update_traces(unselected={"marker": {"opacity": 1}})


def key_of_marks(rows: Waterfall) -> str:
    """The line under the chart that says what its marks mean."""
    said = _(
        "thick: on the critical path · thin: running, not waited for · hatched: asynchronous · "
        "◆ first token{ticks}. The order between siblings is inferred from times."
    )
    ticks = ""
    if any(row.instants for row in rows.rows):
        ticks = _(" · ticks: the answer’s tokens or chunks when they came")
    elif any(row.tokens for row in rows.rows):
        ticks = _(" · ticks: its other tokens, evenly spaced, since only their number is known")
    return said.format(ticks=ticks)


def window_text(rows: Waterfall) -> str:
    """Which rows are drawn where not all are: `rows 1 to 400 of 5,000`; else empty."""
    if rows.total <= len(rows.rows):
        return ""
    first, last = rows.first + 1, rows.first + len(rows.rows)
    return _("rows {first} to {last} of {total}").format(
        first=fmt.count(first), last=fmt.count(last), total=fmt.count(rows.total)
    )
