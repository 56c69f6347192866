"""One technique of the ranking: its reason, its badges, its saving as a bar with a whisker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from charts.bars_html import saving_bar
from ui import blocks, fix_evidence, look
from words import _, labels, phrases, savings, techniques

RISK_COLOURS: Final = {"low": "green", "medium": "orange", "high": "red"}


@dataclass(frozen=True)
class Drawn:
    """What every row shares: the widest bar in ns, technique id -> rank."""

    widest: int
    ranked: dict[str, int]


def drawn(applying: list[dict[str, Any]]) -> Drawn:
    """One scale and one numbering for all rows."""
    widest = max((abs(f["saving_ns"]["high"]) for f in applying), default=1) or 1
    return Drawn(widest, {finding["id"]: number for number, finding in enumerate(applying, 1)})


def row(finding: dict[str, Any], shared: Drawn) -> None:
    """The row as a card; its button opens the evidence."""
    with st.container(border=True):
        left, right = st.columns([3, 2], vertical_alignment="center")
        with left.container(gap="xsmall"):
            title = blocks.escaped(techniques.title(finding["id"]))
            number = shared.ranked[finding["id"]]
            first = f":gray[{number}] **{title}**{_tie(finding, shared)}"
            st.markdown(f"{first}  \n{blocks.escaped(techniques.because(finding))}")
            st.markdown(" ".join(_badges(finding)))
        with right.container(gap="xsmall"):
            saving = finding["saving_ns"]
            bounds = (saving["low"], saving["typical"], saving["high"])
            st.html(saving_bar(*bounds, shared.widest, finding["stage"], look.dark()))
            _foot(finding)


def _foot(finding: dict[str, Any]) -> None:
    estimate, interval = savings.saving(finding)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{estimate}** :gray[{interval}]" if interval else f"**{estimate}**")
        st.space("stretch")
        if st.button(_("Evidence"), icon=":material/fact_check:", type="tertiary",
                     key=f"evidence-{finding['id']}"):  # fmt: skip
            fix_evidence.show(finding)


def _tie(finding: dict[str, Any], shared: Drawn) -> str:
    ranks = sorted(shared.ranked[t] for t in finding["tie_with"] if t in shared.ranked)
    if not ranks:
        return ""
    listed = ", ".join(str(rank) for rank in ranks[:3]) + (" …" if len(ranks) > 3 else "")
    return f" :gray-badge[{_('tie with {others}').format(others=listed)}]"


def _badges(finding: dict[str, Any]) -> list[str]:
    risk = phrases.started(labels.risk(finding["risk"]))
    parts = [
        f":gray-badge[:material/schedule: {savings.effort(finding)}]",
        f":{RISK_COLOURS[finding['risk']]}-badge[{risk}]",
    ]
    if gained := savings.gained(finding):
        parts.append(f":gray-badge[{gained}]")
    if any(a["grade"] == "estimate" for a in finding["assumptions"]):
        parts.append(f":orange-badge[{_('estimate')}]")
    return parts
