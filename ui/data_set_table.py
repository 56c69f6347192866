"""The imports in the store, and deleting one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from services import data_sets as data_set_service
from ui import address, answers, blocks, look, session
from ui.texts import titled
from words import _, fmt, labels, ngettext, page_labels, times


def table() -> None:
    """One row per import; choosing one offers its details and its deletion."""
    rows = [row for row in answers.data_sets() if not row["hidden"]]
    if not rows:
        st.markdown(titled(_("Imported"), _("Nothing has been imported yet.")))
        return
    n = ngettext("{n} data set", "{n} data sets", len(rows)).format(n=len(rows))
    st.markdown(titled(_("Imported"), f"{n} · {_('choose a row for its details')}"))
    event = st.dataframe(
        pd.DataFrame([_row(row) for row in rows]),
        hide_index=True,
        column_config=_columns(),
        on_select="rerun",
        selection_mode="single-row",
        key="data_set_rows",
    )
    chosen = event.selection.rows if event else []
    if chosen and chosen[0] < len(rows):
        details(rows[chosen[0]])


def _row(row: dict[str, Any]) -> dict[str, Any]:
    flags = ", ".join(f"{labels.flag(flag)} {n}" for flag, n in (row["flags"] or {}).items())
    return {
        _("Data"): row["name"] + (f" ({_('sample')})" if row["sample"] else ""),
        _("Format"): labels.file_format(row["format"]),
        _("Requests"): row["requests"],
        _("Spans"): row["spans"],
        _("Points"): row["points"],
        _("Rejected"): sum(entry["count"] for entry in row["rejected"] or []),
        _("Dropped values"): sum((row["dropped"] or {}).values()),
        _("Unattributed"): row["unattributed_share"],
        _("When"): times.instant(row["added_ns"], look.zone(), to="s"),
        _("Flags"): flags,
    }


def _columns() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    counts = (_("Requests"), _("Spans"), _("Points"), _("Rejected"), _("Dropped values"))
    shown: dict[str, Any] = {name: number(name, format="localized") for name in counts}
    return shown | {_("Unattributed"): number(format="percent")}


def details(row: dict[str, Any]) -> None:
    """What one import brought, what it left out, and the way to delete it."""
    with st.container(border=True):
        st.markdown(f"**{blocks.escaped(row['name'])}** · {labels.file_format(row['format'])}")
        for entry in row["rejected"] or []:
            said = _("{count} rejected: {reason}. First at {example}.").format(**entry)
            st.markdown(blocks.escaped(said))
        for kind, n in (row["dropped"] or {}).items():
            st.markdown(f"{page_labels.dropped(kind)}: {fmt.count(n)}")
        for flag, n in (row["flags"] or {}).items():
            st.markdown(f"{labels.flag(flag)}: {fmt.count(n)} · {labels.flag_meaning(flag)}")
        if st.button(_("Delete"), icon=":material/delete:", key=f"delete-{row['import_id']}"):
            _confirm(row)


@st.dialog(_("Delete a data set"))
def _confirm(row: dict[str, Any]) -> None:
    said = _("{requests} requests and {spans} spans of {name} go; the other data sets stay.")
    st.markdown(
        said.format(
            requests=fmt.count(row["requests"] or 0),
            spans=fmt.count(row["spans"] or 0),
            name=blocks.escaped(row["name"]),
        )
    )
    label = _("Delete {requests} requests and {spans} spans").format(
        requests=fmt.count(row["requests"] or 0), spans=fmt.count(row["spans"] or 0)
    )
    if st.button(label, icon=":material/delete:"):
        with blocks.user_errors():
            data_set_service.delete(session.store(), int(row["import_id"]))
            address.put("data", None)
            st.rerun()
