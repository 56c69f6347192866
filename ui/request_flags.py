"""What is doubtful in one request: a badge per flag that explains itself and leads to the span."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from analysis.flags import FLAGS
from ui import blocks, chosen_span
from words import _, fmt, labels, page_labels

MOST: Final = 8
"""Spans that one badge leads to."""

_ICONS: Final = {"not_waited_for": "alt_route", "excluded": "vertical_align_top",
                 "bound": "vertical_align_top", "noted": "info"}  # fmt: skip
_DOUBTFUL: Final = ("excluded", "bound", "clipped", "left_out")


def badges(spans: list[dict[str, Any]]) -> None:
    """A badge for each flag on the request's spans, those that touch figures in orange."""
    carriers: dict[str, list[dict[str, Any]]] = {}
    for span in spans:
        for flag in span["flags"]:
            carriers.setdefault(flag, []).append(span)
    for flag, found in sorted(carriers.items()):
        with st.popover(_label(flag, found), type="tertiary", key=f"flag-{flag}"):
            st.markdown(f"{labels.flag_meaning(flag)} {labels.flag_effect(flag)}")
            for span in found[:MOST]:
                _jump(flag, span)
            if len(found) > MOST:
                st.caption(_("and {n} more").format(n=fmt.count(len(found) - MOST)))


def _label(flag: str, found: list[dict[str, Any]]) -> str:
    effect = FLAGS.get(flag, "noted")
    icon = "schedule" if flag == "skew_corrected" else _ICONS.get(effect, "build")
    orange = effect in _DOUBTFUL or flag.startswith("skew")
    text = labels.flag(flag) + (f" × {fmt.count(len(found))}" if len(found) > 1 else "")
    amounts = [span["flags"][flag] for span in found if span["flags"][flag] is not None]
    if amounts:
        text = f"{text}, {fmt.ms_delta(max(amounts, key=abs))}"
    return f":{'orange' if orange else 'gray'}-badge[:material/{icon}: {text}]"


def _jump(flag: str, span: dict[str, Any]) -> None:
    amount = span["flags"][flag]
    parts = [page_labels.span_name(span["name"], span["key"]), span["service"] or ""]
    parts += [fmt.ms_delta(amount)] if amount is not None else []
    label = blocks.escaped(" · ".join(part for part in parts if part))
    st.button(label, key=f"jump-{flag}-{span['key']}", type="tertiary", on_click=chosen_span.jump,
              args=(span["key"],), icon=":material/my_location:")  # fmt: skip
