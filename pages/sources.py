"""Sources: upload, send or pull, see what has come, and name its spans."""

import streamlit as st

from ui import blocks, data_set_table, importing, keeping, look, pulling, rules_view, sending
from ui.texts import titled
from words import _


def data(head):
    head.markdown(f"## {_('Drop a trace export here, or send traces to this address.')}")
    left, right = st.columns(2)
    with left.container(border=True, height="stretch"):
        note = _(
            "OTLP, Jaeger and Zipkin JSON, Prometheus text; .gz is fine. Told apart by content."
        )
        st.markdown(titled(_("Files"), note))
        importing.uploader()
        st.caption(
            _("Over 200 MB: `slowpath import big.json.gz` does the same beside the running app.")
        )
    with right.container(border=True, height="stretch"):
        send, pull = st.tabs([_("Send OTLP"), _("Pull")])
        with send:
            sending.card()
        with pull:
            pulling.form()
    importing.jobs()
    with st.container(border=True), blocks.user_errors():
        data_set_table.table()
    with st.container(border=True), blocks.user_errors():
        keeping.card()


place = st.container()
if rules_view.chosen() == "rules":
    with blocks.user_errors():
        rules_view.show(place)
else:
    data(place)
look.watch_width()
