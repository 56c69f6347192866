"""Where the time of one band goes: groups inside, their stages outside, the total in the middle."""

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from analysis.stages import GROUP_OF
from charts.contrast import on, tint
from charts.frame import escaped, figure
from charts.theme import Theme, theme
from words import _, fmt, labels, ngettext

Slice = tuple[str, int, float]
"""Stage id, mean ns, share (0 to 1)."""

SMALL = 0.012
"""Stages under this share fold into one slice per group."""


class _Sector(NamedTuple):
    id: str
    parent: str
    ns: int
    colour: str
    text: str
    text_colour: str
    hover: str


def drawable(stages: Sequence[Slice]) -> bool:
    """Whether a pie says more than bars: three stages or more, none over 97 %."""
    shares = [share for _stage, ns, share in stages if ns > 0]
    return len(shares) >= 3 and max(shares) <= 0.97


def pie(
    stages: Sequence[Slice], total_ns: int, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """A two-ring pie of one band; ids are stage ids, `g:<group>`, `rest:<group>` and `all`.

    Args:
        stages: (stage id, mean ns, share 0 to 1), zeros allowed; their ns sum to `total_ns`.
        total_ns: the band's mean, shown in the middle.
    """
    look = theme(dark)
    sectors = _sectors([row for row in stages if row[1] > 0], total_ns, look)
    fig = figure(look, 296, uniformtext={"minsize": 11, "mode": "hide"})
    fig.add_trace(
        go.Sunburst(
            ids=[s.id for s in sectors],
            labels=[s.id for s in sectors],
            parents=[s.parent for s in sectors],
            values=[s.ns for s in sectors],
            text=[s.text for s in sectors],
            customdata=[[s.id, s.hover] for s in sectors],
            hovertemplate="%{customdata[1]}<extra></extra>",
            branchvalues="total", textinfo="text", sort=False, rotation=90,
            insidetextorientation="horizontal",
            insidetextfont={"size": 13, "color": [s.text_colour for s in sectors]},
            marker={
                "colors": [s.colour for s in sectors],
                "line": {"color": look.bg, "width": 1.5},
            },
            leaf={"opacity": 1},
        )
    )  # fmt: skip
    return fig


def _sectors(stages: list[Slice], total_ns: int, look: Theme) -> list[_Sector]:
    middle = f'<b><span style="font-size:20px">{fmt.ms(total_ns)}</span></b>'
    whole, drawn = f"{_('All stages')}<br><b>{fmt.ms(total_ns)}</b>", _ns(stages)
    root = _Sector("all", "", drawn, "rgba(0,0,0,0)", middle, look.ink, whole)
    groups: dict[str, list[Slice]] = {}
    for row in stages:
        groups.setdefault(GROUP_OF.get(row[0], "unattributed"), []).append(row)
    inner, outer = [], []
    for group, rows in sorted(groups.items(), key=lambda item: (_ns(item[1]), item[0])):
        inner.append(_group(group, rows, look))
        outer += _rest(group, [row for row in rows if row[2] < SMALL], look)
        big = [row for row in rows if row[2] >= SMALL]
        outer += [_stage(row, group, look) for row in sorted(big, key=lambda r: (r[1], r[0]))]
    return [root, *inner, *outer]


def _ns(rows: list[Slice]) -> int:
    return sum(ns for _stage, ns, _share in rows)


def _line(name: str, ns: int, share: float) -> str:
    return f"{escaped(name)}<br><b>{fmt.ms(ns)}</b>\u2002{fmt.share(share)}"


def _group(group: str, rows: list[Slice], look: Theme) -> _Sector:
    share, colour = sum(row[2] for row in rows), look.groups[group]
    text = fmt.share(share) if share >= 0.055 else ""
    hover = _line(labels.group(group), _ns(rows), share)
    return _Sector(f"g:{group}", "all", _ns(rows), colour, text, on(colour), hover)


def _stage(row: Slice, group: str, look: Theme) -> _Sector:
    stage, ns, share = row
    colour = look.stage(stage)
    text = escaped(labels.stage(stage)).replace(" ", "<br>") if share >= 0.075 else ""
    hover = _line(labels.stage(stage), ns, share)
    return _Sector(stage, f"g:{group}", ns, colour, text, on(colour), hover)


def _rest(group: str, rows: list[Slice], look: Theme) -> list[_Sector]:
    if not rows:
        return []
    listed = sorted(rows, key=lambda row: (-row[1], row[0]))
    title = ngettext("{count} small stage", "{count} small stages", len(rows)).format(
        count=len(rows)
    )
    parts = [f"{escaped(labels.stage(s))} {fmt.ms(ns)}\u2002{fmt.share(x)}" for s, ns, x in listed]
    hover = "<br>".join([f"<b>{title}</b>", *parts])
    colour = tint(look.groups[group], 0.45)
    return [_Sector(f"rest:{group}", f"g:{group}", _ns(rows), colour, "", look.ink, hover)]
