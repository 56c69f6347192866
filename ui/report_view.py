"""The Report page: what goes in, a preview, downloads."""

from __future__ import annotations

import time

import streamlit as st

from reports import build
from reports.commands import FORMATS
from reports.data import SECTIONS, ReportData
from services.scope import Scope
from ui import look, session
from words import _, fmt, page_labels

TYPES = {"html": "text/html", "md": "text/markdown", "json": "application/json", "csv": "text/csv"}


def show(scope: Scope) -> None:
    """Choices at the left, the file at the right."""
    st.markdown(f"## {_('One file for your team: no server, no script, no prompt text.')}")
    left, right = st.columns([1, 2])
    with left:
        wanted = _choices()
        data = build.report(session.store(), scope, wanted)
        _downloads(data)
    with right.container(border=True):
        st.iframe(FORMATS["html"](data), height=900, alt=_("Preview of the report"))


def _choices() -> build.Wanted:
    title = st.text_input(_("Title"), key="report_title", placeholder=_("Data set and date"))
    notes = st.text_area(_("Notes"), key="report_notes")
    sections = st.pills(
        _("Sections"), SECTIONS, selection_mode="multi", default=SECTIONS, key="report_sections",
        format_func=page_labels.section, wrap=True,
    )  # fmt: skip
    return build.Wanted(
        title=title or "",
        notes=notes or "",
        sections=tuple(name for name in SECTIONS if name in sections),
        tz=look.zone(),
        made_ns=time.time_ns() // 86_400_000_000_000 * 86_400_000_000_000,
    )


def _downloads(data: ReportData) -> None:
    for ending, written in FORMATS.items():
        text = written(data)
        st.download_button(
            _("Download .{ending}").format(ending=ending), text, f"slowpath-report.{ending}",
            TYPES[ending], on_click="ignore", icon=":material/download:", key=f"get-{ending}",
            help=fmt.bytes_(len(text.encode())),
        )  # fmt: skip
    size = fmt.bytes_(len(FORMATS["html"](data).encode()))
    st.caption(_("The page is {size} and contains no prompt text.").format(size=size))
