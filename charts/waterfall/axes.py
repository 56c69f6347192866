"""The time axis of a waterfall: its ticks, and the lines of first token and end."""

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from charts.contrast import tint
from charts.frame import hidden, nice_step, ticked
from charts.theme import Theme
from charts.waterfall.columns import TIME_TO, Columns
from charts.waterfall.rows import Waterfall
from words import _, fmt


@dataclass(frozen=True)
class Scale:
    """The time axis: its ends in ms and the lines that stand on it."""

    low_ms: float
    view_ms: float
    lines: tuple[tuple[float, str], ...]


def notes(look: Theme, scale: Scale, parts: Columns) -> list[dict[str, Any]]:
    """TTFT and E2E above their lines; the earlier one a line higher where they would touch."""
    made: list[dict[str, Any]] = []
    reach = parts.time_px * (1.0 if parts.narrow else 1.07)  # over the column of lengths
    for at, text in reversed(scale.lines):
        wide, middle = 6.4 * len(text), at / scale.view_ms * parts.time_px
        left = min(max(0.0, middle - wide / 2), reach - wide)
        touching = bool(made) and left + wide + 6 > made[-1]["left"]
        made.append({"left": left, "note": {
            "x": (left + wide / 2) / parts.time_px * scale.view_ms, "y": 1, "xref": "x",
            "yref": "paper", "yanchor": "bottom", "yshift": 18 if touching else 2,
            "xanchor": "center", "text": f"<b>{text}</b>", "showarrow": False,
            "font": {"size": 12, "color": look.ink},
        }})  # fmt: skip
    return [one["note"] for one in reversed(made)]


def scale_of(rows: Waterfall, ttft_ns: int | None) -> Scale:
    """From the request's start, or from the earliest recorded time, to the last span's end."""
    found = []
    if ttft_ns is not None and not fmt.is_missing(ttft_ns):
        found.append((ttft_ns / 1e6, _("TTFT {time}").format(time=fmt.ms(ttft_ns))))
    bound = any(row.bound and not row.depth for row in rows.rows)
    length = fmt.at_least(rows.e2e_ns) if bound else fmt.ms(rows.e2e_ns)
    found.append((rows.e2e_ns / 1e6, _("E2E {time}").format(time=length)))
    low = min(0, *(row.start for row in rows.rows)) if rows.rows else 0
    return Scale(low / 1e6, rows.view_ns / 1e6 * 1.002, tuple(found))


def axes(look: Theme, scale: Scale, count: int, parts: Columns) -> dict[str, Any]:
    """The layout's axes: time, names, and lengths where they have a column."""
    narrow = parts.narrow
    step = nice_step(scale.view_ms, 3 if narrow else 8)
    values = [i * step for i in range(int(scale.view_ms / step) + 1)]
    labels = fmt.ticks([round(value * 1e6) for value in values])
    room = 0.16 if narrow else 0.10
    shown = [
        "" if any(abs(value - at) < room * scale.view_ms for at, _text in scale.lines) else label
        for value, label in zip(values, labels, strict=True)
    ]
    time = ticked(look, values, shown, range=[scale.low_ms, scale.view_ms], side="top", ticklen=0)
    rows = hidden(range=[count - 0.5, -0.5])
    if narrow:
        time.update(showgrid=False, domain=[0, 1])
        return {"xaxis": time, "xaxis2": hidden(range=[0, 1], overlaying="x"), "yaxis": rows}
    time.update(domain=[parts.names + 0.01, TIME_TO])
    return {
        "xaxis": time,
        "xaxis2": hidden(range=[0, 1], domain=[0, parts.names]),
        "xaxis3": hidden(range=[0, 1], domain=[0.94, 1]),
        "yaxis": rows,
    }


def lines(look: Theme, scale: Scale, count: int) -> list[go.Scatter]:
    """Traces and not shapes, so that they stand over the bars and under the marks."""
    line = {"color": tint(look.ink, 0.8), "width": 1.2, "dash": "dot"}
    return [
        go.Scatter(
            name="lines",
            mode="lines",
            x=[at, at],
            y=[-0.5, count - 0.5],
            line=line,
            hoverinfo="skip",
        )
        for at, _text in scale.lines
    ]
