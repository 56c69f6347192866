"""How numbers, lengths, instants and intervals are written, each in one place."""

import math
from collections.abc import Sequence

from words import _, ngettext
from words.missing import MISSING, is_missing
from words.times import instant, time_range

__all__ = [
    "MINUS", "MISSING", "THIN", "at_least", "attainment", "between", "bytes_", "count", "instant",
    "interval", "is_missing", "ms", "ms_delta", "per_1000_tokens", "per_second", "per_token",
    "plain", "points", "rate_ms", "ratio", "share", "ticks", "time_range", "tokens",
]  # fmt: skip

THIN = "\u202f"  # thin and unbreakable; U+2009 would part a number from its unit
MINUS = "\u2212"

Number = int | float | None

# step in ns, first number of steps that belongs to the next row, decimals, unit
_ROWS = (
    (10_000, 100, 2, "ms"),
    (100_000, 100, 1, "ms"),
    (1_000_000, 1_000, 0, "ms"),
    (10_000_000, 1_000, 2, "s"),
    (100_000_000, 600, 1, "s"),
)
_Row = tuple[int, int, int, str]


def _steps(value: float, step: int) -> int:
    """How many steps, rounded half up."""
    return (round(value) + step // 2) // step


def _fixed(steps: int, decimals: int) -> str:
    whole, part = divmod(steps, 10**decimals)
    return f"{whole:,}" + (f".{part:0{decimals}d}" if decimals else "")


def _row(size: float) -> _Row | None:
    return next((row for row in _ROWS if _steps(size, row[0]) < row[1]), None)


def _long(size: float) -> str:
    seconds = _steps(size, 1_000_000_000)
    if seconds < 3_600:
        text = _("{minutes} min {seconds} s").format(
            minutes=seconds // 60, seconds=f"{seconds % 60:02d}"
        )
    else:
        minutes = _steps(size, 60_000_000_000)
        text = _("{hours} h {minutes} min").format(
            hours=f"{minutes // 60:,}", minutes=f"{minutes % 60:02d}"
        )
    return text.replace(" ", THIN)


def _size(size: float) -> str:
    if size == 0:
        return "0"
    row = _row(size)
    if row is None:
        return _long(size)
    step, _limit, decimals, unit = row
    steps = _steps(size, step)
    return f"{_fixed(steps, decimals)}{THIN}{unit}" if steps else f"<0.01{THIN}ms"


def ms(ns: Number) -> str:
    """A length: `0.42 ms`, `842 ms`, `6.40 s`, `1 min 12 s`; rounded first, then the row chosen."""
    if ns is None or is_missing(ns):
        return MISSING
    return (MINUS if ns < 0 else "") + _size(abs(ns))


def ms_delta(ns: Number) -> str:
    """A change of a length, with its sign: `+1.78 s`, `−64 ms`; `0` where there is none."""
    if ns is None or is_missing(ns):
        return MISSING
    return ("+" if ns > 0 else "") + ms(ns)


def plain(ns: Number) -> str:
    """A round length as it was chosen, without trailing zeros: `4 s`, `2.5 s`, `500 ms`."""
    if ns is None or is_missing(ns):
        return MISSING
    size, unit = (abs(ns) / 1e9, "s") if abs(ns) >= 1e9 else (abs(ns) / 1e6, "ms")
    digits = f"{size:,.3f}".rstrip("0").rstrip(".")
    return "0" if digits == "0" else (MINUS if ns < 0 else "") + f"{digits}{THIN}{unit}"


def ticks(values_ns: Sequence[int]) -> list[str]:
    """Axis labels of round lengths, in seconds throughout where they lie near a second."""
    sizes = [abs(value) for value in values_ns if value]
    if not sizes or max(sizes) < 1_000_000_000 or min(sizes) < 100_000_000:
        return [plain(value) for value in values_ns]
    return [_seconds(value) for value in values_ns]


def _seconds(ns: int) -> str:
    digits = f"{abs(ns) / 1e9:,.3f}".rstrip("0").rstrip(".")
    return "0" if digits == "0" else (MINUS if ns < 0 else "") + f"{digits}{THIN}s"


def at_least(ns: Number) -> str:
    """A lower bound: `≥ 6.40 s`."""
    return MISSING if is_missing(ns) else f"≥{THIN}{ms(ns)}"


def _in_row(ns: float, row: _Row | None) -> str:
    """A bound in the unit and decimals of its estimate, without the unit."""
    if row is None or ns == 0:
        return ms(ns)
    text = _fixed(_steps(abs(ns), row[0]), row[2])
    return (MINUS if ns < 0 and text.strip("0.,") else "") + text


def _bounds(first: float, second: float, row: _Row | None) -> str:
    return _("{first} to {second}").format(first=_in_row(first, row), second=_in_row(second, row))


def _estimate_row(typical: float, low: float, high: float) -> _Row | None:
    return _row(abs(typical) or max(abs(low), abs(high)))


def interval(typical: Number, low: Number, high: Number) -> str:
    """A change with its interval: `−420 ms (−610 to −250)`, larger effect first, unit once.

    All in ns, the bounds in any order. An interval that spans 0 runs from low to high.
    """
    if typical is None or low is None or high is None or is_missing(low + high + typical):
        return ms_delta(typical)
    if typical == low == high:
        return ms_delta(typical)
    row, (low, high) = _estimate_row(typical, low, high), sorted((low, high))
    first, second = (high, low) if low > 0 else (low, high)
    estimate = ms_delta(typical)
    if row is not None and not typical:
        estimate = f"0{THIN}{row[3]}"
    return f"{estimate} ({_bounds(first, second, row)})"


def between(typical: Number, low: Number, high: Number) -> str:
    """The interval of a level alone, in its estimate's unit and decimals: `6.11 to 6.74`."""
    if typical is None or low is None or high is None or is_missing(low + high + typical):
        return MISSING
    first, second = sorted((low, high))
    return _bounds(first, second, _estimate_row(typical, low, high))


def _tenths(x: float) -> int:
    return math.floor(abs(x) * 1000 + 0.5 + 1e-9)  # 0.0995 is 9.95 %, though its float is less


def share(x: Number) -> str:
    """A part of a whole (0 to 1): `29 %`, `6.7 %`, `<0.1 %`; `0 %` only where it is exactly 0."""
    if x is None or is_missing(x):
        return MISSING
    tenths = _tenths(x)
    if x == 0 or tenths == 0:
        return f"{'0' if x == 0 else '<0.1'}{THIN}%"
    whole = math.floor(abs(x) * 100 + 0.5 + 1e-9)
    return (
        (MINUS if x < 0 else "") + (_fixed(tenths, 1) if tenths < 100 else str(whole)) + f"{THIN}%"
    )


def attainment(x: Number) -> str:
    """A share of requests within a limit, one decimal: `86.1 %`; `100 %` only if all are."""
    if x is None or is_missing(x):
        return MISSING
    if x in (0, 1):
        return f"{100 * int(x)}{THIN}%"
    tenths = _tenths(x)
    text = "<0.1" if tenths == 0 else ">99.9" if tenths >= 1000 else _fixed(tenths, 1)
    return f"{text}{THIN}%"


def points(x: Number) -> str:
    """A change of a share (0.01 is one point), signed: `−7.2 pt`."""
    if x is None or is_missing(x):
        return MISSING
    tenths = _tenths(x)
    sign = "" if tenths == 0 else MINUS if x < 0 else "+"
    return f"{sign}{_fixed(tenths, 1) if tenths else '0'}{THIN}{_('pt')}"


def ratio(x: Number) -> str:
    """How many times: `30×`, `3.1×`."""
    if x is None or is_missing(x):
        return MISSING
    tenths = math.floor(abs(x) * 10 + 0.5 + 1e-9)
    if x == 0 or tenths == 0:
        return "0×" if x == 0 else "<0.1×"
    text = _fixed(tenths, 1) if tenths < 100 else f"{math.floor(abs(x) + 0.5):,}"
    return (MINUS if x < 0 else "") + f"{text}×"


def _significant(x: float) -> str:
    """Three significant digits, at most two decimals, of a positive number."""
    for decimals, limit in ((2, 1_000), (1, 1_000)):
        steps = math.floor(x * 10**decimals + 0.5 + 1e-9)
        if steps < limit:
            return _fixed(steps, decimals)
    return f"{math.floor(x + 0.5):,}"


def count(n: Number) -> str:
    """A count: `4,118`, exact up to 999,999, then `1.24 million`."""
    if n is None or is_missing(n):
        return MISSING
    sign, size = (MINUS if n < 0 else ""), abs(n)
    if round(size) < 1_000_000:
        return f"{sign}{round(size):,}"
    if size < 999_500_000:
        return sign + _("{number} million").format(number=_significant(size / 1e6)).replace(
            " ", THIN
        )
    return sign + _("{number} billion").format(number=_significant(size / 1e9)).replace(" ", THIN)


def tokens(n: Number) -> str:
    """A token count with its noun: `2,140 tokens`."""
    if n is None or is_missing(n):
        return MISSING
    return ngettext("{count} token", "{count} tokens", round(n)).format(count=count(n))


def rate_ms(ns: Number) -> str:
    """Time per something, three digits: `34.4 ms`."""
    if ns is None or is_missing(ns):
        return MISSING
    if abs(ns) >= 999_500_000:
        return ms(ns)
    size = abs(ns) / 1e6
    text = "0" if size == 0 else "<0.01" if size < 0.005 else _significant(size)
    return f"{MINUS if ns < 0 else ''}{text}{THIN}ms"


def per_token(ns: Number) -> str:
    """Time for each token: `23.5 ms per token`; three digits, since rates are compared."""
    if is_missing(ns):
        return MISSING
    return _("{time} per token").format(time=rate_ms(ns))


def per_1000_tokens(ns: Number) -> str:
    """Time for 1,000 tokens (`ns` is that of all 1,000): `118 ms per 1,000 tokens`."""
    if is_missing(ns):
        return MISSING
    return _("{time} per 1,000 tokens").format(time=rate_ms(ns))


def per_second(requests: Number) -> str:
    """A request rate: `41 requests/s`."""
    if requests is None or is_missing(requests):
        return MISSING
    number = f"{round(requests):,}" if requests >= 9.95 else f"{requests:.1f}"
    return _("{number} requests/s").format(number=number)


def bytes_(n: Number) -> str:
    """A size in decimal units: `512 B`, `29 kB`, `1.2 MB`."""
    if n is None or is_missing(n):
        return MISSING
    if n < 1000:
        return f"{round(n)}{THIN}B"
    for unit, size in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if n < 999.5 * size or unit == "GB":
            break
    number = n / size
    return f"{number:.1f}{THIN}{unit}" if number < 9.95 else f"{number:,.0f}{THIN}{unit}"
