"""What a span says about its own boundaries, read from attributes and events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final, NamedTuple

from analysis.rules import TOKENS, Mark
from analysis.tree import Span

NS_PER: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # micro sign
    "μs": 1_000,  # Greek mu
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
"""Unit -> ns."""

POSITIONS: Final = frozenset(
    ["first_scheduled", "first_chunk", "first_token", "response_start", "first_byte", "last_token"]
)
"""Marks that name an instant; the others name a length."""

LONGEST_NS: Final = 1 << 58
"""A length beyond nine years, or an offset, says nothing; sums of shorter ones fit 64 bits."""
LATEST_NS: Final = 1 << 62
"""An instant beyond the year 2116 says nothing."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PART = re.compile(r"([0-9]*\.?[0-9]+)\s*(ns|us|µs|μs|ms|s|m|h)")
_DURATION = re.compile(rf"\s*-?\s*(?:{_PART.pattern}\s*)+")
_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9})\d*)?\s*(Z|[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)
_FINEST = 1_000  # ns: figures in seconds as floats, and clocks of browsers, are no finer


class Figure(NamedTuple):
    """A number read from a span in ns, and the step in which its emitter counts."""

    ns: int
    step_ns: int


class Reading(NamedTuple):
    """A mark that a span carries: an instant (ns since the epoch) or a length in ns.

    `offset_ns` is an instant's distance from its span's start; for a length it is the length.
    """

    ns: int
    offset_ns: int
    step_ns: int
    key: str


def read_marks(span: Span) -> dict[str, Reading | None]:
    """The marks of the span's rule that it carries: name -> reading, None where unreadable.

    Of several marks of one name the first that the span carries in a readable form counts.
    """
    found: dict[str, Reading | None] = {}
    for mark in span.rule.marks if span.rule is not None else ():
        if mark.name not in TOKENS and found.get(mark.name) is None:
            carried, reading = _carried(span, mark)
            if carried:
                found[mark.name] = reading
    return found


def shift_ns(span: Span) -> int:
    """How far cleaning has moved the span's clock."""
    return span.flags.get("skew_corrected") or 0


def _carried(span: Span, mark: Mark) -> tuple[bool, Reading | None]:
    if mark.place == "event":
        times = event_times(span, mark.key)
        return bool(times), _instant(span, Figure(min(times), 1), mark.key) if times else None
    if mark.key not in span.attributes:
        return False, None
    figure = figure_ns(span.attributes[mark.key], mark.unit)
    return True, None if figure is None else _reading(span, mark, figure)


def _reading(span: Span, mark: Mark, figure: Figure) -> Reading | None:
    """What a figure says of a span, None where it stands for nothing."""
    absolute = mark.unit == "iso" or mark.meaning == "absolute"
    if abs(figure.ns) > (LATEST_NS if absolute else LONGEST_NS):
        return None
    if absolute:
        return _instant(span, Figure(figure.ns + shift_ns(span), figure.step_ns), mark.key)
    if mark.name in POSITIONS:
        return Reading(span.start + figure.ns, figure.ns, figure.step_ns, mark.key)
    return Reading(figure.ns, figure.ns, figure.step_ns, mark.key) if figure.ns >= 0 else None


def _instant(span: Span, figure: Figure, key: str) -> Reading:
    return Reading(figure.ns, figure.ns - span.start, figure.step_ns, key)


def event_times(span: Span, pattern: str) -> list[int]:
    """When the events happened whose name has the pattern, in ns since the epoch, as recorded."""
    search = _compiled(pattern).search
    return [e.time_ns for e in span.events if e.time_ns is not None and search(e.name)]


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def figure_ns(value: Any, unit: str) -> Figure | None:
    """A value as ns: a number in `unit`, a text with its own unit, a date, or a list of one.

    `figure_ns("1.23ms", "text")` is 1,230,000 ns, `figure_ns(["250"], "ms")` 250,000,000 ns and
    `figure_ns("2023-11-14T22:13:20Z", "iso")` the time since the epoch.
    """
    while isinstance(value, list) and value:
        value = value[0]
    if unit == "iso":
        return _date_ns(value)
    if isinstance(value, str):
        value = value.strip().strip("\"'")
        return _text_ns(value) or _number_ns(value, unit)
    return None if isinstance(value, bool) else _number_ns(value, unit)


def _number_ns(value: Any, unit: str) -> Figure | None:
    factor = NS_PER.get(unit)
    if type(value) is int and factor is not None and abs(value) <= 10**20:
        return Figure(value * factor, min(factor, 1_000_000))
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    if factor is None or not number.is_finite() or abs(number) > 10**20:
        return None
    return Figure(round(number * factor), _step_ns(number, factor))


def _step_ns(number: Decimal, factor: int) -> int:
    whole = number == number.to_integral_value()
    return min(factor, 1_000_000) if whole else min(factor, _FINEST)


def _text_ns(text: str) -> Figure | None:
    if not _DURATION.fullmatch(text):
        return None
    parts = [(Decimal(number), NS_PER[unit]) for number, unit in _PART.findall(text)]
    total = round(sum(number * factor for number, factor in parts))
    digits = -int(parts[-1][0].as_tuple().exponent)
    step = max(1, parts[-1][1] // 10 ** max(0, digits))
    return Figure(-total if text.lstrip().startswith("-") else total, step)


def _date_ns(value: Any) -> Figure | None:
    found = _ISO.fullmatch(str(value).strip().strip("\"'\\ "))
    if found is None:
        return None
    day, clock, fraction, zone = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=_zone(zone))
    except ValueError:
        return None
    fraction = fraction or ""
    seconds = (moment - _EPOCH) // timedelta(seconds=1)
    step = int(10 ** (9 - len(fraction)))
    return Figure(seconds * NS_PER["s"] + int(fraction.ljust(9, "0")), step)


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


def attribute(span: Span, keys: Iterable[str]) -> Any:
    """The value of the first of these keys that the span carries, None where it has none."""
    for key in keys:
        value = span.attributes.get(key)
        if value is not None:
            return value
    return None


def decoded(value: Any) -> Any:
    """A value that may be JSON in a text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return None
