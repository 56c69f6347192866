"""Pin the trace of a request, so that no sweep removes it."""

from __future__ import annotations

import streamlit as st

from services import retention
from ui import session
from words import _


def button(trace_id: str) -> None:
    """Pin or unpin; the label says how it stands."""
    pinned = retention.is_pinned(session.store(), trace_id)
    label = _("Pinned") if pinned else _("Pin")
    why = (
        _("No sweep removes this trace. Click to let it go with the others of its age.")
        if pinned
        else _("Keep this trace when old ones are removed")
    )
    st.button(
        label, icon=":material/check:" if pinned else ":material/keep:", help=why, key="pin",
        on_click=lambda: session.store().pin(trace_id, not pinned),
    )  # fmt: skip
