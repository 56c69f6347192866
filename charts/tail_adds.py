"""What a slow band adds to the median, stage by stage: the call-out under the bands."""

from collections.abc import Mapping
from typing import NamedTuple

import plotly.graph_objects as go

from analysis.stages import STAGES
from charts.frame import categories, escaped, figure, hidden
from charts.theme import Theme, theme
from words import fmt, labels, ngettext

ROW_PX = 25


class _Row(NamedTuple):
    stage: str
    label: str
    ns: int
    colour: str
    before: float
    after: float


def tail_adds(
    base: Mapping[str, int], slow: Mapping[str, int], most: int = 8,
    dark: bool = False, narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """Mean of the slow band less that of the median band, per stage, largest change first.

    Args:
        base: {stage: mean ns} of the median band.
        slow: {stage: mean ns} of the slow band.
        most: rows before the rest is folded into one.
    """
    look = theme(dark)
    rows = _rows(base, slow, most, look)
    low = min([0, *(row.ns for row in rows)])
    high = max([0, *(row.ns for row in rows)])
    span = (high - low) or 1
    left = 0.5 if narrow else 0.3
    fig = figure(look, max(1, len(rows)) * ROW_PX + 4)
    fig.update_layout(
        yaxis=categories(look, [row.label for row in rows]),
        xaxis=hidden(
            range=[low - (left * span if low < 0 else 0), high + span * (0.6 if narrow else 0.42)]
        ),
    )
    fig.add_trace(
        go.Bar(
            orientation="h", x=[row.ns for row in rows], y=list(range(len(rows))),
            text=[_text(row, narrow) for row in rows],
            textposition="outside", cliponaxis=False, constraintext="none", width=0.62,
            textfont={"size": 13, "color": look.ink},
            marker={"color": [row.colour for row in rows], "cornerradius": 2, "line": {"width": 0}},
            customdata=[[row.stage, escaped(row.label), _text(row, False)] for row in rows],
            hovertemplate="%{customdata[1]}<br>%{customdata[2]}<extra></extra>",
        )
    )  # fmt: skip
    fig.add_shape(
        type="line", x0=0, x1=0, y0=0, y1=1, yref="paper", line={"color": look.rule, "width": 1}
    )
    return fig


def _text(row: _Row, narrow: bool) -> str:
    change = f"<b>{fmt.ms_delta(row.ns)}</b>"
    return change if narrow else f"{change}\u2002{fmt.share(row.before)} → {fmt.share(row.after)}"


def _rows(base: Mapping[str, int], slow: Mapping[str, int], most: int, look: Theme) -> list[_Row]:
    before, after = sum(base.values()) or 1, sum(slow.values()) or 1
    order = {stage: i for i, stage in enumerate(STAGES)}
    found = [
        _Row(
            stage, labels.stage(stage), slow.get(stage, 0) - base.get(stage, 0), look.stage(stage),
            base.get(stage, 0) / before, slow.get(stage, 0) / after,
        )
        for stage in sorted({*base, *slow}, key=lambda name: (order.get(name, 99), name))
    ]  # fmt: skip
    ranked = sorted((row for row in found if row.ns), key=lambda row: -abs(row.ns))
    shown = ranked if len(ranked) == most + 1 else ranked[:most]
    rest = ranked[len(shown) :]
    if rest:
        title = ngettext("{count} more stage", "{count} more stages", len(rest))
        shares = sum(row.before for row in rest), sum(row.after for row in rest)
        total = sum(row.ns for row in rest)
        shown = [*shown, _Row("", title.format(count=len(rest)), total, look.faint, *shares)]
    return shown
