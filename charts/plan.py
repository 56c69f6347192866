"""A plan as steps down from today's percentile to the one after the plan."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from charts.frame import categories, escaped, figure, lengths, vertical
from charts.theme import Theme, theme
from words import _, fmt

ROW_PX: Final = 29

Step = Mapping[str, Any]
"""{title, stage, saving_ns: {low, typical, high}}: what a step adds to those before it."""


def plan(
    steps: Sequence[Step], current_ns: int, slo_ns: int | None = None, dark: bool = False,
    narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """Rows Today, each step, After the plan; the steps hang where the one before ends."""
    look = theme(dark)
    left, ends = current_ns, []
    for step in steps:
        ends.append((left - int(step["saving_ns"]["typical"]), left))
        left = ends[-1][0]
    spells = [(0, current_ns), *ends, (0, left)]
    fig = figure(
        look, max(236, len(spells) * ROW_PX + 44), margin={"l": 0, "r": 0, "t": 22, "b": 22}
    )
    widest = max(max(pair) for pair in spells)
    names = [_("Today"), *(str(step["title"]) for step in steps), _("After the plan")]
    axis = lengths(look, 0, widest * 1.02, 3 if narrow else 4)
    fig.update_layout(yaxis=categories(look, names), xaxis={**axis, "domain": [0, 0.8]})
    fig.add_trace(_bars(steps, spells, names, look))
    for y, (low, high) in enumerate(spells[:-1]):
        at = low if y else high
        fig.add_shape(type="line", x0=at, x1=at, y0=y, y1=y + 1, layer="below",
                      line={"color": look.faint, "width": 1})  # fmt: skip
    texts = [fmt.ms(current_ns), *(fmt.ms_delta(low - high) for low, high in ends), fmt.ms(left)]
    for y, text in enumerate(texts):
        fig.add_annotation(x=1, xref="paper", y=y, yref="y", xanchor="right", showarrow=False,
                           text=f"<b>{text}</b>", font={"size": 13, "color": look.ink})  # fmt: skip
    if slo_ns and slo_ns <= widest:
        label = _("SLO {limit}").format(limit=fmt.plain(slo_ns))
        vertical(fig, slo_ns, label, look.bad, "dash")
    return fig


def _bars(
    steps: Sequence[Step], spells: Sequence[tuple[int, int]], names: Sequence[str], look: Theme
) -> go.Bar:
    colours = [look.accent, *(look.stage(str(step["stage"])) for step in steps), look.accent]
    savings = [{"low": 0, "typical": 0, "high": 0}, *(dict(step["saving_ns"]) for step in steps),
               {"low": 0, "typical": 0, "high": 0}]  # fmt: skip
    changes = [
        fmt.interval(-s["typical"], -s["high"], -s["low"]) if any(s.values()) else ""
        for s in savings
    ]
    return go.Bar(
        orientation="h", base=[max(a, b) for a, b in spells], y=list(range(len(spells))),
        x=[-abs(b - a) for a, b in spells], width=0.62,
        marker={"color": colours, "cornerradius": 2, "line": {"width": 0}},
        error_x={
            "type": "data", "symmetric": False, "color": look.ink, "thickness": 1.5, "width": 3,
            "array": [s["typical"] - s["low"] for s in savings],
            "arrayminus": [s["high"] - s["typical"] for s in savings],
        },
        customdata=[[escaped(name), change] for name, change in zip(names, changes, strict=True)],
        hovertemplate="%{customdata[0]}<br><b>%{customdata[1]}</b><extra></extra>",
    )  # fmt: skip
