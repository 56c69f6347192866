"""What a finding saves, in the unit of its objective: seconds, or time per output token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from words import _, fmt, ngettext, phrases

Row = Mapping[str, Any]
"""One row of `slowpath rank`."""


def length(ns: int | None, objective: str) -> str:
    """A level of the objective: `6.40 s`, `18.6 ms per token`."""
    return fmt.per_token(ns) if objective == "tpot" else fmt.ms(ns)


def change(finding: Row) -> str:
    """`p95 6.40 s → 5.21 s`."""
    objective, before = finding["objective"], finding["current_ns"]
    shown = fmt.rate_ms(before) if objective == "tpot" else fmt.ms(before)
    return _("p{percentile} {current} → {predicted}").format(
        percentile=f"{finding['percentile']:g}",
        current=shown,
        predicted=length(finding["predicted_ns"], objective),
    )


def saving(finding: Row) -> tuple[str, str]:
    """The estimate and, in brackets, its interval: `−1.19 s`, `(−1.42 to −0.83)`."""
    range_ = finding["saving_ns"]
    shown = fmt.interval(-range_["typical"], -range_["high"], -range_["low"])
    estimate, bracket, rest = shown.partition(" (")
    if finding["objective"] == "tpot":
        estimate = _("{time} per token").format(time=estimate)
    return estimate, f"({rest}" if bracket else ""


def gained(finding: Row) -> str:
    """`+9.1 points within SLO`; empty where nothing is gained or there is no SLO."""
    if not finding["within_slo_gained"] or not finding["n"]:
        return ""
    share = finding["within_slo_gained"] / finding["n"]
    number = fmt.points(share).split(fmt.THIN)[0]
    said = ngettext("{number} point within SLO", "{number} points within SLO", 2)
    return said.format(number=number)


def effort(finding: Row) -> str:
    """`0.5 to 2 days`."""
    return phrases.days(finding["effort_days"])


def assumed(name: str, value: float) -> str:
    """An assumed number in the unit that the end of its name tells."""
    if name.endswith("_share") or name == "removed":
        return fmt.share(value)
    if name.endswith("_ns"):
        return fmt.ms(value)
    return fmt.ratio(value) if name.endswith("_ratio") else f"{value:g}"
