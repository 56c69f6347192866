"""The form of a rule: what it takes, its stage, what moves at once, and saving it."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import streamlit as st

from analysis.stages import GROUP_OF, STAGES
from services import rules
from services.rule_drafts import Draft, literal
from ui import answers, blocks, rule_dialog, rule_jobs, session
from words import _, labels, rule_words

MOST: Final = 25_000
"""Records that are tried while the reader waits: some two seconds."""


@st.dialog(_("Make a rule"), width="medium", on_dismiss=rule_dialog.close)
def show(key: int, name: str, service: str) -> None:
    """The form, filled in for the spans of one name and service; empty for any."""
    name, service = (literal(text) if text else "" for text in (name, service))
    pattern = st.text_input(
        _("Span name"), name, key=f"rule-name-{key}",
        help=_("A regular expression that is searched in the name of a span"),
    )  # fmt: skip
    where = st.text_input(
        _("Service, where only one is meant"), service, key=f"rule-service-{key}",
        placeholder=_("any service"),
        help=_("A regular expression that is searched in the service of a span"),
    )  # fmt: skip
    stage = st.selectbox(
        _("Stage that owns its time"), STAGES, index=None, key=f"rule-stage-{key}",
        format_func=stage_name, placeholder=_("Choose a stage"),
    )  # fmt: skip
    draft = Draft(stage or "unattributed", pattern, where)
    found = None
    with blocks.user_errors():
        found = _told(draft, stage is not None)
    if st.button(_("Save"), icon=":material/check:", disabled=found is None or stage is None):
        _save(draft, found or {})
        rule_dialog.close()
        st.rerun()


def stage_name(identifier: str) -> str:
    """A stage with its group, `Application · Retrieval`."""
    group, name = labels.group(GROUP_OF[identifier]), labels.stage(identifier)
    return name if group == name else f"{group} · {name}"


def _told(draft: Draft, chosen: bool) -> dict[str, Any] | None:
    """Say what the rule would move, or how many spans it would take while no stage is chosen."""
    if not draft.name and not draft.service:
        st.caption(_("Give a span name, a service or both."))
        return None
    with st.spinner(_("Counting what would move")):
        found = answers.tried(draft, MOST)
    if not chosen:
        said = _("{spans} like this").format(spans=rule_words.spans(found["matching"]))
        st.caption(said)
        return None
    st.markdown(blocks.escaped(rule_words.moves(found)))
    if found["tried"] < found["traces"]:
        st.caption(_("`slowpath rules add --dry-run` counts all of them."))
    return found


def _save(draft: Draft, found: dict[str, Any]) -> None:
    title = str(found["rule"]["id"])
    said = _("Rule {id} saved. {moves}").format(id=title, moves=rule_words.moves(found))
    rule_jobs.start(title, partial(rules.save, session.store(), draft), said)
