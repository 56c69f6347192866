"""The lines that point an OpenTelemetry exporter at this app, and what has come from one."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

import streamlit as st

from services.receiver import Status
from ui import blocks, live, otlp, page_list
from words import _, fmt


def card() -> None:
    """Where to send OTLP, and whether anything comes."""
    st.caption(_("From any OpenTelemetry SDK or Collector. Requests show within seconds."))
    st.code(settings(st.context.url or "", bool(os.environ.get(otlp.TOKEN))), language="bash")
    st.caption(_("Traces and metrics over HTTP, protobuf or JSON, at /v1/traces and /v1/metrics."))
    _coming()


def settings(url: str, needs_token: bool) -> str:
    """The environment of an exporter.

    >>> settings("http://localhost:8501/sources", False)
    'OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:8501\\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf'
    """
    parts = urlsplit(url)
    address = f"{parts.scheme or 'http'}://{parts.netloc or 'localhost:8501'}"
    lines = [
        f"OTEL_EXPORTER_OTLP_ENDPOINT={address}",
        "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    ]
    if needs_token:
        lines.append(f'OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${otlp.TOKEN}"')
    return "\n".join(lines)


@st.fragment(run_every="2s")
def _coming() -> None:
    status = live.coming()
    if status.error:
        failed = _("What came is kept and tried again: the store does not take it ({error}).")
        st.error(blocks.escaped(failed.format(error=status.error)), icon=":material/error:")
    if status.since_s is None:
        st.markdown(f":gray[:material/hourglass_empty: {_('Nothing has come yet.')}]")
        return
    st.markdown(f":material/sensors: {live.said(status)}")
    st.caption(_total(status))
    to = page_list.link("overview.py")
    st.page_link(to, label=_("Open Overview"), icon=":material/arrow_forward:")


def _total(status: Status) -> str:
    return _("{n} spans and points since the start").format(n=fmt.count(status.accepted))
