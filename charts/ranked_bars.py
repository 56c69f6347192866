"""The stages of one band by size: legend, labels and table of the pie in one."""

from collections.abc import Sequence

import plotly.graph_objects as go

from charts.frame import categories, escaped, figure, hidden
from charts.pie import Slice
from charts.theme import Theme, theme
from words import fmt, labels, ngettext

MOST = 12
ROW_PX = 23


def ranked_bars(stages: Sequence[Slice], dark: bool = False, narrow: bool = False) -> go.Figure:
    """One bar per stage, largest first; the 13th and smaller as one. `customdata[0]` is the stage.

    Args:
        stages: (stage id, mean ns, share 0 to 1); zeros are not drawn.
    """
    look = theme(dark)
    rows = _rows(stages, look)
    largest = max((row[2] for row in rows), default=1)
    fig = figure(look, max(1, len(rows)) * ROW_PX + 4)
    fig.update_layout(
        yaxis=categories(look, [row[1] for row in rows]),
        xaxis=hidden(range=[0, largest * (1.6 if narrow else 1.42)]),
    )
    fig.add_trace(
        go.Bar(
            orientation="h",
            x=[row[2] for row in rows],
            y=list(range(len(rows))),
            text=[f"<b>{fmt.ms(row[2])}</b>\u2002{fmt.share(row[3])}" for row in rows],
            textposition="outside", cliponaxis=False, constraintext="none", width=0.62,
            textfont={"size": 13, "color": look.ink},
            marker={"color": [row[4] for row in rows], "cornerradius": 2, "line": {"width": 0}},
            customdata=[[row[0], row[5]] for row in rows],
            hovertemplate="%{customdata[1]}<br>%{text}<extra></extra>",
        )
    )  # fmt: skip
    fig.add_shape(
        type="line", x0=0, x1=0, y0=0, y1=1, yref="paper", line={"color": look.rule, "width": 1}
    )
    return fig


def _rows(stages: Sequence[Slice], look: Theme) -> list[tuple[str, str, int, float, str, str]]:
    """Stage (empty for the rest), label, ns, share, colour and hover of each bar."""
    present = sorted((row for row in stages if row[1] > 0), key=lambda row: (-row[1], row[0]))
    shown = present if len(present) == MOST + 1 else present[:MOST]
    rows = [
        (stage, labels.stage(stage), ns, share, look.stage(stage), escaped(labels.stage(stage)))
        for stage, ns, share in shown
    ]
    if rest := present[len(shown) :]:
        title = ngettext("{count} more stage", "{count} more stages", len(rest))
        ns, share = sum(row[1] for row in rest), sum(row[2] for row in rest)
        names = "<br>".join(f"{escaped(labels.stage(s))} {fmt.ms(n)}" for s, n, _share in rest)
        rows.append(("", title.format(count=len(rest)), ns, share, look.faint, names))
    return rows
