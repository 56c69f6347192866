"""What is said of a pie that comes from metrics alone: its basis, and what cannot be told."""

from collections.abc import Mapping, Sequence
from typing import Any

from words import _, fmt, ngettext
from words.emitter_names import EMITTERS


def badge() -> str:
    """The label that every figure from metrics carries."""
    return _("means from metrics, no per-request detail")


def emitters(ids: Sequence[str]) -> str:
    """Who measured, the outermost first."""
    return " → ".join(EMITTERS[one] for one in ids)


def source(pie: Mapping[str, Any]) -> str:
    """Of what a pie is the mean."""
    n = pie["counted"]
    said = ngettext("Mean of {n} request", "Mean of {n} requests", n).format(n=fmt.count(n))
    return _("{mean} that {emitters} counted · adds up to {total}").format(
        mean=said, emitters=emitters(pie["emitters"]), total=fmt.ms(pie["mean_ns"])
    )


def apart(pie: Mapping[str, Any]) -> str:
    """A layer of which only the whole is known."""
    n = pie["counted"]
    said = ngettext(
        "{emitters}: {total} in the mean of {n} request",
        "{emitters}: {total} in the mean of {n} requests",
        n,
    )
    return said.format(
        emitters=emitters(pie["emitters"]), total=fmt.ms(pie["mean_ns"]), n=fmt.count(n)
    )


def bounds(low_ns: int, high_ns: int | None) -> str:
    """Between which bounds of a bucket a percentile lies."""
    if high_ns is None:
        return _("over {low}").format(low=fmt.plain(low_ns))
    if low_ns == 0:
        return _("up to {high}").format(high=fmt.plain(high_ns))
    return _("{low} to {high}").format(low=fmt.plain(low_ns), high=fmt.plain(high_ns))


def role(identifier: str) -> str:
    """What a time is that is no slice of a pie."""
    return {
        "whole": _("whole request"),
        "part": _("part, other count"),
        "ttft": _("to the first token"),
        "token": _("per token"),
        "apart": _("its own time"),
    }[identifier]


def _of_the_division() -> dict[str, str]:
    return {
        "per_request": _("Which requests were slow, and why: metrics hold no single request."),
        "tail": _("Which stage makes the tail: percentiles of parts do not add up."),
        "since_start": _(
            "What is recent: a single scrape speaks of all requests since the process began."
        ),
        "no_whole": _("How much is missing: parts were timed, but no whole request."),
        "undivided": _("What the time consists of: only the whole was timed."),
        "remainder": _(
            "What the unattributed time is: the whole is longer than the parts that were timed."
        ),
        "cut_at_first_token": _(
            "Where exactly decoding begins: it is what follows the first token, as that was sent."
        ),
        "queue_in_first_token": _(
            "How much of the time before the first token was waiting: the queue was not timed."
        ),
        "layers_by_count": _(
            "Whether the layers saw the same requests: they are put inside each other because "
            "their counts agree within 5\u202f%."
        ),
    }  # fmt: skip


def _of_the_data() -> dict[str, str]:
    return {
        "parts_exceed": _(
            "The exact length: the parts add up to more than the whole, as their clocks differ."
        ),
        "counts_differ": _(
            "How parts that counted other requests than their whole fit in: they stand below."
        ),
        "several": _(
            "How the layers lie inside each other: their counts differ, so each has its own sum."
        ),
        "measured_where": _(
            "Where it was measured: engines, gateways and client libraries use this name alike."
        ),
        "counter_reset": _(
            "What happened right before a restart: a counter began anew, and its last growth is "
            "lost."
        ),
        "inf_bucket_missing": _(
            "How long the longest took: a histogram came without its last bucket."
        ),
        "delta": _("Whether a report is missing: the points carry only what was new in each."),
        "buckets_disagree": _("Percentiles: the buckets hold another number than was counted."),
        "stale": _("How it is now: some series ended over 5 minutes before the others."),
        "one_point": _(
            "What new processes did: a series of one point is left out beside longer ones."
        ),
        "copies": _(
            "Whether copies differ: series that were scraped more than once count once."
        ),
    }  # fmt: skip


def cannot_tell(ids: Sequence[str]) -> list[str]:
    """What these metrics leave open, a sentence each."""
    said = _of_the_division() | _of_the_data()
    return [said[one] for one in ids]


def sign(row: Mapping[str, Any]) -> str:
    """What one gauge or counter showed.

    >>> sign({"family": "up", "of": None, "unit": "ratio", "mean": 0.5, "most": 1.0,
    ...       "increase": None, "total": None, "mean_ns": None})
    'up: 50\u202f% in the mean, at most 100\u202f%'
    """
    return _("{family}: {shown}").format(family=row["family"], shown=_shown(row))


def _number(x: float) -> str:
    """A gauge's value: a mean below ten keeps two figures, as 0.4 waiting is not none."""
    return fmt.count(x) if abs(x) >= 10 else f"{x:.2g}"


def _shown(row: Mapping[str, Any]) -> str:
    number = fmt.share if row["unit"] == "ratio" else _number
    if row["of"] is not None and row["mean"] is not None:
        return _("{share} of {whole}").format(share=number(row["mean"]), whole=row["of"])
    if row["mean"] is not None and number(row["mean"]) == number(row["most"]):
        return number(row["mean"])
    if row["mean"] is not None:
        return _("{mean} in the mean, at most {most}").format(
            mean=number(row["mean"]), most=number(row["most"])
        )
    if row["increase"] is not None:
        return _("{n} more over the points").format(n=fmt.count(row["increase"]))
    if row["total"] is not None:
        return _("{n} since the process began").format(n=fmt.count(row["total"]))
    return _("{time} in the mean").format(time=fmt.ms(row["mean_ns"]))
