"""How long to wait before a server is asked again."""

from __future__ import annotations

import random
import time
from email.utils import parsedate_to_datetime
from typing import Final

BACKOFF_S: Final = 0.5
"""Pause before the second attempt; it doubles each time, with half of it left to chance."""

MAX_GROWN_S: Final = 20.0
MAX_ASKED_S: Final = 120.0
"""Seconds for which a server may ask; one that asks for longer is given up."""


def wait_s(attempt: int, asked: float | None = None) -> float:
    """Seconds to wait after an attempt: growing, at least what the server asked for."""
    grown = BACKOFF_S * 2.0 ** (attempt - 1)
    waited = grown / 2 + random.uniform(0, grown / 2)  # noqa: S311  # spreads load, hides nothing
    return max(min(waited, MAX_GROWN_S), asked or 0.0)


def asked_s(header: str | None) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or an HTTP date.

    >>> asked_s("3"), asked_s("soon"), asked_s("Wed, 21 Oct 2015 07:28:00 GMT")
    (3.0, None, 0.0)
    """
    said = (header or "").strip()
    if said.isascii() and said.isdecimal():
        return float(said[:12])
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
