"""The rules there are: those of one's own with a way to delete them, and the built-in ones."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from services import rules
from ui import answers, blocks, rule_dialog, rule_form, rule_jobs, session
from ui.texts import titled
from words import _, fmt, labels, ngettext, rule_words


def chosen(rule_id: str) -> None:
    """The one rule that a link names."""
    rule = next((rule for rule in answers.rules() if rule["id"] == rule_id), None)
    with st.container(border=True, gap="xsmall"):
        if rule is None:
            st.markdown(_("No rule has the id {id}.").format(id=f"`{rule_id.replace('`', '')}`"))
            return
        whose = _("a rule of your own") if rule["own"] else _("a built-in rule")
        st.markdown(f"{_headline(rule)}  \n:small[:gray[{blocks.escaped(_held(rule))} · {whose}]]")
        st.caption(
            blocks.escaped(_("Takes {what}").format(what=rule_words.matches(rule["matches"])))
        )
        if rule["source"] and not rule["own"]:
            st.caption(blocks.escaped(_("Source: {source}").format(source=rule["source"])))


def _headline(rule: dict[str, Any]) -> str:
    return f"**{blocks.escaped(rule['id'])}** → {labels.stage(rule['stage'])}"


def _held(rule: dict[str, Any]) -> str:
    if not rule["spans"]:
        return _("no span so far")
    parts = (rule_words.spans(rule["spans"]), rule_words.requests(rule["requests"]),
             fmt.ms(rule["total_ns"]))  # fmt: skip
    return " · ".join(parts)


def own() -> None:
    """The user's own rules, from the top."""
    mine = [rule for rule in answers.rules() if rule["own"]]
    with st.container(border=True):
        if not mine:
            note = _("None yet. They are tried before the built-in ones.")
        else:
            n = ngettext("{n} rule", "{n} rules", len(mine)).format(n=fmt.count(len(mine)))
            note = f"{n} · {_('tried from the top, before the built-in ones')}"
        st.markdown(titled(_("Your rules"), note))
        for rule in mine:
            _row(rule)
        st.button(_("Make a rule for any span name"), icon=":material/add:", type="tertiary",
                  key="rule-any", on_click=rule_dialog.ask, args=("form", "", ""))  # fmt: skip
        _edited()


def _row(rule: dict[str, Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        takes = blocks.escaped(rule_words.matches(rule["matches"]))
        held = blocks.escaped(_held(rule))
        st.markdown(f"{_headline(rule)}  \n:small[:gray[{takes} · {held}]]", width="stretch")
        st.button(_("Delete"), icon=":material/delete:", key=f"rule-delete-{rule['id']}",
                  on_click=rule_dialog.ask, args=("delete", rule["id"]))  # fmt: skip


@st.dialog(_("Delete a rule"), on_dismiss=rule_dialog.close)
def confirm(rule_id: str) -> None:
    """What goes back with a rule, and the button that deletes it."""
    store = session.store()
    with blocks.user_errors():
        with st.spinner(_("Counting what goes back")):
            found = rules.preview_delete(store, rule_id, rule_form.MOST)
        moves = rule_words.moves(found)
        st.markdown(f"**{blocks.escaped(rule_id)}**  \n{blocks.escaped(moves)}")
        if st.button(_("Delete the rule"), icon=":material/delete:", key="rule-delete"):
            said = _("Rule {id} deleted. {moves}").format(id=rule_id, moves=moves)
            rule_jobs.start(rule_id, partial(rules.remove, store, rule_id), said)
            rule_dialog.close()
            st.rerun()


def _edited() -> None:
    """Offer to read the file again where it was edited by hand."""
    store = session.store()
    if not rules.edited(store):
        return
    st.caption(_("The rules file was edited; what it says now does not count yet."))
    if st.button(_("Read the file again"), icon=":material/refresh:", key="rules-again"):
        said = _("The rules file was read again.")
        rule_jobs.start(_("the rules file"), partial(rules.read_again, store), said)
        st.rerun()


def built_in() -> None:
    """The rules that come with slowpath, in the order in which they are tried."""
    ours = [rule for rule in answers.rules() if not rule["own"]]
    used = sum(bool(rule["spans"]) for rule in ours)
    said = _("{n} built-in rules · {used} took a span")
    with st.expander(said.format(n=fmt.count(len(ours)), used=fmt.count(used)), type="compact"):
        frame = pd.DataFrame([_cells(rule) for rule in ours])
        number = st.column_config.NumberColumn
        columns = {_("Spans"): number(format="localized"), _("Time"): number(format="%.3f s")}
        st.dataframe(frame, hide_index=True, column_config=columns, key="built_in_rules")


def _cells(rule: dict[str, Any]) -> dict[str, Any]:
    return {
        _("Rule"): rule["id"],
        _("Stage"): labels.stage(rule["stage"]),
        _("Takes"): rule_words.matches(rule["matches"]),
        _("Spans"): rule["spans"],
        _("Time"): rule["total_ns"] / 1e9,
        _("Source"): rule["source"],
    }
