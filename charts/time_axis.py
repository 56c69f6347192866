"""Time on an axis: instants of the viewer's zone and round ticks between them."""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from charts.frame import ticked
from charts.theme import Theme
from words import times

_SECOND: Final = 1_000_000_000
_STEPS: Final = (
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
    86400, 172800, 604800, 1209600, 2592000, 7776000,
    *(years * 31536000 for years in (1, 2, 5, 10, 20, 50, 100)),
)  # fmt: skip


def bin_ns(span_ns: int, most: int = 48) -> int:
    """The smallest round bin width that parts a span into at most `most` bins."""
    seconds = span_ns / _SECOND / most
    return next((step for step in _STEPS if step >= seconds), _STEPS[-1]) * _SECOND


def shown(ns: int, tz: times.Zone) -> datetime:
    """The instant as the axis draws it: the viewer's wall clock, whole microseconds, no zone."""
    wall = times.local(ns, tz).replace(tzinfo=None)
    return wall + timedelta(microseconds=ns % _SECOND // 1000)


def time_axis(
    theme: Theme, lo_ns: int, hi_ns: int, tz: times.Zone, most: int = 7, **axis: Any
) -> dict[str, Any]:
    """A date axis with ticks at round wall-clock times: `14:00`, from a day on `12 Mar`."""
    start, end = shown(lo_ns, tz), shown(hi_ns, tz)
    step = timedelta(seconds=bin_ns(hi_ns - lo_ns, most) // _SECOND)
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    first = midnight + -(-(start - midnight) // step) * step
    ticks: list[datetime] = []
    while first <= end and len(ticks) <= 2 * most:
        ticks.append(first)
        first += step
    names = [_name(tick, step, lo_ns, tz) for tick in ticks]
    return ticked(theme, ticks, names, type="date", range=[start, end], showgrid=False, **axis)


def _name(tick: datetime, step: timedelta, lo_ns: int, tz: times.Zone) -> str:
    if step >= timedelta(days=365):
        return str(tick.year)
    if step >= timedelta(days=1) or (step > timedelta(hours=2) and tick.hour + tick.minute == 0):
        days = (tick - shown(lo_ns, tz)) // timedelta(microseconds=1)
        return times.date(lo_ns + days * 1000, tz, tick.year)
    return tick.strftime("%H:%M:%S" if step < timedelta(minutes=1) else "%H:%M")


def widths_ns(starts: list[int]) -> int:
    """The bin width of sorted bin starts: the smallest distance between two of them."""
    return min((b - a for a, b in pairwise(starts) if b > a), default=60 * _SECOND)
