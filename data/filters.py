"""Filters: which requests a question is about, compiled to one bound condition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from data.expression import compiled


@dataclass(frozen=True)
class Filters:
    """What a page or a command asks about; whatever is left empty does not filter.

    Args:
        data_sets: import ids; a request counts to each import that brought a record of its trace.
        start_ns: first instant at which a request may start, ns since the epoch.
        end_ns: first instant at which it may no longer start.
        services: services of the root span; `routes`, `models`, `versions`, `statuses` alike.
        input_tokens: least and most tokens of the answer call, None for no bound; `output_tokens`
            alike. Requests without a count are left out once there is a bound.
        flag: a flag that the request carries.
        expression: what `data/expression.py` understands, such as `request_queue_ms > 200`.
    """

    data_sets: tuple[int, ...] = ()
    start_ns: int | None = None
    end_ns: int | None = None
    services: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    input_tokens: tuple[int | None, int | None] | None = None
    output_tokens: tuple[int | None, int | None] | None = None
    flag: str | None = None
    expression: str = ""


_LISTS = {
    "services": "service",
    "routes": "route",
    "models": "model",
    "versions": "version",
    "statuses": "status",
}


@dataclass
class Condition:
    """SQL conditions that must all hold, and the values bound in them by name."""

    parts: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def sql(self) -> str:
        """One condition; `true` where nothing filters."""
        return " AND ".join(self.parts) or "true"

    def add(self, part: str, **values: Any) -> None:
        """Append one condition and what is bound in it."""
        self.parts.append(part)
        self.values.update(values)


def requests_condition(filters: Filters) -> Condition:
    """What a row of `requests` must fulfil; raises UserError for a wrong expression."""
    condition = Condition()
    _add_place_and_time(condition, filters, "start_ns", "list_has_any(import_ids, $f_data_sets)")
    for name, column in _LISTS.items():
        if values := getattr(filters, name):
            condition.add(f"list_contains($f_{name}, {column})", **{f"f_{name}": list(values)})
    for name in ("input_tokens", "output_tokens"):
        low, high = getattr(filters, name) or (None, None)
        if low is not None:
            condition.add(f"{name} >= $f_{name}_low", **{f"f_{name}_low": low})
        if high is not None:
            condition.add(f"{name} <= $f_{name}_high", **{f"f_{name}_high": high})
    if filters.flag is not None:
        condition.add("list_contains(flags, $f_flag)", f_flag=filters.flag)
    if filters.expression.strip():
        sql, values = compiled(filters.expression)
        condition.add(sql, **values)
    return condition


def points_condition(filters: Filters) -> Condition:
    """What a row of `metric_points` must fulfil: its data set and time; the rest is of requests."""
    condition = Condition()
    _add_place_and_time(condition, filters, "time_ns", "list_contains($f_data_sets, import_id)")
    return condition


def _add_place_and_time(condition: Condition, filters: Filters, time: str, place: str) -> None:
    if filters.data_sets:
        condition.add(place, f_data_sets=list(filters.data_sets))
    if filters.start_ns is not None:
        condition.add(f"{time} >= $f_start_ns", f_start_ns=filters.start_ns)
    if filters.end_ns is not None:
        condition.add(f"{time} < $f_end_ns", f_end_ns=filters.end_ns)
