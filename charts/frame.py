"""What all figures share: fonts, margins, hover, axes with their ticks as text."""

import html
import math
import re
from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from charts.theme import Theme
from words import fmt

FONT: Final = '"Source Sans", "Source Sans 3", sans-serif'
CONFIG: Final = {"displayModeBar": False}
"""What every `st.plotly_chart(config=…)` gets."""

_BLANK: Final = re.compile(r"[\x00-\x20\x7f\u2028\u2029]+")  # thin spaces hold numbers together

GAP: Final = "\u2002"  # parts a name from its bar


def escaped(text: object) -> str:
    """Text of a user as Plotly may show it: no tag, no template field, one line, 200 characters."""
    line = _BLANK.sub(" ", str(text)).strip(" ")
    line = line if len(line) <= 200 else f"{line[:199]}…"
    return html.escape(line, quote=False).replace("%{", "%\u200b{")


def figure(theme: Theme, height: int, **layout: Any) -> go.Figure:
    """An empty figure with the house's base layout."""
    base: dict[str, Any] = {
        "height": height,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 13, "color": theme.ink},
        "showlegend": False,
        "dragmode": False,
        "hoverlabel": {
            "bgcolor": theme.card,
            "bordercolor": theme.rule,
            "font": {"family": FONT, "size": 13, "color": theme.ink},
            "align": "left",
        },
    }
    return go.Figure(layout=go.Layout(template=None, **{**base, **layout}))


def categories(theme: Theme, labels: Sequence[str]) -> dict[str, Any]:
    """A y-axis of named rows 0, 1, … from top to bottom."""
    return {
        "tickvals": list(range(len(labels))),
        "ticktext": [escaped(label) + GAP for label in labels],
        "range": [len(labels) - 0.5, -0.5],
        "automargin": True,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"size": 13, "color": theme.ink},
    }


def hidden(**axis: Any) -> dict[str, Any]:
    """An axis without a mark of its own."""
    return {"visible": False, "fixedrange": True, **axis}


def nice_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 5 × 10ⁿ that parts the span into at most `most` steps."""
    if span <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(power * m for m in (1, 2, 5, 10, 20) if span / (power * m) <= most + 1e-9)


def lengths(theme: Theme, low: float, high: float, most: int = 6, **axis: Any) -> dict[str, Any]:
    """An axis of lengths in ns from low to high with round ticks."""
    step = max(1, round(nice_step(high - low, most)))
    values = [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return ticked(theme, values, fmt.ticks(values), range=[low, high], **axis)


def ticked(
    theme: Theme, values: Sequence[Any], texts: Sequence[str], **axis: Any
) -> dict[str, Any]:
    """An axis with the given ticks, gridlines, and no zoom."""
    return {
        "tickvals": list(values),
        "ticktext": list(texts),
        "tickfont": {"size": 12, "color": theme.soft},
        "tickangle": 0,
        "automargin": True,
        "gridcolor": theme.grid,
        "zeroline": False,
        "showline": False,
        "fixedrange": True,
        **axis,
    }


def vertical(
    fig: go.Figure, x: Any, label: str, colour: str, dash: str = "dot", **text: Any
) -> None:
    """A vertical line over the plot with its label above it."""
    fig.add_shape(
        type="line", x0=x, x1=x, y0=0, y1=1, xref="x", yref="paper",
        line={"color": colour, "width": 1.2, "dash": dash},
    )  # fmt: skip
    fig.add_annotation(
        x=x, y=1, xref="x", yref="paper", yanchor="bottom", showarrow=False, text=label,
        font={"size": 12, "color": colour}, **text,
    )  # fmt: skip
