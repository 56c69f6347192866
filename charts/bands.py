"""Median, p95 and p99 as stacked bars, stages in product order so that bars compare."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from analysis.stages import STAGES
from charts.contrast import on
from charts.frame import categories, escaped, figure, lengths, ticked
from charts.theme import Theme, theme
from words import fmt, labels

Bands = Mapping[str, Mapping[str, int]]
"""Band id (p50, p95, p99, tail …), top to bottom -> {stage: mean ns}."""

NAMED = 0.10
VALUED = 0.047


def bands(
    rows: Bands, in_shares: bool = False, dark: bool = False, narrow: bool = False,
    names: Sequence[str] = (),
) -> go.Figure:  # fmt: skip
    """One stacked bar per band, in time or as shares of each; `customdata[0]` is the stage.

    `names` stand beside the bars where their keys are no bands.
    """
    look = theme(dark)
    totals = [sum(row.values()) for row in rows.values()]
    longest = 1.0 if in_shares else float(max(totals, default=1) or 1)
    fig = figure(look, max(110, 34 + round(166 / 3 * len(rows))), barmode="stack")
    for stage in STAGES:
        values = [row.get(stage, 0) for row in rows.values()]
        if any(values):
            fig.add_trace(_stage_bar(stage, values, totals, longest, in_shares, look, narrow))
    fig.update_layout(
        margin={"l": 0, "r": 0, "t": 4, "b": 0},
        bargap=0.38,
        yaxis=categories(look, list(names) or [labels.band(band) for band in rows]),
        xaxis=_axis(look, longest, in_shares, narrow),
    )
    for y, total in enumerate(totals):
        fig.add_annotation(
            x=1.0 if in_shares else total, y=y, text=f"<b>{fmt.ms(total)}</b>",
            showarrow=False, xanchor="left", xshift=6,
        )  # fmt: skip
    return fig


def _axis(look: Theme, longest: float, in_shares: bool, narrow: bool) -> dict[str, object]:
    room = 1.2 if narrow else 1.07
    if in_shares:
        values = [0, 0.25, 0.5, 0.75, 1]
        return ticked(look, values, [fmt.share(v) for v in values], range=[0, room])
    axis = lengths(look, 0, longest, 4 if narrow else 6)
    return {**axis, "range": [0, longest * room]}


def _stage_bar(
    stage: str, values: list[int], totals: list[int], longest: float,
    in_shares: bool, look: Theme, narrow: bool,
) -> go.Bar:  # fmt: skip
    name, colour = escaped(labels.stage(stage)), look.stage(stage)
    shares = [ns / total if total else 0.0 for ns, total in zip(values, totals, strict=True)]
    sizes = shares if in_shares else [float(ns) for ns in values]
    pairs = list(zip(values, shares, strict=True))
    written = [fmt.share(x) if in_shares else fmt.ms(ns) for ns, x in pairs]
    inside = [
        _inside(name, text, size / longest, narrow)
        for text, size in zip(written, sizes, strict=True)
    ]
    return go.Bar(
        orientation="h", name=name, x=sizes, y=list(range(len(values))),
        text=inside,
        textposition="inside", insidetextanchor="middle", textangle=0, constraintext="none",
        textfont={"size": 12, "color": on(colour)},
        marker={"color": colour, "line": {"color": look.bg, "width": 0 if narrow else 1}},
        customdata=[[stage, fmt.ms(ns), fmt.share(x)] for ns, x in pairs],
        hovertemplate=f"{name}<br><b>%{{customdata[1]}}</b>\u2002%{{customdata[2]}}<extra></extra>",
    )  # fmt: skip


def _inside(name: str, value: str, part: float, narrow: bool) -> str:
    if narrow:
        return value if part >= 2.5 * VALUED else ""
    if part >= max(NAMED, 0.0075 * len(name)):
        return f"{name}<br>{value}"
    return value if part >= VALUED else ""
