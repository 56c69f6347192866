"""Latency against tokens: the calls, the fitted line with its band, and the hardware's floor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from charts.contrast import tint
from charts.frame import figure, lengths, nice_step, ticked
from charts.theme import Theme, theme
from words import _, fmt

MOST: Final = 5_000
"""Points drawn; beyond, a seeded sample."""


@dataclass(frozen=True)
class Line:
    """A line in ns over tokens: `text` is its key, `low`/`high` its band as (tokens, ns)."""

    intercept_ns: float
    per_token_ns: float
    text: str
    low: tuple[tuple[float, float], ...] = ()
    high: tuple[tuple[float, float], ...] = ()


def token_scatter(
    tokens: Sequence[float], values_ns: Sequence[float], axis_title: str, stage: str,
    fit: Line | None = None, floor: Line | None = None, dark: bool = False, narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """One point per call; y ends at p99.5 and says how many lie above.

    Args:
        tokens, values_ns: of the same length, nothing missing.
        axis_title: what is counted, as it stands under the axis.
        stage: gives the points their colour.
    """
    look = theme(dark)
    x, y = np.asarray(tokens, dtype="float64"), np.asarray(values_ns, dtype="float64")
    top = float(np.percentile(y, 99.5)) * 1.05 if len(y) else 1e9
    right = float(x.max()) * 1.03 if len(x) else 1.0
    fig = figure(look, 300, margin={"l": 0, "r": 0, "t": 6, "b": 42})
    fig.update_layout(**_axes(right, top, axis_title, look, narrow))
    if fit and fit.low and fit.high:
        fig.add_trace(_band(fit, look))
    fig.add_trace(_points(x[sampled(len(x))], y[sampled(len(y))], look.stage(stage)))
    if fit:
        _draw(fig, fit, right, {"color": look.ink, "width": 2}, "━ ", 0)
    if floor:
        _draw(fig, floor, right, {"color": look.good, "width": 2, "dash": "dash"}, "╌ ", 1)
    if above := int((y > top).sum()):
        note = _("{count} above").format(count=fmt.count(above))
        fig.add_annotation(
            x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="top", bgcolor=look.bg,
            showarrow=False, text=note, font={"size": 12, "color": look.soft},
        )  # fmt: skip
    return fig


def _axes(right: float, top: float, title: str, look: Theme, narrow: bool) -> dict[str, Any]:
    step = nice_step(right, 4 if narrow else 6)
    counts = [i * step for i in range(int(right / step) + 1)]
    texts = [fmt.count(n) for n in counts]
    named = {"text": title, "font": {"size": 13, "color": look.soft}}
    return {
        "xaxis": ticked(look, counts, texts, range=[0, right], showgrid=False, title=named),
        "yaxis": lengths(look, 0, top, 5, automargin=True),
    }


def _points(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], colour: str) -> go.Scattergl:
    pairs = zip(x, y, strict=True)
    return go.Scattergl(
        mode="markers", x=x.tolist(), y=y.tolist(),
        marker={"size": 5, "color": tint(colour, 0.35)},
        text=[f"{fmt.tokens(n)}<br><b>{fmt.ms(ns)}</b>" for n, ns in pairs],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def sampled(count: int) -> np.ndarray[Any, Any]:
    """The positions that are drawn, in order: all, or a seeded sample of `MOST`."""
    if count <= MOST:
        return np.arange(count)
    picked: np.ndarray[Any, Any] = np.random.default_rng(0).choice(count, MOST, replace=False)
    picked.sort()
    return picked


def _draw(
    fig: go.Figure, line: Line, right: float, pen: dict[str, Any], mark: str, row: int
) -> None:
    ends = [line.intercept_ns, line.intercept_ns + line.per_token_ns * right]
    fig.add_trace(go.Scatter(mode="lines", x=[0, right], y=ends, line=pen, hoverinfo="skip"))
    fig.add_annotation(
        x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="top", xshift=10,
        yshift=-4 - 20 * row, showarrow=False, text=f"{mark}{line.text}", align="left",
        font={"size": 13, "color": pen["color"]},
    )  # fmt: skip


def _band(fit: Line, look: Theme) -> go.Scatter:
    outline = [*fit.low, *reversed(fit.high)]
    return go.Scatter(
        mode="lines", x=[p[0] for p in outline], y=[p[1] for p in outline], fill="toself",
        fillcolor=tint(look.ink, 0.14), line={"width": 0}, hoverinfo="skip",
    )  # fmt: skip
