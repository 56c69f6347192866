"""The ranking as Markdown: what to fix first, with reasons, effort and risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.markdown import plain, table
from words import _, labels, phrases, savings, techniques


def ranking_markdown(findings: Sequence[Mapping[str, Any]], heading: str, counts: str) -> str:
    """The techniques that apply as a table, the others with their reasons."""
    applying = [f for f in findings if f["applies"]]
    rows = [
        [str(rank), f"**{plain(techniques.title(f['id']))}**", plain(techniques.because(f)),
         plain(" ".join(savings.saving(f)).strip()), savings.effort(f),
         phrases.started(labels.risk(f["risk"]))]
        for rank, f in enumerate(applying, 1)
    ]  # fmt: skip
    head = ["", _("Fix"), _("Because"), _("Saving"), _("Effort"), _("Risk")]
    lines = [f"# {plain(heading)}", "", plain(counts), "", *table(head, rows, 0)]
    others = [f for f in findings if not f["applies"]]
    if others:
        lines += [f"## {_('Do not apply')}", ""]
        lines += [
            f"- **{plain(techniques.title(f['id']))}**: {plain(techniques.because(f))}"
            for f in others
        ]
    return "\n".join([*lines, ""])
