"""Which dialog of the rules is open: kept until it is closed, so that no rerun takes it away."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

LINKED: Final = ("rule", "name", "service")
"""What a link to the rules may name."""


def ask(kind: str, *given: str) -> None:
    """Open a dialog, `form` or `delete`, from the next run on."""
    number = st.session_state.get("rule_dialogs", 0) + 1
    opened = {"kind": kind, "given": given, "number": number, "visit": _visit()}
    st.session_state.update({"rule_dialogs": number, "rule_dialog": opened})


def wanted() -> dict[str, Any] | None:
    """The dialog to show: the one asked for on this page, or the form that a link names."""
    found: dict[str, Any] | None = st.session_state.get("rule_dialog")
    if found is not None and found["visit"] == _visit():
        return found
    name = st.query_params.get("name")
    if not name:
        return None
    ask("form", name, st.query_params.get("service", ""))
    return wanted()


def close() -> None:
    """It is closed, and what a link named is done with."""
    st.session_state.pop("rule_dialog", None)
    for name in LINKED:
        if name in st.query_params:
            del st.query_params[name]


def _visit() -> int:
    return int(st.session_state.get("visit", 0))
