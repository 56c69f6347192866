"""What each command takes, and a refusal of what comes in another type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final, NamedTuple

from analysis.errors import UserError

WIDEST: Final = 2**62
"""Beyond this no number is one of a row, and none can be bound in a question."""


_NO_TEXT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class WrongParameter(UserError):  # noqa: N818  # a fault of the asking program, named like UserError
    """A parameter of a type, or of a name, that the command does not take."""


class Kind(NamedTuple):
    """A type of parameter: what it is called in a refusal, and what belongs to it."""

    called: str
    holds: Callable[[Any], bool]


def _text(value: Any) -> bool:
    """Half a surrogate pair, which JSON can bring, is no text, and a control character is none."""
    return isinstance(value, str) and _NO_TEXT.search(value) is None


def _whole(value: Any) -> bool:
    return type(value) is int and abs(value) <= WIDEST


def _number(value: Any) -> bool:
    return _whole(value) or (type(value) is float and isfinite(value))


def _all(one: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and all(map(one, value))


def _assumed(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, value)) and all(map(_number, value.values()))


TEXT: Final = Kind("a text", _text)
TEXTS: Final = Kind("a text or a list of texts", lambda v: _text(v) or _all(_text)(v))
LIST: Final = Kind("a list of texts", _all(_text))
WHOLE: Final = Kind("a whole number", _whole)
WHOLES: Final = Kind("a list of whole numbers", _all(_whole))
NUMBER: Final = Kind("a number", _number)
TRUTH: Final = Kind("true or false", lambda v: isinstance(v, bool))
INSTANT: Final = Kind("an ISO time, or ns since the epoch", lambda v: _text(v) or _whole(v))
PERCENTILE: Final = Kind("a percentile as text or number", lambda v: _text(v) or _whole(v))
ASSUMED: Final = Kind("an object of numbers", _assumed)

_FILTERS: Final = {
    "data_set": WHOLES,
    "since": INSTANT,
    "until": INSTANT,
    **dict.fromkeys(("service", "route", "model", "version", "status"), TEXTS),
    "where": TEXT,
}
_SCOPE: Final = {**_FILTERS, "objective": TEXT, "slo_ms": NUMBER}

TAKEN: Final[dict[str, dict[str, Kind]]] = {
    "requests": {**_FILTERS, "slowest": WHOLE},
    "show": {"trace": TEXT, "raw": TRUTH},
    "breakdown": {**_SCOPE, **dict.fromkeys(("band", "by", "aggregate"), TEXT)},
    "rank": {**_SCOPE, "percentile": PERCENTILE, "assume": ASSUMED},
    "collect": {
        "source": TEXT, "since": INSTANT, "until": INSTANT, "hours": WHOLE, "limit": WHOLE,
        "service": TEXTS, "families": TEXTS, "step_s": NUMBER,
        **dict.fromkeys(("token", "user", "header", "project"), TEXT),
    },
    "datasets": {"delete": WHOLE},
    "metrics": {"name": TEXT},
    "sweep": {"days": NUMBER, "gb": NUMBER, "yes": TRUTH},
    "imported": {"data_sets": WHOLES},
    "rules": {},
    "rules_unattributed": {"limit": WHOLE},
    "rules_add": {
        "name": TEXT, "service": TEXT, "attribute": LIST, "stage": TEXT, "dry_run": TRUTH,
    },
    "rules_delete": {"id": TEXT},
    "import": {"name": TEXT, "keep_content": TRUTH},
    "report": {
        **_SCOPE, **dict.fromkeys(("format", "title", "notes", "tz"), TEXT),
        "percentile": PERCENTILE, "sections": TEXTS,
    },
}  # fmt: skip
"""Command -> its parameters; every one may be absent or null."""

NEEDED: Final = {"imported": ("data_sets",)}
"""What a command cannot do without."""


def check(command: str, params: Mapping[str, Any]) -> None:
    """Refuse parameters of other names or types; a command that is not listed takes any.

    Raises:
        WrongParameter: names the command and the parameter.
    """
    taken = TAKEN.get(command)
    if taken is None:
        return
    for name in NEEDED.get(command, ()):
        if params.get(name) is None:
            raise WrongParameter(taken[name].called, "nothing", f"{command} {name}")
    for name, value in params.items():
        if name not in taken:
            known = f"one of {', '.join(taken)}" if taken else "no parameter"
            raise WrongParameter(known, _short(name), command)
        if value is not None and not taken[name].holds(value):
            raise WrongParameter(taken[name].called, _short(value), f"{command} {name}")


def _short(value: Any) -> str:
    """A value for one line of an error, whatever it holds."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
