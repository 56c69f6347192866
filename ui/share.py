"""The Share menu: the view as a link, as Markdown, as a report."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st

from analysis.errors import UserError
from reports import build
from reports.commands import FORMATS
from services.scope import Scope
from ui import address, look, page_list, session
from words import _

LINK, MARKDOWN, REPORT = "link", "markdown", "report"
DAY_NS: Final = 86_400_000_000_000


def menu(scope: Scope) -> None:
    """Three ways to hand the present view on."""
    names = {
        LINK: _("Copy link"),
        MARKDOWN: _("Copy as Markdown"),
        REPORT: _("Build a report"),
    }
    chosen = st.menu_button(
        ":material/ios_share:",
        list(names),
        key="share",
        format_func=names.__getitem__,
        help=_("Share this view"),
    )
    if chosen == LINK:
        _link()
    elif chosen == MARKDOWN:
        _markdown(scope)
    elif chosen == REPORT:
        st.switch_page(page_list.link("report.py"), query_params=address.params())


@st.dialog(_("Copy link"), width="large")
def _link() -> None:
    st.caption(_("It opens this view on any machine that reaches this app."))
    st.code(address.link(), language=None, wrap_lines=True)


@st.dialog(_("Copy as Markdown"), width="large")
def _markdown(scope: Scope) -> None:
    st.caption(_("The report of this view, without prompt text."))
    wanted = build.Wanted(tz=look.zone(), made_ns=time.time_ns() // DAY_NS * DAY_NS)
    try:
        text = FORMATS["md"](build.report(session.store(), scope, wanted))
    except UserError as error:
        st.error(str(error), icon=":material/error:")
        return
    st.code(text, language="markdown", height=420)
