"""Request: one request as a waterfall, its critical path lit."""

import streamlit as st

from analysis.errors import UserError
from ui import answers, blocks, look, request_view, span_card, waterfall_view

if not blocks.is_empty():
    trace, root = request_view.asked()
    try:
        plain = answers.request(trace, root)
    except UserError as error:
        request_view.not_found(error)
    else:
        usual = answers.usual(plain["request"])
        request_view.head(plain, usual)
        query, on_path, raw = waterfall_view.tools()
        shown = answers.request(trace, root, raw=True) if raw else plain
        chart, card = st.columns([73, 27])
        with chart.container(border=True):
            chosen = waterfall_view.chart(shown, query, on_path, raw)
        with card:
            span_card.card(shown, chosen)
            span_card.against_usual(plain, usual)
look.watch_width()
