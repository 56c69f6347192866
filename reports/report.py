"""The one-file report: a page that needs no server, no script and no network."""

from html import escape
from pathlib import Path
from typing import Final

from reports import rows, sections
from reports.data import ReportData
from reports.style import css
from words import _

_WORDMARK: Final = Path(__file__).resolve().parent.parent / "ui" / "static" / "wordmark.svg"
_PARTS: Final = {
    "breakdown": sections.breakdown,
    "bands": sections.bands,
    "fixes": sections.fixes,
    "plan": sections.plan,
    "requests": sections.requests,
    "limits": sections.limits,
    "appendix": sections.appendix,
}


def html(data: ReportData) -> str:
    """The whole page, every text of a user escaped."""
    body = "".join(part(data) for name, part in _PARTS.items() if name in data.sections)
    title = f"{data.title} · slowpath" if data.title else "slowpath"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{css()}</style></head><body><main>"
        f'<div class="wordmark">{_WORDMARK.read_text(encoding="utf-8")}</div>'
        f"<h1>{escape(data.answer)}</h1>{_next_step(data)}"
        f'<p class="soft small">{escape(data.scope)}</p>{_notes(data)}{sections.cards(data)}{body}'
        f'<footer class="soft small">{escape(rows.origin(data))}</footer></main></body></html>\n'
    )


def _next_step(data: ReportData) -> str:
    return f"<p>{escape(data.next_step)}</p>" if data.next_step else ""


def _notes(data: ReportData) -> str:
    if not data.notes.strip():
        return ""
    paragraphs = "".join(
        f"<p>{escape(text)}</p>" for text in data.notes.strip().split("\n") if text
    )
    return f"<section><h2>{escape(_('Notes'))}</h2>{paragraphs}</section>"
