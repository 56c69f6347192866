"""Answers as sentences: a template id and its figures in, one sentence out."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from words import _, fmt, labels, ngettext
from words.page_sentences import PAGE_SENTENCES
from words.phrases import days, lowered, percentile, started

Figures = Mapping[str, Any]

_WAITING: Final = {"request_queue", "autoscale_cold_start", "connection_setup", "auth_rate_limit"}


def _tail_differs(figures: Figures) -> str:
    fields = {
        "share": fmt.share(figures["share"]),
        "percentile": percentile(figures["percentile"]),
        "stage": labels.stage_phrase(figures["stage"]),
        "base_share": fmt.share(figures["base_share"]),
    }
    if figures["stage"] in _WAITING:
        return _(
            "Slow requests wait: {share} of {percentile} is {stage}, "
            "against {base_share} of the median."
        ).format(**fields)
    return _("{share} of {percentile} is {stage}, against {base_share} of the median.").format(
        **fields
    )


def _same_everywhere(figures: Figures) -> str:
    fields = {
        "stage": started(labels.stage_phrase(figures["stage"])),
        "median_share": fmt.share(figures["median_share"]),
        "percentile": percentile(figures["percentile"]),
        "share": fmt.share(figures["share"]),
        "rest": fmt.share(figures["rest_share"]),
    }
    if figures["rest_share"] < 0.0995:
        return _(
            "{stage} takes {median_share} at the median and {share} at {percentile}; "
            "nothing else reaches 10\u202f%."
        ).format(**fields)
    return _(
        "{stage} takes {median_share} at the median and {share} at {percentile}; "
        "the next stage takes {rest}."
    ).format(**fields)


def _good_news(figures: Figures) -> str:
    return _(
        "{share} of requests end within {slo}; "
        "no single stage adds more than {step} to {percentile}."
    ).format(
        share=fmt.attainment(figures["share"]),
        slo=fmt.plain(figures["slo_ns"]),
        step=fmt.ms(figures["step_ns"]),
        percentile=percentile(figures["percentile"]),
    )


def _recent(figures: Figures) -> str:
    return _("Since {clock} requests take {time} longer; {stage} explains {share} of it.").format(
        clock=figures["clock"],
        time=fmt.ms(figures["added_ns"]),
        stage=labels.stage_phrase(figures["stage"]),
        share=fmt.share(figures["share"]),
    )


def _weak_data(figures: Figures) -> str:
    return _("{share} of the time is unattributed, so no stage can be blamed yet.").format(
        share=fmt.share(figures["share"])
    )


def _too_few(figures: Figures) -> str:
    return ngettext(
        "{count} request: too few for a p95. It took {slowest}, {time} of it in {stage}.",
        "{count} requests: too few for a p95. The slowest took {slowest}, {time} of it in {stage}.",
        figures["count"],
    ).format(
        count=fmt.count(figures["count"]),
        slowest=fmt.ms(figures["slowest_ns"]),
        time=fmt.ms(figures["stage_ns"]),
        stage=labels.stage_phrase(figures["stage"]),
    )


def _no_ttft(figures: Figures) -> str:
    return ngettext(
        "No TTFT: the one request does not mark its first token.",
        "No TTFT: none of {count} requests marks its first token.",
        figures["count"],
    ).format(count=fmt.count(figures["count"]))


def _one_request(figures: Figures) -> str:
    return _("One request of {e2e}: {time} of it in {stage}.").format(
        e2e=fmt.ms(figures["e2e_ns"]),
        time=fmt.ms(figures["stage_ns"]),
        stage=labels.stage_phrase(figures["stage"]),
    )


def _all_left_out(figures: Figures) -> str:
    return ngettext(
        "The one request lacks a usable length, so there is no percentile.",
        "All {count} requests lack a usable length, so there is no percentile.",
        figures["count"],
    ).format(count=fmt.count(figures["count"]))


def _nothing_matches(_figures: Figures) -> str:
    return _("No request matches these filters.")


def _metrics_only(_figures: Figures) -> str:
    return _("Only metrics so far: no single request has come.")


def _empty(_figures: Figures) -> str:
    return _("Where does your LLM request’s time go? Give it one export.")


def _fix_first(figures: Figures) -> str:
    title = lowered(figures["title"])
    return _(
        "Fix first: {title} · {percentile} {current} → {predicted}, {saving} · {effort}, {risk}"
    ).format(
        title=f"**{title}**" if figures.get("bold") else title,
        percentile=percentile(figures["percentile"]),
        current=fmt.ms(figures["current_ns"]),
        predicted=fmt.ms(figures["predicted_ns"]),
        saving=fmt.interval(-figures["typical"], -figures["high"], -figures["low"]),
        effort=days(figures["effort_days"]),
        risk=labels.risk(figures["risk"]),
    )


def _length(figures: Figures) -> str:
    """The request's length, `≥` where the figures say that it is a lower bound."""
    bound = figures.get("bound")
    return fmt.at_least(figures["e2e_ns"]) if bound else fmt.ms(figures["e2e_ns"])


def _request_stage(figures: Figures) -> str:
    return _("{e2e}: {stage} took {time}.").format(
        e2e=_length(figures),
        stage=labels.stage_phrase(figures["stage"]),
        time=fmt.ms(figures["stage_ns"]),
    )


def _request_stage_unusual(figures: Figures) -> str:
    return _("{e2e}: {stage} took {time}, {ratio} its usual {usual}.").format(
        e2e=_length(figures),
        stage=labels.stage_phrase(figures["stage"]),
        time=fmt.ms(figures["stage_ns"]),
        ratio=fmt.ratio(figures["ratio"]),
        usual=fmt.ms(figures["usual_ns"]),
    )


def _retry_cost(figures: Figures) -> str:
    return _("A failed first attempt cost another {time}.").format(time=fmt.ms(figures["ns"]))


SENTENCES: Final[dict[str, Callable[[Figures], str]]] = {
    "tail_differs": _tail_differs,
    "same_everywhere": _same_everywhere,
    "recent": _recent,
    "good_news": _good_news,
    "weak_data": _weak_data,
    "too_few": _too_few,
    "no_ttft": _no_ttft,
    "one_request": _one_request,
    "all_left_out": _all_left_out,
    "nothing_matches": _nothing_matches,
    "metrics_only": _metrics_only,
    "empty": _empty,
    "fix_first": _fix_first,
    "request_stage": _request_stage,
    "request_stage_unusual": _request_stage_unusual,
    "retry_cost": _retry_cost,
    **PAGE_SENTENCES,
}
"""Template id -> what makes its sentence of its figures."""


def sentence(answer_id: str, figures: Figures) -> str:
    """The sentence of one answer.

    Args:
        answer_id: a key of `SENTENCES`.
        figures: what that template names, lengths in ns, shares from 0 to 1.
    """
    return SENTENCES[answer_id](figures)
