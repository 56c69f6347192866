"""The form that pulls once from a service that keeps traces or metrics."""

from __future__ import annotations

import streamlit as st

from ui import importing
from ui.texts import titled
from words import _

HOURS = (1, 6, 24, 168)


def form() -> None:
    """An address and how far back; the kind of service is found out by asking it."""
    note = _("From Jaeger, Tempo, Zipkin, Phoenix, Langfuse, ClickHouse or Prometheus.")
    st.markdown(titled(_("Pull"), note))
    with st.form("pull", border=False):
        address = st.text_input(_("Address"), placeholder="http://localhost:16686")
        hours = st.selectbox(_("How far back"), HOURS, format_func=lambda h: _("{n} h").format(n=h))
        sent = st.form_submit_button(_("Pull once"), icon=":material/download:")
    if sent and address:
        importing.start_pull(address.strip(), {"hours": hours})
        st.rerun()
    if sent and not address:
        st.error(_("An address is missing, such as http://localhost:16686."))
