"""Plain parameters of a command, a URL or a page -> `Filters` and the objective they are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from analysis.errors import UserError
from data.filters import Filters

OBJECTIVES: Final = ("e2e", "ttft", "tpot")
PERCENTILES: Final = (50, 95, 99)
LONGEST_MS: Final = 1_000_000_000
FURTHEST_NS: Final = 2**63 - 1
"""An instant further from the epoch has no place in a column of integers."""
DEFAULT_SLO_MS: Final = {"e2e": 4000.0, "ttft": 1000.0, "tpot": 50.0}
"""The objective's SLO in ms until the user sets one; a starting point, not a measured figure."""


@dataclass(frozen=True)
class Scope:
    """What is looked at (filters) and by which measure."""

    filters: Filters = field(default_factory=Filters)
    objective: str = "e2e"
    slo_ms: float | None = None

    @property
    def slo_ns(self) -> int:
        """The SLO of the objective, in ns."""
        chosen = DEFAULT_SLO_MS[self.objective] if self.slo_ms is None else self.slo_ms
        return round(chosen * 1_000_000)


def instant_ns(text: str | int | None, where: str) -> int | None:
    """An ISO time (UTC where it names no zone) or ns since the epoch, as ns.

    >>> instant_ns("1970-01-01T00:00:01", "since")
    1000000000
    """
    if text is None:
        return None
    try:
        found = text if isinstance(text, int) else _ns(text)
    except (ValueError, OverflowError):
        found = FURTHEST_NS + 1
    if abs(found) > FURTHEST_NS:
        said = "an ISO time or ns since the epoch, from 1677 to 2262"
        raise UserError(said, ascii(text)[:60], where)
    return found


def _ns(text: str) -> int:
    if text.lstrip("-").isdecimal():
        return int(text)
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    whole = int(moment.replace(microsecond=0).timestamp())
    return whole * 1_000_000_000 + moment.microsecond * 1000


def _texts(params: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = params.get(name) or ()
    return (value,) if isinstance(value, str) else tuple(str(item) for item in value)


def filters_of(params: Mapping[str, Any]) -> Filters:
    """The filters that `--data-set --since --until --service --route --model … --where` say."""
    return Filters(
        data_sets=tuple(_number(item) for item in params.get("data_set") or ()),
        start_ns=instant_ns(params.get("since"), "since"),
        end_ns=instant_ns(params.get("until"), "until"),
        services=_texts(params, "service"),
        routes=_texts(params, "route"),
        models=_texts(params, "model"),
        versions=_texts(params, "version"),
        statuses=_texts(params, "status"),
        expression=str(params.get("where") or ""),
    )


def _number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise UserError("the number of a data set", repr(value), "data_set") from error


def scope_of(params: Mapping[str, Any]) -> Scope:
    """The whole scope of a command.

    Raises:
        UserError: an unknown objective, an SLO that is no positive number, a faulty filter.
    """
    objective = str(params.get("objective") or "e2e")
    if objective not in OBJECTIVES:
        raise UserError(f"one of {', '.join(OBJECTIVES)}", repr(objective), "objective")
    slo = params.get("slo_ms")
    if slo is not None and not 0 < float(slo) <= LONGEST_MS:
        raise UserError(f"a positive number of ms, at most {LONGEST_MS:,}", repr(slo), "slo_ms")
    return Scope(filters_of(params), objective, None if slo is None else float(slo))


def percentile_of(params: Mapping[str, Any]) -> int:
    """`--percentile`, one of 50, 95, 99; 95 where absent."""
    try:
        chosen = int(str(params.get("percentile") or 95).removeprefix("p"))
    except ValueError:
        chosen = -1
    if chosen not in PERCENTILES:
        raise UserError("50, 95 or 99", repr(params.get("percentile")), "percentile")
    return chosen
