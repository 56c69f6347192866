"""What stands on the bars of a waterfall: first tokens, token ticks, moved clocks, row tints."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from charts.contrast import tint
from charts.theme import Theme
from charts.waterfall.bars import Sizes
from charts.waterfall.row import Row
from charts.waterfall.rows import Waterfall
from charts.waterfall.text import hover
from words import _, fmt

TICK_PX = 6


def marks(rows: Waterfall, sizes: Sizes, look: Theme) -> list[go.Scatter]:
    """Scatter traces over the bars."""
    shown = list(enumerate(rows.rows))
    first = [(y, row, row.first_token) for y, row in shown if row.first_token is not None]
    moved = [(y, row) for y, row in shown if row.moved]
    ticks = [(y, at) for y, row in shown for at in token_ticks(row, rows.view_ns, sizes.time_px)]
    return [
        go.Scatter(
            name="tokens", mode="markers", x=[at / 1e6 for _y, at in ticks],
            y=[y + sizes.drop + sizes.thick / 2 + 0.06 for y, _at in ticks], hoverinfo="skip",
            marker={"symbol": "line-ns", "size": 4, "line": {"width": 1, "color": look.soft}},
        ),
        go.Scatter(
            name="first_tokens", mode="markers", x=[at / 1e6 for _y, _row, at in first],
            y=[y + sizes.drop for y, _row, _at in first],
            marker={"symbol": "diamond", "size": 11, "color": look.bg,
                    "line": {"width": 1.6, "color": look.ink}},
            customdata=[[row.key, _first(row, at)] for _y, row, at in first],
            hovertemplate="%{customdata[1]}<extra></extra>",
        ),
        go.Scatter(
            name="moved", mode="text", x=[_beside(row, rows)[0] / 1e6 for _y, row in moved],
            y=[y + sizes.drop for y, _row in moved],
            text=[_moved(row) for _y, row in moved],
            textposition=[_beside(row, rows)[1] for _y, row in moved],
            textfont={"size": 12, "color": look.warn},
            customdata=[[row.key, hover(row)] for _y, row in moved],
            hovertemplate="%{customdata[1]}<extra></extra>",
        ),
    ]  # fmt: skip


def token_ticks(row: Row, view_ns: int, time_px: int) -> Sequence[float]:
    """Where output tokens are ticked, 6 px apart or more: as recorded, else evenly every k-th."""
    if row.instants:
        return _apart(row.instants, TICK_PX * view_ns / max(1, time_px))
    if row.tokens is None:
        return []
    start, end, count = row.tokens
    apart = (end - start) / (count - 1)
    every = max(1, -(-TICK_PX * view_ns // max(1, int(apart * time_px))))
    return [start + i * apart for i in range(0, count, every)] if every < count else []


def _apart(instants: Sequence[int], least_ns: float) -> list[float]:
    """The instants that are drawn: each at least so far behind the one drawn before."""
    drawn: list[float] = []
    for at in instants:
        if not drawn or at - drawn[-1] >= least_ns:
            drawn.append(at)
    return drawn


def _first(row: Row, at: int) -> str:
    return f"<b>{_('First token')} {fmt.ms(at)}</b><br>{hover(row)}"


def _moved(row: Row) -> str:
    return "\u2009" + _("moved {time}").format(time=fmt.ms_delta(row.moved)) + "\u2009"


def _beside(row: Row, rows: Waterfall) -> tuple[int, str]:
    """Left of the bar; right of it where the left has no room."""
    if row.start > 0.2 * rows.view_ns:
        return row.start, "middle left"
    return row.end, "middle right"


def row_tints(rows: Waterfall, selected: str, look: Theme) -> list[dict[str, Any]]:
    """Every other row tinted, as one shape, and the selected row."""
    odd = list(range(1, len(rows.rows), 2))
    lit = [y for y, row in enumerate(rows.rows) if row.key == selected]
    return [
        _band(ys, tint(colour, share))
        for ys, colour, share in ((odd, look.faint, 0.06), (lit, look.accent, 0.10)) if ys
    ]  # fmt: skip


def _band(ys: list[int], colour: str) -> dict[str, Any]:
    path = "".join(f"M0,{y - 0.5}L1,{y - 0.5}L1,{y + 0.5}L0,{y + 0.5}Z" for y in ys)
    return {"type": "path", "path": path, "xref": "paper", "yref": "y", "layer": "below",
            "fillcolor": colour, "line": {"width": 0}}  # fmt: skip
