"""Which traces have gone quiet: worth deriving now, since their last span has likely come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

QUIET_S: Final = 1.5
"""Seconds without a span after which a trace counts as complete; a later span still amends it."""

LONGEST_S: Final = 30.0
"""Seconds after which a trace is shown as far as it has come, however busy it is."""


class Quiet:
    """Remembers when each trace was first and last heard of; seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._heard: dict[str, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._heard)

    def heard(self, traces: Iterable[str], now: float) -> None:
        """Note spans of these traces."""
        for trace in traces:
            first, _last = self._heard.get(trace, (now, now))
            self._heard[trace] = (first, now)

    def ready(self, now: float, everything: bool = False) -> set[str]:
        """The traces to derive now; they count as unheard of from here on."""
        found = {
            trace
            for trace, (first, last) in self._heard.items()
            if everything or now - last >= QUIET_S or now - first >= LONGEST_S
        }
        for trace in found:
            del self._heard[trace]
        return found
