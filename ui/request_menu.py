"""The menu of one request: copy its link or its figures, download its records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from reports.request_markdown import request_markdown
from services.otlp import otlp_json
from ui import copy_button, look, session
from words import _


def menu(shown: dict[str, Any], answer: str, span: str | None) -> None:
    """Copy link, copy link to the span, download as OTLP/JSON, copy as Markdown."""
    request = shown["request"]
    address = {"trace": request["trace_id"], "root": request["root_span_id"]}
    with st.popover("", icon=":material/more_horiz:", key="menu"):
        copy_button.link(_("Copy link to this request"), f"?{urlencode(address)}", "copy-link")
        if span:
            query = f"?{urlencode({**address, 'span': span})}"
            copy_button.link(_("Copy link to the span"), query, "copy-span")
        text = request_markdown(shown, answer, look.zone())
        copy_button.text(_("Copy as Markdown"), text, "copy-markdown")
        st.download_button(
            _("Download as OTLP/JSON"), _written(request["trace_id"]),
            f"{request['trace_id']}.json", "application/json", on_click="ignore", type="tertiary",
            key="get-otlp",
        )  # fmt: skip


def _written(trace: str) -> Callable[[], str]:
    store = session.store()
    return lambda: otlp_json(store, trace)
