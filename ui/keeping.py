"""What is on disk, how long it is kept, and what the last sweep removed."""

from __future__ import annotations

import streamlit as st

from services import retention
from ui import blocks, look, session
from ui.texts import titled
from words import _, fmt, ngettext, retention_words


def card() -> None:
    """Bytes on disk, the limits in force, and the last sweep."""
    found = retention.on_disk(session.store(), session.database())
    disk = retention_words.disk(found["file"], found["free"], found["waiting"])
    st.markdown(titled(_("On disk"), disk))
    lines = [retention_words.kept(found["limits"].days, found["limits"].bytes)]
    if found["pins"]:
        pinned = ngettext("{n} trace is pinned.", "{n} traces are pinned.", found["pins"])
        lines[0] += " " + pinned.format(n=fmt.count(found["pins"]))
    if found["last"]:
        lines.append(retention_words.swept(found["last"], look.zone()) + ".")
    st.caption("  \n".join(lines))
    sweeper = session.sweeper()
    if sweeper is not None and sweeper.error:
        failed = _("The last sweep failed, nothing was removed: {error}")
        st.error(blocks.escaped(failed.format(error=sweeper.error)), icon=":material/error:")
