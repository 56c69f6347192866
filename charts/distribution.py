"""Two distributions of latency on one logarithmic axis: today, and with the changes."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from charts.contrast import tint
from charts.frame import figure, hidden, ticked
from charts.log_bins import LogBins
from charts.theme import theme
from words import _, fmt

BINS = 40


def distribution(
    today_ns: Sequence[int], changed_ns: Sequence[int], names: tuple[str, str],
    dark: bool = False, narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """Shares of requests per bin as two step lines: A soft, B filled in the accent.

    Args:
        today_ns, changed_ns: one length per request, none missing.
        names: what A and B are; they stand at the top of their lines.
    """
    look = theme(dark)
    sides = [np.asarray(list(values), dtype="float64") for values in (today_ns, changed_ns)]
    bins = LogBins(np.concatenate(sides), 24 if narrow else BINS)
    fig = figure(look, 240, hovermode="x unified", margin={"l": 0, "r": 0, "t": 22, "b": 22})
    positions, texts = bins.ticks()
    fig.update_layout(
        xaxis=ticked(look, positions, texts, range=[-0.5, bins.count - 0.5], showgrid=False),
        yaxis=hidden(rangemode="tozero"),
    )
    for values, name, colour in zip(sides, names, (look.soft, look.accent), strict=True):
        counts = np.bincount(bins.indices(values), minlength=bins.count)
        shares = [float(n) / max(1, len(values)) for n in counts]
        fill = {"fill": "tozeroy", "fillcolor": tint(colour, 0.12)} if colour == look.accent else {}
        fig.add_trace(
            go.Scatter(
                mode="lines", x=list(range(bins.count)), y=shares, name=name,
                line={"color": colour, "width": 2, "shape": "hvh"}, **fill,
                customdata=[[bins.text(i), fmt.share(x)] for i, x in enumerate(shares)],
                hovertemplate="%{customdata[0]} <b>%{customdata[1]}</b>",
            )
        )  # fmt: skip
        peak = int(np.argmax(shares))
        right = colour == look.soft
        fig.add_annotation(
            x=peak, y=shares[peak], text=_("{side} {name}").format(
                side="<b>A</b>" if right else "<b>B</b>", name=name),
            showarrow=False, yanchor="bottom", xanchor="left" if right else "right",
            xshift=6 if right else -6, font={"size": 12, "color": colour},
        )  # fmt: skip
    return fig
