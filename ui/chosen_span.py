"""Which span of the request is chosen, and what is folded: kept while one trace is open."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import streamlit as st

from charts.waterfall.reveal import reveal


def begin(trace: str) -> None:
    """Forget the choices of another trace; the URL may name a span of this one."""
    if st.session_state.get("folded_of") == trace:
        return
    named = st.query_params.get("span")
    st.session_state.update({"folded_of": trace, "folded": frozenset(), "row_window": 0})
    st.session_state.update({"span": named, "reveal": named})


def key(shown: dict[str, Any]) -> str:
    """The chosen span's key; the longest on the path where none is chosen."""
    chosen = st.session_state.get("span")
    if any(span["key"] == chosen for span in shown["spans"]):
        return str(chosen)
    return str(max(shown["spans"], key=lambda span: span["self_ns"])["key"])


def select(span_key: str) -> None:
    """Choose a span; the URL names it from now on."""
    st.session_state["span"] = span_key
    st.query_params["span"] = span_key


def jump(span_key: str) -> None:
    """Choose a span and bring it into view, whatever hides it."""
    select(span_key)
    st.session_state["reveal"] = span_key
    if st.session_state.get("find"):
        st.session_state["find"] = ""
    st.session_state["which"] = "all"
    remember_which()


def recall_which(known: Container[str]) -> None:
    """Begin with what the address names: an id, not the label that a bound widget would write."""
    if "which" not in st.session_state:
        named = st.query_params.get("which", "all")
        st.session_state["which"] = named if named in known else "all"


def remember_which() -> None:
    """Write which spans are shown to the address; all is not written."""
    chosen = st.session_state.get("which") or "all"
    if chosen != "all":
        st.query_params["which"] = chosen
    elif "which" in st.query_params:
        del st.query_params["which"]


def toggle(row_key: str) -> None:
    """Fold what is open under a row, or open what is folded."""
    st.session_state["folded"] = folded() ^ {row_key}


def folded() -> frozenset[str]:
    """The rows whose first state is flipped."""
    return frozenset(st.session_state.get("folded") or ())


def first_row() -> int:
    """The first row of the window."""
    return int(st.session_state.get("row_window") or 0)


def move(first: int) -> None:
    """Move the window."""
    st.session_state["row_window"] = first


def bring_into_view(shown: dict[str, Any]) -> None:
    """Open the folds that hide a span that was jumped to, and move the window to it."""
    wanted = st.session_state.pop("reveal", None)
    if wanted:
        flipped, first = reveal(shown["spans"], folded(), wanted, first_row())
        st.session_state.update({"folded": flipped, "row_window": first})
