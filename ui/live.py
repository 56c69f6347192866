"""While spans come in: how many, and a page that follows them."""

from __future__ import annotations

import time

import streamlit as st

from services.receiver import NOTHING, Status
from ui import session
from words import _, fmt

FRESH_S = 600.0
"""Seconds after the last span for which a page goes on following."""

REST = 4.0
"""A page rests this many times as long as it took to draw, so that following never fills the day
of a busy machine."""

REST_S = 1.5
"""And at least so many seconds."""


def line() -> None:
    """Above a page: what comes in, and whether the page follows; nothing where nothing comes."""
    st.session_state["shown_revision"] = session.store().revision
    st.session_state["drawing_since"] = time.monotonic()
    if is_live(coming()):
        _following()


def drawn() -> None:
    """Below a page: note how long it took."""
    now = time.monotonic()
    took = now - st.session_state.get("drawing_since", now)
    st.session_state["rest_until"] = now + max(REST_S, REST * took)


def coming() -> Status:
    """How receiving goes; nothing has come where no server is running."""
    receiver = session.receiver()
    return NOTHING if receiver is None else receiver.status()


def is_live(status: Status) -> bool:
    """Whether a span came of late."""
    return status.since_s is not None and status.since_s < FRESH_S


@st.fragment(run_every="1s")
def _following() -> None:
    status = coming()
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
    ):
        st.caption(said(status), width="content")
        follow = st.toggle(
            _("Live"),
            value=True,
            key="live",
            help=_("Show new requests as they come. Off, the page stays as it is."),
        )
    rested = time.monotonic() >= st.session_state.get("rest_until", 0)
    new = session.store().revision != st.session_state.get("shown_revision")
    if follow and new and rested:
        st.rerun()


def said(status: Status) -> str:
    """The state of receiving in one line."""
    parts = [_("{n} spans/s").format(n=fmt.count(round(status.spans_per_s)))]
    if status.since_s is not None:
        parts.append(_("last span {ago} ago").format(ago=ago(status.since_s)))
    if status.waiting:
        waiting = _("{n} waiting, the oldest for {lag}")
        parts.append(waiting.format(n=fmt.count(status.waiting), lag=ago(status.lag_s)))
    if status.rejected:
        parts.append(_("{n} left out").format(n=fmt.count(status.rejected)))
    return " · ".join(parts)


def ago(seconds: float) -> str:
    """An age in whole seconds, minutes or hours.

    >>> ago(3.2), ago(150), ago(7300)
    ('3 s', '2 min', '2 h')
    """
    if seconds < 60:
        return _("{n} s").format(n=int(seconds))
    if seconds < 3600:
        return _("{n} min").format(n=int(seconds // 60))
    return _("{n} h").format(n=int(seconds // 3600))
