"""The answers that single pages open with, beside those of the overview."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from words import _, fmt, labels, ngettext
from words.phrases import days, percentile, started
from words.savings import length

Figures = Mapping[str, Any]


def _requests_listed(figures: Figures) -> str:
    return ngettext(
        "{count} request; it took {slowest}.",
        "{count} requests; the slowest took {slowest}.",
        figures["count"],
    ).format(count=fmt.count(figures["count"]), slowest=fmt.ms(figures["slowest_ns"]))


def _fix(figures: Figures) -> str:
    return _("{title} first: {percentile} {current} → {predicted} for {effort} of work.").format(
        title=figures["title"],
        percentile=percentile(figures["percentile"]),
        current=length(figures["current_ns"], figures.get("objective", "e2e")),
        predicted=length(figures["predicted_ns"], figures.get("objective", "e2e")),
        effort=days(figures["effort_days"]),
    )


def _nothing_to_fix(figures: Figures) -> str:
    return _("Nothing in the catalogue saves more than {step} at {percentile}.").format(
        step=fmt.plain(figures["step_ns"]), percentile=percentile(figures["percentile"])
    )


def _plan(figures: Figures) -> str:
    return ngettext(
        "With this step, {percentile} falls from {current} to {predicted}.",
        "With these {count} steps, {percentile} falls from {current} to {predicted}.",
        figures["count"],
    ).format(
        count=fmt.count(figures["count"]),
        percentile=percentile(figures["percentile"]),
        current=fmt.ms(figures["current_ns"]),
        predicted=fmt.ms(figures["predicted_ns"]),
    )


def _what_if(figures: Figures) -> str:
    falls = figures["predicted_ns"] <= figures["current_ns"]
    message = (
        _("With these changes, {percentile} falls to {predicted}.")
        if falls
        else _("With these changes, {percentile} rises to {predicted}.")
    )
    return message.format(
        percentile=percentile(figures["percentile"]), predicted=fmt.ms(figures["predicted_ns"])
    )


def _what_if_unchanged(figures: Figures) -> str:
    return _("Nothing changed yet: {percentile} is {current}.").format(
        percentile=percentile(figures["percentile"]), current=fmt.ms(figures["current_ns"])
    )


def _stages_grow(figures: Figures) -> str:
    return _(
        "From median to {percentile} {stage} grows {ratio}; {other} grows {other_ratio}."
    ).format(
        percentile=percentile(figures["percentile"]),
        stage=labels.stage_phrase(figures["stage"]),
        ratio=fmt.ratio(figures["ratio"]),
        other=labels.stage_phrase(figures["other"]),
        other_ratio=fmt.ratio(figures["other_ratio"]),
    )


def _compare_longer(figures: Figures) -> str:
    return _("In B requests take {time} longer; {stage} explains {share} of it.").format(
        time=fmt.ms(figures["ns"]),
        stage=labels.stage_phrase(figures["stage"]),
        share=fmt.share(figures["share"]),
    )


def _compare_shorter(figures: Figures) -> str:
    return _("In B requests take {time} less; {stage} explains {share} of it.").format(
        time=fmt.ms(abs(figures["ns"])),
        stage=labels.stage_phrase(figures["stage"]),
        share=fmt.share(figures["share"]),
    )


def _compare_same(figures: Figures) -> str:
    return _("A and B do not differ: {change}.").format(
        change=fmt.interval(figures["ns"], figures["low"], figures["high"])
    )


def _explain(figures: Figures) -> str:
    return _("Slow requests sit on {value}: {share} of the slow ones, {rest} of the rest.").format(
        value=figures["value"],
        share=fmt.share(figures["share"]),
        rest=fmt.share(figures["rest_share"]),
    )


def _explain_nothing(figures: Figures) -> str:
    return ngettext(
        "Nothing sets the slow requests apart: {count} value was tried.",
        "Nothing sets the slow requests apart: {count} values were tried.",
        figures["count"],
    ).format(count=fmt.count(figures["count"]))


def _needs(figures: Figures) -> str:
    return ngettext(
        "This needs {needs} request, it has {has}.",
        "This needs {needs} requests, it has {has}.",
        figures["needs"],
    ).format(needs=fmt.count(figures["needs"]), has=fmt.count(figures["has"]))


def _tokens_fit(figures: Figures) -> str:
    return _("Each output token takes {output}, each 1,000 input tokens {input}.").format(
        output=fmt.rate_ms(figures["per_token_ns"]),
        input=fmt.ms(figures["per_1000_tokens_ns"]),
    )


def _tokens_floor(figures: Figures) -> str:
    return _("{stage} runs at {share} of what {hardware} can do: {rate}.").format(
        stage=started(labels.stage_phrase(figures["stage"])),
        share=fmt.share(figures["share"]),
        hardware=figures["hardware"],
        rate=fmt.per_token(figures["per_token_ns"]),
    )


def _tokens_narrow(figures: Figures) -> str:
    return _(
        "No fit: output counts lie between {low} and {high}, too narrow to see a slope."
    ).format(low=fmt.count(figures["low"]), high=fmt.count(figures["high"]))


def _names_without_stage(figures: Figures) -> str:
    return ngettext(
        "{share} of all time is unattributed; its top span name holds {top}.",
        "{share} of all time is unattributed; its top {count} span names hold {top}.",
        figures["count"],
    ).format(
        share=fmt.share(figures["share"]),
        count=fmt.count(figures["count"]),
        top=fmt.share(figures["top_share"]),
    )


def _only_absent(figures: Figures) -> str:
    return _("Every span has a stage; {share} of all time is of spans that never arrived.").format(
        share=fmt.share(figures["share"])
    )


def _all_attributed(_figures: Figures) -> str:
    return _("Every span that holds time has a stage: nothing is unattributed.")


def _name_top(figures: Figures) -> str:
    return ngettext(
        "Name the top span name and {share} of all time finds a stage",
        "Name the top {count} span names and {share} of all time finds a stage",
        figures["count"],
    ).format(count=fmt.count(figures["count"]), share=fmt.share(figures["share"]))


def _metrics_only(_figures: Figures) -> str:
    return _("Only metrics so far: no single request has come.")


def _metric_means(figures: Figures) -> str:
    return _("A request takes {mean} in the mean; {share} of it is {stage}.").format(
        mean=fmt.ms(figures["mean_ns"]),
        share=fmt.share(figures["share"]),
        stage=labels.stage_phrase(figures["stage"]),
    )


def _not_found(_figures: Figures) -> str:
    return _("No request with this trace id.")


PAGE_SENTENCES: Final[dict[str, Callable[[Figures], str]]] = {
    "requests_listed": _requests_listed,
    "fix": _fix,
    "nothing_to_fix": _nothing_to_fix,
    "plan": _plan,
    "what_if": _what_if,
    "what_if_unchanged": _what_if_unchanged,
    "stages_grow": _stages_grow,
    "compare_longer": _compare_longer,
    "compare_shorter": _compare_shorter,
    "compare_same": _compare_same,
    "explain": _explain,
    "explain_nothing": _explain_nothing,
    "needs": _needs,
    "tokens_fit": _tokens_fit,
    "tokens_floor": _tokens_floor,
    "tokens_narrow": _tokens_narrow,
    "names_without_stage": _names_without_stage,
    "only_absent": _only_absent,
    "all_attributed": _all_attributed,
    "name_top": _name_top,
    "metrics_only": _metrics_only,
    "metric_means": _metric_means,
    "not_found": _not_found,
}
"""Template id -> what makes its sentence of its figures."""
