"""Parts that several pages share: the answer, the empty start, errors, the quality strip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from analysis.answer import Answer
from analysis.errors import UserError
from analysis.stages import GROUP_OF
from data.expression import ExpressionError
from services import findings, request_list
from services.scope import Scope
from ui import address, answers, filters, page_list, session, texts
from words import _, fmt, labels, ngettext, sentences

escaped = texts.escaped


def heading(answer: Answer) -> None:
    """The page's answer, as its heading."""
    st.markdown(f"## {escaped(sentences.sentence(answer.id, answer.figures))}")


@contextmanager
def user_errors() -> Iterator[None]:
    """Show a fault that the user can mend once, at the place of the content."""
    try:
        yield
    except ExpressionError as error:
        _expression_error(error)
    except UserError as error:
        where = f"{error.where}: " if error.where else ""
        first = _("{where}{found}.").format(where=where, found=error.found)
        rest = _("Expected {expected}.").format(expected=error.expected)
        st.error(f"**{escaped(first)}** {escaped(rest)}", icon=":material/error:")


def _expression_error(error: ExpressionError) -> None:
    """The expression with the spot underlined, and a way on."""
    text = str(address.value("where") or "")
    line = text.replace("\n", " ").replace("`", "'")
    said = _("**The expression cannot be read.** Expected {expected}.")
    caret = f"{' ' * min(error.position, len(line))}^ {error.found}".replace("`", "'")
    st.error(
        said.format(expected=escaped(error.expected)) + f"\n```text\n{line}\n{caret}\n```",
        icon=":material/error:",
    )
    with st.container(horizontal=True, gap="small"):
        if error.suggestion:
            mended = _mended(text, error)
            label = _("Use {word}").format(word=escaped(error.suggestion))
            st.button(label, icon=":material/check:", on_click=address.put, args=("where", mended))
        st.button(_("Clear the expression"), icon=":material/close:", on_click=address.put,
                  args=("where", None))  # fmt: skip


def _mended(text: str, error: ExpressionError) -> str:
    rest = text[error.position :]
    word = re.match(r"\w+", rest)
    kept = rest[word.end() :] if word else rest
    return text[: error.position] + error.suggestion + kept


def is_empty() -> bool:
    """Whether the store holds no request at all; then the start page has been drawn."""
    if len(answers.data_sets()):
        return False
    start_page()
    return True


def start_page() -> None:
    """What stands on every page while there is nothing to show."""
    heading(Answer("empty"))
    st.markdown(_("It is read here, on this machine. Prompts and answers are dropped at the door."))
    one, two, three = st.columns(3)
    with one.container(border=True, height="stretch"):
        st.markdown(_("**1 · Drop a file**"))
        st.caption(_("OTLP, Jaeger and Zipkin JSON; .gz is fine. No need to say which."))
        to = page_list.link("sources.py")
        st.page_link(to, label=_("Open Sources"), icon=":material/upload:")
    with two.container(border=True, height="stretch"):
        st.markdown(_("**2 · Or use the command**"))
        st.code("slowpath import traces.json", language="bash")
        st.caption(_("It works beside the running app, for files of any size."))
    with three.container(border=True, height="stretch"):
        st.markdown(_("**3 · Or look at the sample**"))
        st.caption(_("An hour of an invented chat and search application."))
        st.button(_("Open the sample"), icon=":material/arrow_forward:", on_click=_load_sample)
        st.caption(_("It leaves as soon as your own data arrives."))


def _load_sample() -> None:
    session.load_sample()


def nothing_matches() -> None:
    """No request is in scope: say why, and offer the way out."""
    if filters.none_active() and any(row["points"] for row in answers.data_sets()):
        heading(Answer("metrics_only"))
        st.markdown(_("Waterfalls, percentiles and stages need traces; import an export of them."))
        st.page_link(page_list.link("sources.py"), label=_("Open Sources"),
                     icon=":material/upload:")  # fmt: skip
        return
    heading(Answer("nothing_matches"))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        filters.all_chips()
        st.button(_("Clear filters"), icon=":material/close:", on_click=filters.clear)


def quality(scope: Scope, unattributed: float | None) -> None:
    """One line of what is doubtful in the data, which opens into every flag."""
    flags = answers.query("flag_counts", scope.filters)
    left_out = answers.query("summary", scope.filters, slo_ns=scope.slo_ns).iloc[0]["excluded"]
    parts = [_("{n} left out").format(n=fmt.count(int(left_out)))]
    moved = int(flags.loc[flags["flag"] == "skew_corrected", "spans"].sum())
    if moved:
        said = ngettext("{n} span moved to its clock", "{n} spans moved to their clock", moved)
        parts.append(said.format(n=fmt.count(moved)))
    if unattributed is not None:
        parts.append(_("{share} unattributed").format(share=fmt.share(unattributed)))
    if st.button(" · ".join(parts), type="tertiary", icon=":material/rule:", key="quality"):
        _quality_dialog(flags)


@st.dialog(_("What is doubtful in the data"), width="large")
def _quality_dialog(flags: Any) -> None:
    if flags.empty:
        st.markdown(_("No request carries a flag."))
    for row in flags.to_dict("records"):
        with st.container(border=True):
            _flag_card(row)


def _flag_card(row: dict[str, Any]) -> None:
    requests, spans = int(row["requests"]), int(row["spans"])
    counts = ", ".join(
        (ngettext("{n} request", "{n} requests", requests).format(n=fmt.count(requests)),
         ngettext("{n} span", "{n} spans", spans).format(n=fmt.count(spans)))
    )  # fmt: skip
    st.markdown(f"**{labels.flag(row['flag'])}** :gray[{counts}]")
    st.caption(f"{labels.flag_meaning(row['flag'])} {labels.flag_effect(row['flag'])}")
    st.page_link(
        page_list.link("request_list.py"),
        label=_("Show these requests"),
        query_params={"flag": row["flag"]},
    )


def why_missing(objective: str) -> str:
    """Why a percentile is not there."""
    if objective == "ttft":
        return _("No request marks its first token, so there is no TTFT.")
    if objective == "tpot":
        return _("No request marks its first token and counts its output tokens.")
    return _("Every request lacks a usable length.")


def all_left_out(scope: Scope, summary: Any) -> None:
    """Only lower bounds: say so, with the reasons and the bounds, and give no percentile."""
    heading(Answer("all_left_out", {"count": int(summary["n"])}))
    low, high = (fmt.at_least(int(summary[f"bound_{side}_ns"])) for side in ("low", "high"))
    bounds = low if low == high else _("{low} to {high}").format(low=low, high=high)
    st.markdown(_("All that is known of the length: {bounds}.").format(bounds=bounds))
    flags = answers.query("flag_counts", scope.filters)
    for row in request_list.records(flags):
        with st.container(border=True):
            _flag_card(row)


def stage_table(parts: dict[str, Any]) -> None:
    """The figures of one band as a table."""
    rows = [
        {
            _("Group"): labels.group(GROUP_OF[row["stage"]]),
            _("Stage"): labels.stage(row["stage"]),
            _("Mean"): fmt.ms(row["mean_ns"]),
            _("Share"): fmt.share(row["share"]),
        }
        for row in sorted(parts["stages"], key=lambda row: -row["mean_ns"])
        if row["mean_ns"]
    ]
    st.table(rows, border="horizontal")


def fix_line(finding: dict[str, Any], percentile: int) -> None:
    """The second line of a page: what to do first, with its effect."""
    said = sentences.sentence("fix_first", findings.fix_figures(finding, percentile))
    st.markdown(escaped(said))
