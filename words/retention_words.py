"""What is said of how long data is kept and of what a sweep took."""

from __future__ import annotations

from typing import Any

from words import _, fmt, ngettext, times
from words.missing import is_missing
from words.times import Zone


def kept(days: float | None, most: int | None) -> str:
    """The limits in one line."""
    if days is None and most is None:
        return _("Everything is kept. `SLOWPATH_KEEP_DAYS` or `SLOWPATH_KEEP_GB` sets a limit.")
    parts = [] if days is None else [age(days)]
    parts += [] if most is None else [fmt.bytes_(most)]
    return _("Kept: {limits}; an hourly sweep removes the oldest beyond that.").format(
        limits=_(" and at most ").join(parts)
    )


def age(days: float) -> str:
    """A number of days in words.

    >>> age(7.0), age(1), age(0.5)
    ('7 days', '1 day', '0.5 days')
    """
    return ngettext("{n} day", "{n} days", 1 if days == 1 else 2).format(n=f"{days:g}")


def disk(file: int, free: int, waiting: int) -> str:
    """The bytes on disk in one line."""
    parts = [_("Database {size}").format(size=fmt.bytes_(file))]
    if free >= 1e6:
        parts.append(_("{size} of it free for what comes").format(size=fmt.bytes_(free)))
    parts.append(_("journal {size}").format(size=fmt.bytes_(waiting)))
    return " · ".join(parts)


def swept(last: dict[str, Any], zone: Zone) -> str:
    """What the last sweep removed: `3,201 requests older than 7 days were removed at …`."""
    n = int(last["requests"])
    reasons = (
        [] if is_missing(last["days"]) else [_("older than {age}").format(age=age(last["days"]))]
    )
    if not is_missing(last["bytes"]):
        reasons.append(_("beyond {size}").format(size=fmt.bytes_(int(last["bytes"]))))
    if not n:
        n = int(last["points"])
        text = ngettext(
            "{n} metric point {reason} was removed at {at}",
            "{n} metric points {reason} were removed at {at}", n,
        )  # fmt: skip
    else:
        text = ngettext(
            "{n} request {reason} was removed at {at}",
            "{n} requests {reason} were removed at {at}", n,
        )  # fmt: skip
    at = times.instant(int(last["swept_ns"]), zone, to="s")
    return text.format(n=fmt.count(n), reason=_(" or ").join(reasons), at=at)


def sweep_answer(answer: dict[str, Any]) -> str:
    """What `slowpath sweep` took, or would take."""
    counts = _("{requests} requests ({spans} spans) and {points} metric points").format(
        requests=fmt.count(answer["requests"]),
        spans=fmt.count(answer["spans"]),
        points=fmt.count(answer["points"]),
    )
    n = answer["pinned_traces"]
    pins = ngettext("{n} pinned trace stays", "{n} pinned traces stay", n).format(n=fmt.count(n))
    if answer["removed"]:
        return _("removed {counts}; {pins}").format(counts=counts, pins=pins)
    return _("would remove {counts}; {pins}. --yes removes them").format(counts=counts, pins=pins)
