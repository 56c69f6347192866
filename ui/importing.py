"""The uploader, the imports that run, and what they brought."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import streamlit as st

from services import imports, pull
from services.jobs import Job
from services.progress import Progress
from ui import blocks, filters, session
from words import _, fmt, labels, ngettext


def uploader() -> None:
    """Take files, put them on disk at once, and import them in the background."""
    generation = st.session_state.setdefault("upload_generation", 0)
    files = st.file_uploader(
        _("Trace exports"),
        accept_multiple_files=True,
        key=f"upload-{generation}",
        label_visibility="collapsed",
    )
    taken: set[str] = st.session_state.setdefault("uploads_taken", set())
    fresh = [file for file in files if file.file_id not in taken]
    if fresh:
        # a rerun may come between any two lines: what has begun must not begin again
        taken.update(file.file_id for file in fresh)
        _start(fresh)
    if files:
        st.session_state["upload_generation"] = generation + 1
        st.rerun()


def _start(files: list[Any]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="slowpath-upload-"))
    sources = []
    for number, file in enumerate(files):
        kept = folder / str(number)
        with kept.open("wb") as stream:
            shutil.copyfileobj(file, stream)
        sources.append(imports.Source(file.name, kept))

    def work(progress: Progress) -> dict[str, Any]:
        try:
            return imports.import_files(session.store(), sources, progress)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    names = ", ".join(file.name for file in files[:3]) + (", …" if len(files) > 3 else "")
    _watch(session.jobs().start(names, work))


def start_pull(address: str, params: dict[str, Any]) -> None:
    """Pull once from an address, in the background."""

    def work(progress: Progress) -> dict[str, Any]:
        return pull.collect(session.store(), address, params, progress)

    _watch(session.jobs().start(pull.shown(address), work))


def _watch(job: Job) -> None:
    st.session_state["watched_jobs"] = [*st.session_state.get("watched_jobs", []), job.id]


def jobs() -> None:
    """Every job: its progress while it runs, its outcome afterwards."""
    for job in session.jobs().all():
        if not job.done:
            _running(job)
        else:
            _switch_view(job)
            _outcome(job)


@st.fragment(run_every=0.4)
def _running(job: Job) -> None:
    if job.done:
        st.rerun()
    step = job.step
    with st.container(border=True):
        if step is None:
            st.progress(0.0, _("Waiting to read {name}").format(name=job.title))
        else:
            doing = _("Reading {name}") if step.phase == "read" else _("Deriving {name}")
            text = " · ".join(
                (doing.format(name=step.name), _("{n} spans").format(n=fmt.count(step.spans)),
                 fmt.share(step.fraction))
            )  # fmt: skip
            st.progress(step.fraction, blocks.escaped(text))
        st.button(_("Cancel"), icon=":material/close:", type="tertiary", key=f"cancel-{job.id}",
                  on_click=job.cancel)  # fmt: skip


def _switch_view(job: Job) -> None:
    """Once per session that began it: let the pages show what has just come."""
    watched = st.session_state.get("watched_jobs", [])
    if job.id not in watched:
        return
    st.session_state["watched_jobs"] = [number for number in watched if number != job.id]
    files = job.result["files"] if job.result else []
    sets = [row["data_set"] for row in files if row["data_set"] is not None]
    if sets:
        filters.show_only(sets)


def _outcome(job: Job) -> None:
    with st.container(border=True):
        if job.cancelled:
            st.markdown(_("**{name} was cancelled.** Nothing of it was stored.").format(
                name=blocks.escaped(job.title)))  # fmt: skip
        if job.error:
            st.error(blocks.escaped(job.error), icon=":material/error:")
        for row in job.result["files"] if job.result else []:
            _file(row)
        st.button(_("Dismiss"), type="tertiary", key=f"dismiss-{job.id}",
                  on_click=session.jobs().dismiss, args=(job.id,))  # fmt: skip


def _file(row: dict[str, Any]) -> None:
    if row["error"]:
        text = _("**Not imported.** {error}. Nothing of this file was stored.")
        said = blocks.escaped(row["error"].rstrip("."))
        st.error(text.format(error=said), icon=":material/error:")
        return
    parts = [labels.file_format(row["format"])]
    parts += [said.format(n=fmt.count(count)) for said, count in _counts(row) if count]
    icon = ":material/check:"
    st.markdown(f"{icon} **{blocks.escaped(row['path'])}** · {' · '.join(parts)}")
    if row.get("known"):
        st.caption(_("This file was in the store already; nothing changed."))
    for entry in row["rejected"]:
        said = _("{count} rejected: {reason}. First at {example}.").format(**entry)
        st.warning(blocks.escaped(said), icon=":material/block:")


def _counts(row: dict[str, Any]) -> list[tuple[str, int]]:
    dropped = sum(row["dropped"].values())
    return [
        (ngettext("{n} request", "{n} requests", row["requests"]), row["requests"]),
        (ngettext("{n} span", "{n} spans", row["spans"]), row["spans"]),
        (ngettext("{n} metric point", "{n} metric points", row["points"]), row["points"]),
        (ngettext("{n} duplicate", "{n} duplicates", row["duplicates"]), row["duplicates"]),
        (ngettext("{n} private value dropped", "{n} private values dropped", dropped), dropped),
    ]
