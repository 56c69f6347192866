"""The words of a waterfall: names, lengths and what a row says on hover."""

from collections import Counter
from typing import Final

import plotly.graph_objects as go

from charts.frame import escaped
from charts.theme import Theme
from charts.waterfall.columns import MARK_PX, Columns, counted
from charts.waterfall.row import Row
from charts.waterfall.rows import Waterfall
from words import _, fmt, labels, page_labels

LIFT: Final = 0.26
"""How far, in rows, names stand above the bars where narrow."""
_STATES: Final = {"open": "▾", "closed": "▸"}


def texts(rows: Waterfall, selected: str, look: Theme, columns: Columns) -> list[go.Scatter]:
    """Fold marks and names at the left, lengths at the right; above the bars where narrow."""
    shown = list(enumerate(rows.rows))
    lift = LIFT if columns.narrow else 0.0
    folds = [(y, row) for y, row in shown if row.state]
    indents = [columns.indent(row.depth) for _y, row in shown]
    behind = MARK_PX / columns.names_px
    names = [_name(row, row.key == selected, look, columns) for _y, row in shown]
    traces = [
        go.Scatter(
            name="folds", mode="text", xaxis="x2", y=[y - lift for y, _row in folds],
            x=[columns.indent(row.depth) + behind / 2 for _y, row in folds],
            text=[_STATES[row.state] for _y, row in folds], textposition="middle center",
            textfont={"size": 13, "color": look.ink}, cliponaxis=True,
            customdata=[[f"toggle:{row.key}", _fold(row)] for _y, row in folds],
            hovertemplate="%{customdata[1]}<extra></extra>",
        ),
        _column(rows, "names", names, [x + behind for x in indents], "middle right", "x2", lift),
    ]  # fmt: skip
    if not columns.narrow:
        lengths = [f'<span style="color:{look.soft}">{length(row)}</span>' for _y, row in shown]
        ends = [1.0] * len(shown)
        traces.append(_column(rows, "lengths", lengths, ends, "middle left", "x3", 0.0))
    for trace in traces:
        trace.textfont = {"size": 13, "color": look.ink}
    return traces


def _column(
    rows: Waterfall, name: str, texts_: list[str], x: list[float], position: str, axis: str,
    lift: float,
) -> go.Scatter:  # fmt: skip
    return go.Scatter(
        name=name, mode="text", x=x, y=[y - lift for y in range(len(texts_))], xaxis=axis,
        text=texts_, textposition=position, cliponaxis=True,
        customdata=[[row.key, hover(row)] for row in rows.rows],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )  # fmt: skip


def _fold(row: Row) -> str:
    return _("Open what is under it") if row.state == "closed" else _("Fold what is under it")


def _name(row: Row, lit: bool, look: Theme, columns: Columns) -> str:
    room = columns.letters(row.depth)
    name = _cut(counted(row) + (page_labels.span_name(row.name, row.key)), room)
    service = row.service
    if columns.narrow:
        service = " · ".join(part for part in (service, length(row)) if part)
    service = _cut(service, room - len(name) - 1) if room - len(name) > 3 else ""
    soft = f'\u2002<span style="color:{look.soft}">{escaped(service)}</span>' if service else ""
    return f"<b>{escaped(name)}</b>{soft}" if lit else f"{escaped(name)}{soft}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(1, most - 1)].rstrip()}…"


def length(row: Row) -> str:
    """The row's length, `≥` where it is a lower bound."""
    ns = row.end - row.start
    return fmt.at_least(ns) if row.bound else fmt.ms(ns)


def hover(row: Row) -> str:
    """Name · service; time on the critical path by stage; from when to when; the rule."""
    name = page_labels.span_name(row.name, row.key)
    title = " · ".join(escaped(part) for part in (name, row.service) if part)
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
    on_path = _("{stage} {time} on the critical path")
    lines += [
        on_path.format(stage=escaped(labels.stage(stage)), time=fmt.ms(ns))
        for stage, ns in owned.most_common(4)
    ]
    span = _("{start} to {end}").format(start=fmt.ms(row.start), end=fmt.ms(row.end))
    lines.append(f"{span}\u2002({length(row)})")
    if row.moved:
        lines.append(_("moved {time}").format(time=fmt.ms_delta(row.moved)))
    if row.rule:
        lines.append(_("rule {rule}").format(rule=escaped(row.rule)))
    return "<br>".join(lines)
