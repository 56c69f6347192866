"""One request as a waterfall: thick on the critical path, thin beside it, hatched asynchronous."""

from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

from charts.contrast import tint
from charts.frame import figure, hidden, nice_step, ticked
from charts.theme import Theme, theme
from charts.waterfall_bars import Sizes, bars
from charts.waterfall_marks import marks, row_tints
from charts.waterfall_rows import Waterfall
from charts.waterfall_text import texts
from words import _, fmt

WIDE: Final = Sizes(row_px=27, thick=0.66, thin=0.30, drop=0.0, time_px=530, head_px=40)
NARROW: Final = Sizes(row_px=40, thick=0.36, thin=0.20, drop=0.22, time_px=330, head_px=40)


@dataclass(frozen=True)
class _Scale:
    """The time axis: its ends in ms and the lines that stand on it."""

    view_ms: float
    lines: tuple[tuple[float, str], ...]


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
    look, sizes = theme(dark), NARROW if narrow else WIDE
    scale = _scale(rows, ttft_ns)
    count = max(1, len(rows.rows))
    fig = figure(
        look, count * sizes.row_px + sizes.head_px + 6, barmode="overlay", hovermode="closest",
        margin={"l": 0, "r": 0, "t": sizes.head_px, "b": 6},
    )  # fmt: skip
    fig.update_layout(**_axes(look, scale, count, narrow))
    fig.update_layout(shapes=row_tints(rows, selected, look))
    for at, text in scale.lines:
        near = any(0 < other - at < 0.16 * scale.view_ms for other, _text in scale.lines)
        fig.add_annotation(
            x=at, y=1, xref="x", yref="paper", yanchor="bottom", yshift=2, text=f"<b>{text}</b>",
            showarrow=False, font={"size": 12, "color": look.ink},
            xanchor="right" if near or (at > 0.94 * scale.view_ms and narrow) else "center",
        )  # fmt: skip
    fig.add_traces(bars(rows, sizes, look))
    fig.add_traces(_lines(look, scale, count))
    fig.add_traces(texts(rows, selected, look, narrow))
    fig.add_traces(marks(rows, sizes, look))
    return fig


def _scale(rows: Waterfall, ttft_ns: int | None) -> _Scale:
    lines = []
    if ttft_ns is not None and not fmt.is_missing(ttft_ns):
        lines.append((ttft_ns / 1e6, _("TTFT {time}").format(time=fmt.ms(ttft_ns))))
    lines.append((rows.e2e_ns / 1e6, _("E2E {time}").format(time=fmt.ms(rows.e2e_ns))))
    return _Scale(rows.view_ns / 1e6 * 1.002, tuple(lines))


def _axes(look: Theme, scale: _Scale, count: int, narrow: bool) -> dict[str, Any]:
    step = nice_step(scale.view_ms, 3 if narrow else 8)
    values = [i * step for i in range(int(scale.view_ms / step) + 1)]
    labels = fmt.ticks([round(value * 1e6) for value in values])
    room = 0.16 if narrow else 0.09
    shown = [
        "" if any(abs(value - at) < room * scale.view_ms for at, _text in scale.lines) else label
        for value, label in zip(values, labels, strict=True)
    ]
    time = ticked(look, values, shown, range=[0, scale.view_ms], side="top", ticklen=0)
    rows = hidden(range=[count - 0.5, -0.5])
    if narrow:
        time.update(showgrid=False, domain=[0, 1])
        return {"xaxis": time, "xaxis2": hidden(range=[0, 1], overlaying="x"), "yaxis": rows}
    time.update(domain=[0.28, 0.935])
    return {
        "xaxis": time,
        "xaxis2": hidden(range=[0, 1], domain=[0, 0.27]),
        "xaxis3": hidden(range=[0, 1], domain=[0.94, 1]),
        "yaxis": rows,
    }


def _lines(look: Theme, scale: _Scale, count: int) -> list[go.Scatter]:
    """Traces and not shapes, so that they stand over the bars and under the marks."""
    line = {"color": tint(look.ink, 0.8), "width": 1.2, "dash": "dot"}
    return [
        go.Scatter(mode="lines", x=[at, at], y=[-0.5, count - 0.5], line=line, hoverinfo="skip")
        for at, _text in scale.lines
    ]


def key_of_marks() -> str:
    """The line under the chart that says what its marks mean."""
    return _(
        "thick: on the critical path · thin: running, not waited for · hatched: asynchronous · "
        "◆ first token. The order between siblings is inferred from times."
    )


def window_text(rows: Waterfall) -> str:
    """Which rows are drawn where not all are: `rows 1 to 400 of 5,000`; else empty."""
    if rows.total <= len(rows.rows):
        return ""
    first, last = rows.first + 1, rows.first + len(rows.rows)
    return _("rows {first} to {last} of {total}").format(
        first=fmt.count(first), last=fmt.count(last), total=fmt.count(rows.total)
    )
