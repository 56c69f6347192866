"""How instants and ranges of time are written, in the viewer's zone."""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from words import _
from words.missing import MISSING, is_missing

_SECOND = 1_000_000_000
Zone = tzinfo | str | None
_CLOCKS = {"ms": "%H:%M:%S", "s": "%H:%M:%S", "min": "%H:%M"}


def _months() -> tuple[str, ...]:
    return (
        _("Jan"), _("Feb"), _("Mar"), _("Apr"), _("May"), _("Jun"),
        _("Jul"), _("Aug"), _("Sep"), _("Oct"), _("Nov"), _("Dec"),
    )  # fmt: skip


def zone(tz: Zone) -> tzinfo:
    """The zone of a name; UTC where none is given."""
    if tz is None:
        return UTC
    return ZoneInfo(tz) if isinstance(tz, str) else tz


def local(ns: int, tz: Zone) -> datetime:
    """The instant in a zone, to the whole second below."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return (epoch + timedelta(seconds=int(ns) // _SECOND)).astimezone(zone(tz))


def date(ns: int, tz: Zone, this_year: int | None = None) -> str:
    """`12 Mar`, with the year where it is not this one."""
    at = local(ns, tz)
    month = _months()[at.month - 1]
    if at.year == (this_year or datetime.now(zone(tz)).year):
        return _("{day} {month}").format(day=at.day, month=month)
    return _("{day} {month} {year}").format(day=at.day, month=month, year=at.year)


def clock(ns: int, tz: Zone, to: str = "s") -> str:
    """The time of day to `ms`, `s` or `min`, cut and never rounded: `16:42:07.318`."""
    text = local(ns, tz).strftime(_CLOCKS[to])
    return f"{text}.{int(ns) // 1_000_000 % 1000:03d}" if to == "ms" else text


def instant(ns: int | None, tz: Zone, to: str = "ms", this_year: int | None = None) -> str:
    """`12 Mar 16:42:07.318`; `to` is ms, s or min; the year only where it is not this one."""
    if ns is None or is_missing(ns):
        return MISSING
    return _("{date} {clock}").format(date=date(ns, tz, this_year), clock=clock(ns, tz, to))


def time_range(lo: int | None, hi: int | None, tz: Zone, this_year: int | None = None) -> str:
    """`12 Mar 08:00 to 20:00`; the second date only on another day, seconds under two minutes."""
    if lo is None or hi is None or is_missing(lo) or is_missing(hi):
        return MISSING
    to = "s" if hi - lo < 120 * _SECOND else "min"
    start = instant(lo, tz, to, this_year)
    if local(lo, tz).date() == local(hi, tz).date():
        return _("{start} to {end}").format(start=start, end=clock(hi, tz, to))
    return _("{start} to {end}").format(start=start, end=instant(hi, tz, to, this_year))


def zone_name(ns: int, tz: Zone) -> str:
    """The zone as an offset at that instant: `UTC`, `UTC+8`, `UTC−3:30`."""
    offset = local(ns, tz).utcoffset() or timedelta()
    minutes = round(offset.total_seconds() / 60)
    if minutes == 0:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'+' if minutes > 0 else '−'}{hours}" + (f":{rest:02d}" if rest else "")


def step(ns: int) -> str:
    """The width of a time bin: `15 s`, `2 min`, `6 h`, `7 days`.

    >>> step(120 * 10**9) == "2\u202fmin"
    True
    """
    seconds = ns // 1_000_000_000
    for size, unit in ((86400, _("days")), (3600, _("h")), (60, _("min"))):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size}\u202f{unit}"
    return f"{seconds}\u202f{_('s')}"
