"""The words of a waterfall: names, lengths and what a row says on hover."""

from collections import Counter
from typing import Final

import plotly.graph_objects as go

from charts.frame import escaped
from charts.theme import Theme
from charts.waterfall_row import Row
from charts.waterfall_rows import Waterfall
from words import _, fmt, labels

DEEPEST: Final = 14
CRAMPED: Final = 6
"""Beyond this depth a level is indented by half, so that names keep their room."""
_STATES: Final = {"open": "▾ ", "closed": "▸ ", "": ""}


def texts(rows: Waterfall, selected: str, look: Theme, narrow: bool) -> list[go.Scatter]:
    """Names at the left and lengths at the right; one line above each bar where narrow."""
    shown = list(enumerate(rows.rows))
    deep = max((row.depth for row in rows.rows), default=0) > CRAMPED
    step = "\u2009" * 3 if narrow else "\u2002" if deep else "\u2003"
    names = [_name(row, row.key == selected, look, narrow, step) for _y, row in shown]
    lift = 0.26 if narrow else 0.0
    traces = [_column(rows, names, [0.0] * len(shown), "middle right", "x2", lift, look)]
    if not narrow:
        lengths = [f'<span style="color:{look.soft}">{length(row)}</span>' for _y, row in shown]
        traces.append(_column(rows, lengths, [1.0] * len(shown), "middle left", "x3", 0.0, look))
    return traces


def _column(
    rows: Waterfall, texts_: list[str], x: list[float], position: str, axis: str, lift: float,
    look: Theme,
) -> go.Scatter:  # fmt: skip
    return go.Scatter(
        mode="text", x=x, y=[y - lift for y in range(len(texts_))], xaxis=axis, text=texts_,
        textposition=position, textfont={"size": 13, "color": look.ink}, cliponaxis=True,
        customdata=[[row.key, hover(row)] for row in rows.rows],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )  # fmt: skip


def _name(row: Row, lit: bool, look: Theme, narrow: bool, step: str) -> str:
    indent = step * min(row.depth, DEEPEST) + ("" if row.state else "\u2002" * (not narrow))
    many = f"{len(row.lengths)} × " if len(row.lengths) > 1 else ""
    name = f"{many}{escaped(row.name) or _('(no name)')}"
    service = escaped(row.service)
    if narrow:
        service = " · ".join(part for part in (service, length(row)) if part)
    soft = f'\u2002<span style="color:{look.soft}">{service}</span>' if service else ""
    return f"{indent}{_STATES[row.state]}{f'<b>{name}</b>' if lit else name}{soft}"


def length(row: Row) -> str:
    """The row's length, `≥` where it is a lower bound."""
    ns = row.end - row.start
    return fmt.at_least(ns) if row.bound else fmt.ms(ns)


def hover(row: Row) -> str:
    """Name · service; time on the critical path by stage; from when to when; the rule."""
    title = " · ".join(escaped(part) for part in (row.name, row.service) if part)
    lines = [f"<b>{title}</b>"]
    if len(row.lengths) > 1:
        middle = row.lengths[len(row.lengths) // 2]
        lines.append(
            _("{count} spans: shortest {low}, median {middle}, longest {high}").format(
                count=len(row.lengths), low=fmt.ms(row.lengths[0]), middle=fmt.ms(middle),
                high=fmt.ms(row.lengths[-1]),
            )
        )  # fmt: skip
    owned: Counter[str] = Counter()
    for stage, low, high in row.path:
        owned[stage] += high - low
    lines += [
        _("{stage} {time} on the critical path").format(
            stage=escaped(labels.stage(stage)), time=fmt.ms(ns)
        )
        for stage, ns in owned.most_common(4)
    ]
    span = _("{start} to {end}").format(start=fmt.ms(row.start), end=fmt.ms(row.end))
    lines.append(f"{span}\u2002({length(row)})")
    if row.moved:
        lines.append(_("moved {time}").format(time=fmt.ms_delta(row.moved)))
    if row.rule:
        lines.append(_("rule {rule}").format(rule=escaped(row.rule)))
    return "<br>".join(lines)
