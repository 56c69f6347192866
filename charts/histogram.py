"""The distribution of latency on a logarithmic axis, with the SLO and two percentiles."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from charts.frame import figure, nice_step, ticked, vertical
from charts.log_bins import LogBins
from charts.theme import Theme, theme
from words import _, fmt

BINS = 34


def histogram(
    values_ns: Sequence[int], slo_ns: int | None = None, p50_ns: int | None = None,
    p95_ns: int | None = None, dark: bool = False, narrow: bool = False,
) -> go.Figure:  # fmt: skip
    """Requests per bin of equal ratio: within the SLO faint, beyond it in the accent.

    Args:
        values_ns: one length per request, none missing.
    """
    look = theme(dark)
    values = np.asarray(list(values_ns), dtype="float64")
    bins = LogBins(values, 20 if narrow else BINS)
    if slo_ns and len(values):
        bins = _with_an_edge_at(slo_ns, bins)
    counts = np.bincount(bins.indices(values), minlength=bins.count)
    beyond = [bool(slo_ns) and bins.edge(i + 0.5) > (slo_ns or 0) for i in range(bins.count)]
    fig = figure(look, 170, bargap=0.06, margin={"l": 0, "r": 0, "t": 20, "b": 0})
    fig.add_trace(
        go.Bar(
            x=list(range(bins.count)), y=[int(n) for n in counts],
            marker={"color": [look.accent if over else look.faint for over in beyond]},
            customdata=[
                [bins.text(i), fmt.count(int(n)), bins.edge(i), bins.edge(i + 1)]
                for i, n in enumerate(counts)
            ],
            hovertemplate="%{customdata[0]}<br><b>%{customdata[1]}</b><extra></extra>",
        )
    )  # fmt: skip
    positions, texts = bins.ticks()
    step = max(1, round(nice_step(max(1, int(counts.max())), 3)))
    heights = list(range(0, int(counts.max()) + 1, step))
    fig.update_layout(
        xaxis=ticked(look, positions, texts, range=[-0.6, bins.count - 0.4], showgrid=False),
        yaxis=ticked(
            look, heights, [fmt.count(n) for n in heights], automargin=True, rangemode="tozero"
        ),
    )
    _lines(fig, bins, {"p50": p50_ns, "p95": p95_ns}, slo_ns, look, 0.22 if narrow else 0.09)
    return fig


def _with_an_edge_at(slo_ns: int, bins: LogBins) -> LogBins:
    """The bins moved by less than one, so that none holds requests on both sides of the SLO."""
    part = bins.position(slo_ns) % 1
    bins.low -= (1 - part) * bins.ratio if part else 0
    bins.count += 1 if part else 0
    return bins


def _lines(
    fig: go.Figure, bins: LogBins, percentiles: dict[str, int | None], slo_ns: int | None,
    look: Theme, apart: float,
) -> None:  # fmt: skip
    """Lines with labels; one that would touch a label already set stays without."""
    taken: list[float] = []
    if slo_ns and -0.5 <= bins.position(slo_ns) - 0.5 <= bins.count - 0.5:
        label = _("SLO {limit}").format(limit=fmt.plain(slo_ns))
        vertical(fig, bins.position(slo_ns) - 0.5, label, look.bad, "dash")
        taken.append(bins.position(slo_ns))
    for name in ("p95", "p50"):
        if ns := percentiles[name]:
            at = bins.position(ns)
            free = all(abs(at - other) >= apart * bins.count for other in taken)
            vertical(fig, at - 0.5, f"{name} {fmt.ms(ns)}" if free else "", look.soft)
            taken += [at] if free else []
