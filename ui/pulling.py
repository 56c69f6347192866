"""The form that pulls once from a service that keeps traces or metrics."""

from __future__ import annotations

import streamlit as st

from ui import importing
from ui.texts import titled
from words import _

HOURS = (1, 6, 24, 168)


def form() -> None:
    """An address and how far back; the kind of service is found out by asking it."""
    note = _("From Jaeger, Tempo, Zipkin, Phoenix, Langfuse, LangSmith, ClickHouse or Prometheus.")
    st.markdown(titled(_("Pull"), note))
    with st.form("pull", border=False):
        address = st.text_input(_("Address"), placeholder="http://localhost:16686")
        hours = st.selectbox(_("How far back"), (*HOURS, 0), format_func=_named)
        with st.expander(_("Credentials")):
            hint = _("Itself, env:NAME or file:/path; it is not kept.")
            token = st.text_input(_("Token or password"), type="password", help=hint)
            user = st.text_input(_("User"), help=_("With it, the token is a password."))
        sent = st.form_submit_button(_("Pull once"), icon=":material/download:")
    if sent and address:
        how = {"hours": hours} if hours else {"since": "last"}
        access = {"token": token.strip(), "user": user.strip()}
        importing.start_pull(address.strip(), {**how, **access})
        st.rerun()
    if sent and not address:
        st.error(_("An address is missing, such as http://localhost:16686."))


def _named(hours: int) -> str:
    return _("{n} h").format(n=hours) if hours else _("since the last pull")
