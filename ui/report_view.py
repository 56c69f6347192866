"""The Report page: what goes in, a preview, downloads."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

import streamlit as st

from reports import build
from reports.commands import FORMATS
from reports.data import SECTIONS, ReportData
from services.scope import PERCENTILES, Scope
from ui import look, session
from words import _, fmt, page_labels

TYPES: Final = {
    "html": "text/html", "md": "text/markdown", "json": "application/json", "csv": "text/csv",
}  # fmt: skip
HEIGHT: Final = 1100
"""Pixels of the preview; beyond, it scrolls like the file itself."""


@st.cache_data(show_spinner=False, max_entries=16)
def _data(revision: int, scope: Scope, percentile: int, tz: str) -> ReportData:
    """The report's figures, kept per revision and scope; sections and notes change none."""
    assert revision >= 0  # part of the key: another revision, another report
    wanted = build.Wanted(percentile=percentile, tz=tz, made_ns=time.time_ns())
    return build.report(session.store(), scope, wanted)


def _chosen(scope: Scope, wanted: build.Wanted) -> ReportData:
    data = _data(session.store().revision, scope, wanted.percentile, wanted.tz)
    return replace(
        data, title=wanted.title or data.title, notes=wanted.notes, sections=wanted.sections
    )


def show(scope: Scope) -> None:
    """Choices at the left, the file at the right."""
    st.markdown(f"## {_('One file for your team: no server, no script, no prompt text.')}")
    left, right = st.columns([1, 2])
    with left:
        wanted = _choices()
        with st.spinner(_("Building the report")):
            data = _chosen(scope, wanted)
        files = {ending: written(data) for ending, written in FORMATS.items()}
        _downloads(files)
    with right.container(border=True):
        st.iframe(files["html"], height=HEIGHT, alt=_("Preview of the report"))


def _choices() -> build.Wanted:
    title = st.text_input(_("Title"), key="report_title", placeholder=_("Data set and date"))
    notes = st.text_area(_("Notes"), key="report_notes", placeholder=_("What you want to add"))
    percentile = st.segmented_control(
        _("Percentile"), PERCENTILES, default=95, required=True, key="report_percentile",
        format_func=lambda p: f"p{p}",
    )  # fmt: skip
    sections = st.pills(
        _("Sections"), SECTIONS, selection_mode="multi", default=SECTIONS, key="report_sections",
        format_func=page_labels.section, wrap=True,
    )  # fmt: skip
    return build.Wanted(
        percentile=int(percentile or 95),
        title=title or "",
        notes=notes or "",
        sections=tuple(name for name in SECTIONS if name in sections),
        tz=look.zone(),
    )


def _downloads(files: dict[str, str]) -> None:
    with st.container(horizontal=True, gap="small"):
        for ending, text in files.items():
            st.download_button(
                _("Download .{ending}").format(ending=ending), text, f"slowpath-report.{ending}",
                TYPES[ending], on_click="ignore", icon=":material/download:", key=f"get-{ending}",
            )  # fmt: skip
    sizes = " · ".join(f".{ending} {fmt.bytes_(len(files[ending].encode()))}" for ending in files)
    st.caption(sizes)
    st.caption(_("It loads nothing and contains no prompt text. Print it, mail it, attach it."))
