"""How many records a second came of late."""

from __future__ import annotations

from collections import deque
from typing import Final

WINDOW_S: Final = 10.0


class Rate:
    """Counts records in a sliding window of `WINDOW_S` seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._came: deque[tuple[float, int]] = deque()

    def add(self, records: int, now: float) -> None:
        """Note records that have just come."""
        self._came.append((now, records))
        self._forget(now)

    def per_second(self, now: float) -> float:
        """Records a second over the window."""
        self._forget(now)
        return sum(records for _at, records in self._came) / WINDOW_S

    def _forget(self, now: float) -> None:
        while self._came and now - self._came[0][0] > WINDOW_S:
            self._came.popleft()
