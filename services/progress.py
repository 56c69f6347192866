"""How long work says where it is, and how it is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class CancelledError(Exception):
    """Raised inside long work once the user has cancelled it; the store is as before."""


@dataclass(frozen=True)
class Step:
    """Where work is: bytes read of the file's, spans so far, traces derived or tried of all."""

    name: str
    phase: str  # "read", "derive" or "try"
    done: int
    total: int
    spans: int = 0

    @property
    def fraction(self) -> float:
        """Done over total, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0


Progress = Callable[[Step], None]
"""Called often; raises `CancelledError` to stop the work."""


def silent(_step: Step) -> None:
    """Progress that nobody watches."""
