"""What the page knows of its reader: light or dark, wide or narrow, which time zone."""

from __future__ import annotations

import streamlit as st

from ui import address

_NARROW = st.components.v2.component(
    "slowpath_narrow",
    html="<span></span>",
    js="""export default function(component) {
      const query = window.matchMedia('(max-width: 640px)');
      const tell = () => component.setStateValue('narrow', query.matches);
      query.addEventListener('change', tell);
      if (query.matches !== component.data.narrow) tell();
      return () => query.removeEventListener('change', tell);
    }""",
)


def dark() -> bool:
    """Whether the reader's theme is dark."""
    return st.context.theme.type == "dark"


def zone() -> str:
    """The reader's time zone, UTC where the browser names none."""
    return st.context.timezone or "UTC"


def narrow() -> bool:
    """Whether the screen is a phone's, as its last run said."""
    return bool(st.session_state.get("narrow", False))


def watch_width() -> None:
    """Learn the width for the next run; called at the end of a page, where it costs no gap.

    The page is drawn by then, so the address bar can say what it shows. The browser speaks only
    where its width is not what the page was drawn for: what it says runs the page that it believes
    to be shown, and while a link is on its way that is the page before.
    """
    address.write()
    given = {"narrow": narrow()}
    _NARROW(key="narrow_screen", data=given, default=given, on_narrow_change=_remember)


def _remember() -> None:
    st.session_state["narrow"] = bool(st.session_state["narrow_screen"].get("narrow"))
