"""The report as Markdown: the same order, shares as numbers, no drawings."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reports import rows, svg
from reports.data import ReportData
from words import _, fmt, labels

_BLANK = re.compile(r"[\x00-\x20\x7f\u2028\u2029]+")  # thin spaces hold numbers together
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def plain(text: object) -> str:
    """Text of a user on one line, every character that Markdown reads escaped."""
    return _SPECIAL.sub(r"\\\1", _BLANK.sub(" ", str(text)).strip(" "))


def table(head: Sequence[str], body: Iterable[Sequence[str]], numbers: int) -> list[str]:
    """A table whose last `numbers` columns are right-aligned."""
    rule = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)] + [""]


def markdown(data: ReportData) -> str:
    """The whole report."""
    lines = [f"# {plain(data.answer)}", ""]
    for text in (data.next_step, data.scope, data.notes):
        lines += [plain(text), ""] if text.strip() else []
    cards = rows.cards(data)
    lines += table(
        [_("Figure"), _("Value"), _("Interval or note")],
        [[c.label, c.value, c.note] for c in cards],
        2,
    )
    parts = {
        "breakdown": _breakdown, "fixes": _fixes, "plan": _plan, "requests": _requests,
        "limits": _limits, "appendix": _appendix,
    }  # fmt: skip
    for name, part in parts.items():
        lines += part(data) if name in data.sections else []
    return "\n".join([*lines, plain(rows.origin(data)), ""])


def _breakdown(data: ReportData) -> list[str]:
    if data.shown is None or not data.shown.mean_ns:
        return []
    title = _("Where the time goes at {band}").format(band=rows.band_name(data))
    head = [_("Stage"), _("Group"), _("Time"), _("Share")]
    body = [row[1:] for row in rows.stage_rows(data.shown)]
    return [f"## {title}", "", rows.band_caption(data), "", *table(head, body, 2)]


def _fixes(data: ReportData) -> list[str]:
    if not data.applying:
        return []
    lines = [f"## {_('What to fix first')}", ""]
    for i, finding in enumerate(data.applying[:10], 1):
        because = plain(finding.get("because") or "")
        lines.append(f"{i}. **{plain(finding['title'])}**: {rows.saving(finding)}. {because}")
        lines[-1] = f"{lines[-1].rstrip()} ({rows.effort(finding)})"
    return [*lines, ""]


def _plan(data: ReportData) -> list[str]:
    if not data.plan or not data.plan.get("steps"):
        return []
    body = [[plain(step["title"]), rows.saving(step)] for step in data.plan["steps"]]
    change = f"{fmt.ms(data.plan['current_ns'])} → {fmt.ms(data.plan['predicted_ns'])}"
    head = [_("Step"), _("Change")]
    return [f"## {_('Plan')}", "", f"{rows.band_name(data)} {change}", "", *table(head, body, 1)]


def _requests(data: ReportData) -> list[str]:
    if not data.requests:
        return []
    head = [
        _("Started"), _("Route"), _("Longest stage"), _("E2E"), _("TTFT"), _("Tokens in"), _("out"),
    ]  # fmt: skip
    body = []
    for request in data.requests:
        started, route, *numbers = (plain(cell) for cell in rows.request_cells(request, data))
        body.append([started, route, svg.longest(dict(request.get("stages") or {})), *numbers])
    return [f"## {_('Slowest requests')}", "", *table(head, body, 4)]


def _limits(data: ReportData) -> list[str]:
    return [f"## {_('What this does not show')}", "", " ".join(rows.limits(data)), ""]


def _appendix(data: ReportData) -> list[str]:
    lines: list[str] = []
    if data.bands:
        head = [_("Stage")]
        for band in data.bands:
            head += [labels.band(band), _("Share")]
        body = [
            [labels.stage(stage) if stage else _("Together"), *cells]
            for stage, cells in rows.all_stages(data.bands)
        ]
        lines += [f"### {_('All stages')}", "", *table(head, body, len(head) - 1)]
    if data.findings:
        body = [[plain(f["title"]), *_claim(f)] for f in data.findings]
        head = [_("Technique"), _("Because"), _("Change")]
        lines += [f"### {_('All techniques')}", "", *table(head, body, 1)]
    if flags := rows.flag_rows(data):
        head = [_("Flag"), _("What it means and does"), _("Spans")]
        body = [[name, text, count] for name, count, text in flags]
        lines += [f"### {_('Data quality')}", "", *table(head, body, 1)]
    return [f"## {_('Appendix')}", "", *lines] if lines else []


def _claim(finding: Mapping[str, Any]) -> list[str]:
    if finding.get("applies"):
        return [plain(finding.get("because") or ""), rows.saving(finding)]
    return [plain(finding.get("because") or ""), _("does not apply")]
