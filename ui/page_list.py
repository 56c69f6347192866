"""The pages, in the order of the navigation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st

from words import _

FOLDER: Final = Path(__file__).resolve().parent.parent / "pages"


@dataclass(frozen=True)
class PageEntry:
    """One page: its script, its title, its path in the URL and where it stands."""

    script: str
    title: str
    url_path: str
    section: str = ""
    icon: str | None = None
    hidden: bool = False

    @property
    def path(self) -> Path:
        """The script's absolute path."""
        return FOLDER / self.script


PAGES: Final = (
    PageEntry("overview.py", _("Overview"), ""),
    PageEntry("request_list.py", _("Requests"), "requests"),
    PageEntry("request.py", _("Request"), "request", hidden=True),
    PageEntry("optimize.py", _("What to fix"), "fix"),
    PageEntry("stages.py", _("Stages"), "stages", _("Explore"), ":material/stacked_bar_chart:"),
    PageEntry("sources.py", _("Sources"), "sources", _("Data"), ":material/database:"),
    PageEntry("report.py", _("Report"), "report", _("Data"), ":material/description:"),
)


def entry(script: str) -> PageEntry:
    """The page of a script's name."""
    return next(page for page in PAGES if page.script == script)


def link(script: str) -> Any:
    """What `st.page_link` and `st.switch_page` take for a page."""
    return _made(entry(script))


def _made(page: PageEntry) -> Any:
    return st.Page(
        page.path,
        title=page.title,
        url_path=page.url_path or None,
        default=not page.url_path,
        icon=page.icon,
        visibility="hidden" if page.hidden else "visible",
    )


def sections() -> dict[str, list[Any]]:
    """Section title -> its pages, as `st.navigation` takes them."""
    found: dict[str, list[Any]] = {}
    for page in PAGES:
        found.setdefault(page.section, []).append(_made(page))
    return found
