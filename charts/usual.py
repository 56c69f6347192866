"""One request against its peers: where each stage lies among what is usual for it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from charts.contrast import tint
from charts.frame import categories, escaped, figure, ticked
from charts.theme import Theme, theme
from words import fmt, labels

ROW_PX: Final = 28
RATIO_PX: Final = 56
"""Room for the ratios behind the plot."""

FAR: Final = 1000
"""From this many times the usual on, and where that is 0, the added time says more."""

Usual = Mapping[str, Any]
"""{stage, value_ns, p5_ns, p50_ns, p95_ns}: this request, and its peers' percentiles."""


def usual(rows: Sequence[Usual], dark: bool = False, narrow: bool = False) -> go.Figure:
    """Per stage the peers' p5 to p95, their median and this request's dot, on a log axis.

    Args:
        rows: in the order shown; a stage whose peers' median is 0 has no ratio.
    """
    look = theme(dark)
    count = max(1, len(rows))
    fig = figure(
        look,
        count * ROW_PX + 26,
        barmode="overlay",
        margin={"l": 0, "r": RATIO_PX, "t": 0, "b": 22},
    )
    low, high = _ends(rows)
    fig.update_layout(**_axes(rows, low, high, look))
    spans = [(_ms(row["p5_ns"], low), _ms(row["p95_ns"], low)) for row in rows]
    hovers = [[str(row["stage"]), _hover(row)] for row in rows]
    seen = {"customdata": hovers, "hovertemplate": "%{customdata[1]}<extra></extra>"}
    y = list(range(len(rows)))
    fig.add_trace(
        go.Bar(
            orientation="h", base=[a for a, _b in spans], x=[b - a for a, b in spans], y=y,
            width=0.4, marker={"color": tint(look.faint, 0.30), "line": {"width": 0}}, **seen,
        )
    )  # fmt: skip
    fig.add_trace(
        go.Scatter(
            mode="markers", x=[_ms(row["p50_ns"], low) for row in rows], y=y, hoverinfo="skip",
            marker={"symbol": "line-ns", "size": 14, "line": {"width": 2, "color": look.soft}},
        )
    )  # fmt: skip
    dots = {"size": 10, "color": [look.stage(str(row["stage"])) for row in rows]}
    values = [_ms(row["value_ns"], low) for row in rows]
    fig.add_trace(go.Scatter(mode="markers", x=values, y=y, marker=dots, cliponaxis=False, **seen))
    _ratios(fig, rows, look)
    return fig


def _ratios(fig: go.Figure, rows: Sequence[Usual], look: Theme) -> None:
    for number, row in enumerate(rows):
        fig.add_annotation(
            text=_ratio(row, look.ink, look.soft), x=1, xref="paper", xanchor="right",
            xshift=RATIO_PX, y=number, showarrow=False, font={"size": 13},
        )  # fmt: skip


def _axes(rows: Sequence[Usual], low: float, high: float, look: Theme) -> dict[str, Any]:
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    step = -3 if last - first > 3 else -2 if last - first > 2 else -1
    decades = [10.0**d for d in range(last, first - 1, step)]
    texts = fmt.ticks([round(value * 1e6) for value in decades])
    ends = [math.log10(low), math.log10(high)]
    return {
        "yaxis": categories(look, [labels.stage(str(row["stage"])) for row in rows]),
        "xaxis": ticked(look, decades, texts, type="log", range=ends),
    }


def unusual(row: Usual) -> bool:
    """Whether this request lies clearly beyond its peers' p95."""
    return bool(row["value_ns"] > row["p95_ns"] * 1.05)


def _ends(rows: Sequence[Usual]) -> tuple[float, float]:
    names = ("value_ns", "p5_ns", "p50_ns", "p95_ns")
    values = [float(row[name]) / 1e6 for row in rows for name in names if row[name] > 0]
    low, high = min(values, default=1.0), max(values, default=100.0)
    return max(low * 0.7, high / 1e5), high * 1.4


def _ms(ns: float, low: float) -> float:
    return max(float(ns) / 1e6, low)


def _ratio(row: Usual, ink: str, soft: str) -> str:
    near = bool(row["p50_ns"]) and row["value_ns"] < FAR * row["p50_ns"]
    added = fmt.ms_delta(row["value_ns"] - row["p50_ns"])
    ratio = fmt.ratio(row["value_ns"] / row["p50_ns"]) if near else added
    if unusual(row):
        return f'<b><span style="color:{ink}">{ratio}</span></b>'
    return f'<span style="color:{soft}">{ratio}</span>'


def _hover(row: Usual) -> str:
    peers = f"p5 {fmt.ms(row['p5_ns'])} · p50 {fmt.ms(row['p50_ns'])} · p95 {fmt.ms(row['p95_ns'])}"
    return f"{escaped(labels.stage(str(row['stage'])))} <b>{fmt.ms(row['value_ns'])}</b><br>{peers}"
