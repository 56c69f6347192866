"""Ways to the stage rules: from a span, and from an answer that time without a stage weakens."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from services.scope import Scope
from ui import answers, blocks, page_list
from words import _, sentences

TOP: Final = 3


def line(scope: Scope) -> bool:
    """What naming the top span names would tell, and the way there; False without any."""
    rows = answers.unattributed(scope.filters)["names"][:TOP]
    if not rows:
        return False
    figures = {"count": len(rows), "share": sum(row["share"] or 0.0 for row in rows)}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(blocks.escaped(sentences.sentence("name_top", figures)))
        st.page_link(
            page_list.link("sources.py"), label=_("Name them"), icon=":material/arrow_forward:",
            icon_position="right", query_params={"view": "rules"},
        )  # fmt: skip
    return True


def rule_link(span: dict[str, Any]) -> None:
    """The rule that took a span, leading to the list; without one, to making it."""
    to = page_list.link("sources.py")
    if span["key"].startswith("missing/"):
        return
    if span["stage"] == "unattributed" and not span["observer"]:
        asked = {"view": "rules", "name": span["name"], "service": span["service"] or ""}
        st.page_link(to, label=_("Make a rule"), icon=":material/add:", query_params=asked)
        return
    label = _("Rule {id}").format(id=f"`{span['rule'].replace('`', '')}`")
    asked = {"view": "rules", "rule": span["rule"]}
    st.page_link(to, label=label, icon=":material/rule:", query_params=asked)
