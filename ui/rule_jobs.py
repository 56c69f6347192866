"""Changes of the rules that run: their progress, a button to cancel, what came of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from services.jobs import Job
from services.progress import Progress
from ui import blocks, session
from words import _, fmt

KIND: Final = "rules"


def start(title: str, work: Callable[[Progress], Any], said: str) -> None:
    """Begin a change in the background; `said` is shown once it is done."""

    def run(progress: Progress) -> str:
        work(progress)
        return said

    job = session.jobs().start(title, run, KIND)
    st.session_state["rule_jobs"] = [*st.session_state.get("rule_jobs", []), job.id]


def show() -> None:
    """Every change that runs or failed; one that succeeded is said in passing."""
    for job in session.jobs().all(KIND):
        if not job.done:
            _running(job)
        elif job.error or job.cancelled:
            _failed(job)
        elif job.id in st.session_state.get("rule_jobs", []):
            st.toast(blocks.escaped(job.result), icon=":material/check:")
            session.jobs().dismiss(job.id)


@st.fragment(run_every=0.4)
def _running(job: Job) -> None:
    if job.done:
        st.rerun()
    with st.container(border=True):
        done, step = 0.0, job.step
        said = _("Waiting to derive requests by {name}")
        if step is not None:
            done, said = step.fraction, _("Deriving the requests that {name} touches")
        text = f"{said.format(name=job.title)} · {fmt.share(done)}"
        st.progress(done, blocks.escaped(text))
        st.button(_("Cancel"), icon=":material/close:", type="tertiary", key=f"cancel-{job.id}",
                  on_click=job.cancel)  # fmt: skip


def _failed(job: Job) -> None:
    with st.container(border=True):
        if job.cancelled:
            said = _("**{name} was cancelled.** The rules and all figures are as before.")
            st.markdown(said.format(name=blocks.escaped(job.title)))
        else:
            said = _("**Not saved.** {error}. The rules and all figures are as before.")
            error = blocks.escaped((job.error or "").rstrip("."))
            st.error(said.format(error=error), icon=":material/error:")
        st.button(_("Dismiss"), type="tertiary", key=f"dismiss-{job.id}",
                  on_click=session.jobs().dismiss, args=(job.id,))  # fmt: skip
