"""The parts of the HTML report, each a function from `ReportData` to markup."""

from collections.abc import Iterable
from html import escape

from reports import rows, svg
from reports.data import ReportData
from words import _, fmt, labels, ngettext


def _table(head: Iterable[tuple[str, str]], body: str) -> str:
    cells = "".join(f'<th scope="col" class="{kind}">{escape(text)}</th>' for text, kind in head)
    return (
        f'<div class="wrap"><table><thead><tr>{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(cells: Iterable[tuple[str, str]]) -> str:
    """A row of cells that are markup already, each with its class."""
    return "<tr>" + "".join(f'<td class="{kind}">{cell}</td>' for cell, kind in cells) + "</tr>"


def _swatch(stage: str) -> str:
    return f'<i style="background:{svg.variable(stage)}"></i>' if stage else ""


def _section(title: str, caption: str, body: str, whole: bool = True) -> str:
    note = f'<p class="soft small">{escape(caption)}</p>' if caption else ""
    kind = ' class="whole"' if whole else ""
    return f"<section{kind}><h2>{escape(title)}</h2>{note}{body}</section>"


def cards(data: ReportData) -> str:
    """The headline figures in one bordered row."""
    return (
        '<div class="cards">'
        + "".join(
            f"<div><span>{escape(card.label)}</span><b>{escape(card.value)}</b>"
            f"<span>{escape(card.note) or '&nbsp;'}</span></div>"
            for card in rows.cards(data)
        )
        + "</div>"
    )


def breakdown(data: ReportData) -> str:
    """The donut with its table."""
    parts = data.shown
    if parts is None or not parts.mean_ns:
        return ""
    head = [(_("Stage"), ""), (_("Group"), ""), (_("Time"), "n"), (_("Share"), "n")]
    body = "".join(
        _row([
            (_swatch(row.stage) + escape(row.label), ""), (escape(row.group), "soft"),
            (row.time, "n"), (row.share, "n"),
        ])
        for row in rows.stage_rows(parts)
    )  # fmt: skip
    caption = _("{band} band, mean").format(band=labels.band(data.band))
    drawn = svg.donut(parts, caption)
    title = _("Where the time goes at {band}").format(band=rows.band_name(data))
    columns = f'<div class="two">{drawn}{_table(head, body)}</div>'
    return _section(title, rows.band_caption(data), columns)


def bands(data: ReportData) -> str:
    """Median, p95 and p99 as bars."""
    shown = {band: parts for band, parts in data.bands.items() if parts.mean_ns}
    if len(shown) < 2:
        return ""
    title = ", ".join(labels.band(band) for band in shown)
    return _section(
        title,
        _("Same order and colours in each bar."),
        f'<div class="wrap">{svg.bands(shown)}</div>',
    )


def fixes(data: ReportData) -> str:
    """The first techniques, each with its bar."""
    best = data.applying[:10]
    if not best:
        return ""
    scale = max(max(f["saving_ns"]["high"], f["saving_ns"]["typical"]) for f in best)
    names = {str(f["id"]): i for i, f in enumerate(best, 1)}
    items = []
    for i, finding in enumerate(best, 1):
        ties = [str(names[t]) for t in finding.get("tie_with") or () if t in names]
        tie = f" · {_tie(ties)}" if ties else ""
        range_ = finding["saving_ns"]
        bar = svg.saving(
            range_["low"], range_["typical"], range_["high"], scale,
            str(finding.get("stage") or "unattributed"),
        )  # fmt: skip
        text = f"{finding.get('because') or ''} {_sentence(rows.effort(finding))}".strip()
        items.append(
            f'<div class="fix"><div><p>{i} <b>{escape(str(finding["title"]))}{escape(tie)}</b></p>'
            f'<p class="soft small">{escape(text)}</p></div>'
            f"<div>{bar}<p>{_emphasised(rows.saving(finding))}</p></div></div>"
        )
    caption = ngettext(
        "Predicted change of {what}, from {count} replayed request, 90\u202f% intervals.",
        "Predicted change of {what}, from {count} replayed requests, 90\u202f% intervals.",
        data.replayed,
    ).format(
        what=f"{labels.objective(data.objective)} {rows.band_name(data)}",
        count=fmt.count(data.replayed),
    )
    return _section(_("What to fix first"), caption, "".join(items), whole=False)


def _tie(ranks: list[str]) -> str:
    listed = ", ".join(ranks[:2])
    if len(ranks) <= 2:
        return _("tie with {ranks}").format(ranks=listed)
    return _("tie with {ranks} and {count} more").format(ranks=listed, count=len(ranks) - 2)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _emphasised(interval: str) -> str:
    estimate, bracket, rest = interval.partition(" (")
    tail = f' <span class="soft small">({escape(rest)}</span>' if bracket else ""
    return f"<b>{escape(estimate)}</b>{tail}"


def plan(data: ReportData) -> str:
    """The steps of the plan together."""
    if not data.plan or not data.plan.get("steps"):
        return ""
    body = "".join(
        _row([
            (_swatch(str(step.get("stage") or "")) + escape(str(step["title"])), ""),
            (escape(rows.saving(step)), "n"),
        ])
        for step in data.plan["steps"]
    )  # fmt: skip
    current, predicted = fmt.ms(data.plan["current_ns"]), fmt.ms(data.plan["predicted_ns"])
    caption = _("{band} {current} → {predicted}, overlaps counted once.").format(
        band=rows.band_name(data), current=current, predicted=predicted
    )
    return _section(_("Plan"), caption, _table([(_("Step"), ""), (_("Change"), "n")], body))


def requests(data: ReportData) -> str:
    """The slowest requests."""
    if not data.requests:
        return ""
    head = [
        (_("Started"), ""), (_("Route"), ""), (_("E2E"), "n"), (_("TTFT"), "n"),
        (_("Where the time went"), ""), (_("Longest stage"), ""), (_("Tokens in"), "n"),
        (_("out"), "n"),
    ]  # fmt: skip
    lines = []
    for request in data.requests:
        cells = [escape(cell) for cell in rows.request_cells(request, data)]
        stages = dict(request.get("stages") or {})
        lines.append(
            _row([
                (cells[0], ""), (cells[1], ""), (cells[2], "n"), (cells[3], "n"),
                (svg.strip(stages), ""), (escape(svg.longest(stages)), ""),
                (cells[4], "n"), (cells[5], "n"),
            ])
        )  # fmt: skip
    return _section(_("Slowest requests"), "", _table(head, "".join(lines)), whole=False)


def limits(data: ReportData) -> str:
    """What the report does not show."""
    text = " ".join(rows.limits(data))
    return _section(_("What this does not show"), "", f'<p class="soft">{escape(text)}</p>')


def appendix(data: ReportData) -> str:
    """All stages and bands, all techniques with reasons, all flags."""
    parts = [_all_stages(data), _all_techniques(data), _all_flags(data)]
    body = "".join(part for part in parts if part)
    return _section(_("Appendix"), "", body, whole=False) if body else ""


def _all_stages(data: ReportData) -> str:
    if not data.bands:
        return ""
    head = [(_("Stage"), "")]
    for band, parts in data.bands.items():
        count = _("n {count}").format(count=fmt.count(parts.band_requests))
        head += [(f"{labels.band(band)}, {count}", "n"), (_("Share"), "n")]
    body = "".join(
        _row([
            (_swatch(stage) + escape(labels.stage(stage) if stage else _("Together")), ""),
            *((cell, "n") for cell in cells),
        ])
        for stage, cells in rows.all_stages(data.bands)
    )  # fmt: skip
    return f"<h3>{escape(_('All stages'))}</h3>{_table(head, body)}"


def _all_techniques(data: ReportData) -> str:
    if not data.findings:
        return ""
    body = "".join(
        _row([
            (escape(str(f["title"])), ""),
            (escape(rows.saving(f)) if f.get("applies") else escape(_("does not apply")), "n"),
            (escape(str(f.get("because") or "")), "soft small"),
        ])
        for f in data.findings
    )  # fmt: skip
    head = [(_("Technique"), ""), (_("Change"), "n"), (_("Because"), "")]
    return f"<h3>{escape(_('All techniques'))}</h3>{_table(head, body)}"


def _all_flags(data: ReportData) -> str:
    body = "".join(
        _row([(escape(name), ""), (count, "n"), (escape(text), "soft small")])
        for name, count, text in rows.flag_rows(data)
    )
    if not body:
        return ""
    head = [(_("Flag"), ""), (_("Spans"), "n"), (_("What it means and does"), "")]
    return f"<h3>{escape(_('Data quality'))}</h3>{_table(head, body)}"
