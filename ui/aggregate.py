"""Path or shared: the switch of the Stages page, and where the two tell different things."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from services.breakdown import AGGREGATES, largest_difference
from services.scope import Scope
from ui import address, answers
from words import _, fmt, labels, phrases

TELLING: Final = 0.02
"""A stage is named whose two figures differ by more than this part of the band's mean."""

SOON: Final = 2_000
"""Requests that are split unasked: each takes about a millisecond."""

MOST: Final = 5_000
"""Requests that are split for one figure of the page."""


def choose() -> str:
    """The switch, with what the chosen aggregate is."""
    names = {"path": _("Path"), "shared": _("Shared")}
    meanings = {
        "path": _("Every instant belongs to the one span that the request waited for."),
        "shared": _("Every instant is split evenly over all spans at work."),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        chosen = st.segmented_control(
            _("Aggregate"), AGGREGATES, default=address.value("aggregate"), required=True,
            key=address.key("aggregate"), format_func=names.__getitem__,
            label_visibility="collapsed",
            help=_("Path says what to fix, shared what waits behind it."),
        )  # fmt: skip
        st.caption(meanings[str(chosen)], width="stretch")
    address.keep("aggregate", chosen)
    return str(chosen)


def difference(scope: Scope, aggregate: str, band: str = "p95") -> None:
    """One line on the stage in which the aggregates differ most, where that is much."""
    path = answers.breakdown(scope, band)
    if path["mean_ns"] is None or path["band_requests"] > (SOON if aggregate == "path" else MOST):
        return
    found = largest_difference(path, answers.breakdown(scope, band, "shared"))
    if found is not None and abs(found["shared_ns"] - found["path_ns"]) > TELLING * path["mean_ns"]:
        st.markdown(_line(found, band))
    elif aggregate == "shared":
        said = _("At {band} no stage differs from path by more than {limit} of the mean.")
        st.caption(said.format(band=phrases.percentile(band), limit=fmt.share(TELLING)))


def _line(found: dict[str, Any], band: str) -> str:
    if found["shared_ns"] > found["path_ns"]:
        said = _(
            "**{stage}** at {band}: {path} on the path, {shared} shared. It works beside what the "
            "request waits for, and would hold it up once that is faster."
        )
    else:
        said = _(
            "**{stage}** at {band}: {path} on the path, {shared} shared. Other spans are at work "
            "meanwhile, and part of its time would stay if it were faster."
        )
    limit = _("Named where the two differ by over {limit} of the mean.").format(
        limit=fmt.share(TELLING)
    )
    shown = said.format(
        stage=labels.stage(found["stage"]), band=phrases.percentile(band),
        path=fmt.ms(found["path_ns"]), shared=fmt.ms(found["shared_ns"]),
    )  # fmt: skip
    return f"{shown} :small[:gray[{limit}]]"


def of_band(scope: Scope, band: str, chosen: str) -> dict[str, Any]:
    """A band by an aggregate; by the path where splitting its requests would take too long."""
    path = answers.breakdown(scope, band)
    if chosen == "path" or path["band_requests"] > MOST:
        return path
    return answers.breakdown(scope, band, chosen)


def unsplit(bands: list[str]) -> str:
    """What is said of bands that stand on the path although shared is chosen."""
    said = _("On the path, since splitting over {n} requests takes long: {bands}")
    return said.format(n=fmt.count(MOST), bands=", ".join(bands))
