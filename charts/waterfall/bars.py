"""The bars of a waterfall: hulls, unwaited own time, the critical path, asynchronous spans."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from charts.contrast import on, tint
from charts.frame import escaped
from charts.theme import Theme
from charts.waterfall.row import Row
from charts.waterfall.rows import Waterfall
from charts.waterfall.text import hover
from words import fmt, labels


@dataclass(frozen=True)
class Sizes:
    """Heights in px and in rows; `drop` moves bars down; `time_px` is a typical width."""

    row_px: int
    thick: float
    thin: float
    drop: float
    time_px: int
    head_px: int


@dataclass(frozen=True)
class _Bar:
    row: Row
    y: int
    start: int
    end: int
    colour: str
    text: str
    hover: str


def bars(rows: Waterfall, sizes: Sizes, look: Theme) -> list[go.Bar]:
    """The bar traces, those behind first."""
    spans = list(enumerate(rows.rows))
    plain = [(y, row) for y, row in spans if not row.asynchronous]
    hulls = [_hull(y, row, tint(look.faint, 0.28)) for y, row in plain]
    edges = [look.warn if row.overrun else "rgba(0,0,0,0)" for _y, row in plain]
    hatched = [_hull(y, row, look.stage(row.stage)) for y, row in spans if row.asynchronous]
    own = [
        _Bar(row, y, a, b, tint(look.stage(stage), 0.45), "", _part(row, stage, b - a, rows))
        for y, row in plain for stage, a, b in row.own
    ]  # fmt: skip
    path = [
        _Bar(row, y, a, b, look.stage(stage), _inside(stage, b - a, rows.view_ns, sizes),
             _part(row, stage, b - a, rows))
        for y, row in plain for stage, a, b in row.path
    ]  # fmt: skip
    fades = [fade for y, row in spans if row.bound for fade in _fades(y, row, look)]
    crossed = {"shape": ["x" if bar.row.failed else "" for bar in path], "fgcolor": look.bg,
               "fillmode": "overlay", "size": 7, "solidity": 0.18}  # fmt: skip
    hatch = {"shape": "/", "solidity": 0.22, "size": 7, "fillmode": "replace",
             "bgcolor": "rgba(0,0,0,0)", "fgcolor": [bar.colour for bar in hatched]}  # fmt: skip
    return [
        _trace("hulls", hulls, sizes.thin, sizes, line={"color": edges, "width": 1.5}),
        _trace("own", own, sizes.thin, sizes, line={"width": 0}),
        _trace("path", path, sizes.thick, sizes, pattern=crossed,
               line={"color": _edges(path, rows.view_ns, look), "width": 0.5}),
        _trace("asynchronous", hatched, sizes.thick * 0.8, sizes, pattern=hatch,
               line={"color": [bar.colour for bar in hatched], "width": 1.2}),
        _trace("fades", fades, sizes.thick, sizes, line={"width": 0}),
    ]  # fmt: skip


def _edges(path: list[_Bar], view_ns: int, look: Theme) -> list[str]:
    """The ground's colour between parts; a part too short for an edge is drawn up to it."""
    return [look.bg if bar.end - bar.start > view_ns / 200 else bar.colour for bar in path]


def _trace(name: str, items: Iterable[_Bar], width: float, sizes: Sizes, **marker: Any) -> go.Bar:
    found = list(items)
    return go.Bar(
        name=name, orientation="h", width=width,
        x=[(bar.end - bar.start) / 1e6 for bar in found], base=[bar.start / 1e6 for bar in found],
        y=[bar.y + sizes.drop for bar in found],
        text=[bar.text for bar in found], textposition="inside", insidetextanchor="middle",
        textangle=0, constraintext="none",
        insidetextfont={"size": 12, "color": [_ink(bar.colour) for bar in found]},
        marker={"color": [bar.colour for bar in found], **marker},
        customdata=[[bar.row.key, bar.hover] for bar in found],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )  # fmt: skip


def _ink(colour: str) -> str:
    return on(colour) if colour.startswith("#") else "rgba(0,0,0,0)"


def _hull(y: int, row: Row, colour: str) -> _Bar:
    return _Bar(row, y, row.start, row.end, colour, "", hover(row))


def _fades(y: int, row: Row, look: Theme) -> list[_Bar]:
    """The end of a lower bound: two steps in the background's colour leave 45 % and 20 %."""
    piece = max(1, (row.end - row.start) // 25)
    steps = ((row.end - 2 * piece, 0.55), (row.end - piece, 0.80))
    return [_Bar(row, y, at, at + piece, tint(look.bg, a), "", hover(row)) for at, a in steps]


def _part(row: Row, stage: str, ns: int, rows: Waterfall) -> str:
    share = fmt.share(ns / rows.e2e_ns) if rows.e2e_ns else ""
    return f"<b>{escaped(labels.stage(stage))} {fmt.ms(ns)}</b>\u2002{share}<br>{hover(row)}"


def _inside(stage: str, ns: int, view_ns: int, sizes: Sizes) -> str:
    part, name = ns / view_ns, escaped(labels.stage(stage))
    full = f"{name} {fmt.ms(ns)}"
    for text, least in ((full, 0.15), (name, 0.08)):
        if part >= least and len(text) * 6.2 + 8 <= part * sizes.time_px:
            return text
    return ""
