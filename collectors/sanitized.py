"""Ends that Jaeger wrote over: no span of its ends before it starts, and it tells the old end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

WARNINGS: Final = ("@jaeger@warnings", "jaeger.warnings")
"""Where its warnings stand: in its OTLP, and where this reader puts those of its JSON."""

_SAID: Final = re.compile(
    r"sanitizing end timestamp\. Original end timestamp: "
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.(\d{1,9}))? \+0000 UTC"
)


def original_end(end_ns: int | None, attributes: Mapping[str, Any]) -> int | None:
    """The end as it was recorded, in ns; None where there was none, `end_ns` where nothing is said.

    A span that has not ended has the end 0, which Jaeger 2 turns into 1 ns after its start.

    >>> said = "sanitizing end timestamp. Original end timestamp: 1970-01-01 00:00:00 +0000 UTC, …"
    >>> original_end(5, {"@jaeger@warnings": [said]}), original_end(5, {})
    (None, 5)
    """
    for warning in (text for key in WARNINGS for text in _texts(attributes.get(key))):
        if found := _SAID.search(warning):
            at = datetime.strptime(found[1], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
            return int(at.timestamp()) * 10**9 + int((found[2] or "").ljust(9, "0")) or None
    return end_ns


def _texts(given: Any) -> list[str]:
    return [str(text) for text in given] if isinstance(given, list) else [str(given or "")]
