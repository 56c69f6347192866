"""The Overview's answer, headline numbers and slowest requests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import streamlit as st

from analysis import answer as answer_of
from analysis.attribution import share_within
from services import request_list
from services.scope import Scope
from ui import answers, blocks, look, naming, page_list, request_rows, where
from ui.texts import titled
from words import _, fmt, labels

WAITS: Final = 400
"""How often the ranking is asked for: with the pause of each, some two minutes."""

ENOUGH: Final = 20
"""Requests that the period before must have, else a percentile of it means nothing."""


def summary(scope: Scope) -> Any:
    """The row of figures over the scope."""
    return answers.query("summary", scope.filters, slo_ns=scope.slo_ns).iloc[0]


def answer(scope: Scope) -> Any:
    """The heading; returns the place for the second line, filled once the ranking is there.

    None where that line is there already: time without a stage is named before anything is fixed.
    """
    objective = "e2e" if scope.objective == "tpot" else scope.objective
    latency = answers.latency(scope.filters, objective)
    said = answer_of.overview(latency, objective, 95, scope.slo_ns)
    blocks.heading(said)
    if said.id == "weak_data" and naming.line(scope):
        return None
    return st.empty()


def fix_first(scope: Scope, place: Any) -> None:
    """The next step with its effect, under the heading; the last thing that a page waits for."""
    for _wait in range(WAITS if place is not None else 0):
        findings = answers.ranking_soon(scope)
        if findings is not None:
            with place.container():
                _next_step(findings)
            return
        # each call is also where a click of the reader ends the wait
        place.markdown(f":gray[{_('Trying what could be fixed on these requests …')}]")


def _next_step(findings: list[dict[str, Any]]) -> None:
    helping = [f for f in findings if f["applies"] and f["saving_ns"]["typical"] > 0]
    if not helping:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        blocks.fix_line(helping[0], 95)
        st.page_link(
            page_list.link("optimize.py"), label=_("See why"), icon=":material/arrow_forward:",
            icon_position="right",
        )  # fmt: skip


def cards(scope: Scope) -> None:
    """Six headline numbers; each against the same length of time before, where there is one."""
    now = summary(scope)
    before = _before(scope)
    slo = fmt.plain(scope.slo_ns)
    with st.grid(6, min_column_width=150):
        left_out = _("{n} left out").format(n=fmt.count(int(now["excluded"])))
        st.metric(
            _("Requests"), fmt.count(int(now["n"])), left_out, delta_color="off",
            delta_arrow="off", border=True, height="stretch",
            help=_("{n} failed").format(n=fmt.count(int(now["failed"]))),
        )  # fmt: skip
        for name in ("e2e_p50", "e2e_p95", "e2e_p99", "ttft_p95"):
            _time_card(name, now, before)
        within = _("{objective} within SLO {slo}").format(
            objective=labels.objective(scope.objective), slo=slo
        )
        _share_card(within, scope, before)


def _earlier(scope: Scope) -> Scope | None:
    """The scope over the period of the same length before; None where time is not limited."""
    start, end = scope.filters.start_ns, scope.filters.end_ns
    if start is None:
        return None
    if end is None:
        last = answers.query("time_range", scope.filters).iloc[0]["end_ns"]
        end = max(start, int(last))
    filters = replace(scope.filters, start_ns=start - (end - start), end_ns=start)
    return replace(scope, filters=filters)


def _share_card(label: str, scope: Scope, before: Any) -> None:
    share = _within(scope)
    old = None if before is None else _within(_earlier(scope) or scope)
    if share is None or old is None:
        st.metric(label, fmt.attainment(share), border=True, height="stretch")
        return
    st.metric(
        label, fmt.attainment(share), fmt.points(share - old), border=True, height="stretch",
        delta_color="normal" if fmt.points(share - old)[0] in "+−" else "off",
        delta_description=_("from {before}").format(before=fmt.attainment(old)),
    )  # fmt: skip


def _within(scope: Scope) -> float | None:
    return share_within(answers.latency(scope.filters), scope.objective, scope.slo_ns)


def _before(scope: Scope) -> Any:
    earlier = _earlier(scope)
    found = None if earlier is None else summary(earlier)
    return found if found is not None and int(found["n"]) >= ENOUGH else None


def _time_card(name: str, now: Any, before: Any) -> None:
    objective, percentile = name.split("_")
    value = request_list.plain(now[f"{name}_ns"])
    label = f"{labels.objective(objective)} {percentile}"
    if value is None:
        st.metric(
            label, fmt.ms(None), border=True, height="stretch", help=blocks.why_missing(objective)
        )
        return
    old = None if before is None else request_list.plain(before[f"{name}_ns"])
    if old is None:
        st.metric(label, fmt.ms(value), border=True, height="stretch")
        return
    st.metric(
        label, fmt.ms(value), fmt.ms_delta(value - old), delta_color="inverse", border=True,
        height="stretch",
        delta_description=_("from {before}").format(before=fmt.ms(old)),
    )  # fmt: skip


def nothing(scope: Scope) -> bool:
    """Whether no request is in scope, or none has a usable length; then that has been said."""
    now = summary(scope)
    if not int(now["n"]):
        blocks.nothing_matches()
        return True
    if int(now["n"]) == int(now["excluded"]):
        blocks.all_left_out(scope, now)
        return True
    return False


def slowest(scope: Scope) -> None:
    """The five slowest, one click from their waterfall."""
    with st.container(border=True, height="stretch"):
        note = _("The five slowest · click a row to open its waterfall")
        st.markdown(titled(_("Slowest requests"), note))
        rows, _total = answers.request_page(scope.filters, sort="slowest", limit=5, offset=0,
                                            search="")  # fmt: skip
        request_rows.table(rows, key=f"slowest-{look.dark()}")


def one_request(scope: Scope) -> bool:
    """Whether the scope holds a single request; then its partition has been drawn."""
    if int(summary(scope)["n"]) != 1:
        return False
    latency = answers.latency(scope.filters)
    blocks.heading(answer_of.overview(latency, "e2e", 95, scope.slo_ns))
    parts = answers.breakdown(scope, "all")
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{_('1 request')}**")
        if parts["mean_ns"] is not None:
            where.pie_and_bars(scope, parts)
    rows, _total = answers.request_page(scope.filters, sort="slowest", limit=1, offset=0, search="")
    request_rows.table(rows, key="only")
    return True
