"""What happened while an export was read: its format, what was refused, what the door kept out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

DROPPED: Final = ("content", "credentials", "headers", "url_query")
"""The classes of values that the door keeps out, as counted in `ReadReport.dropped`."""


@dataclass(frozen=True)
class Rejected:
    """Records that were left out for one reason; `example` says where the first one stood."""

    reason: str
    count: int
    example: str


@dataclass
class ReadReport:
    """Filled while reading; complete once the iterator of `read` is exhausted.

    Args:
        format: NAME of the format module that read the first document.
        rejected: merged by reason, in the order in which the reasons first appeared.
        dropped: class (one of `DROPPED`) -> values kept out at the door.
        bytes_read: bytes taken from the source, before any unpacking.
        reason: what in the content gave the format away.
    """

    format: str = ""
    rejected: list[Rejected] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    bytes_read: int = 0
    reason: str = ""

    def reject(self, reason: str, example: str, count: int = 1) -> None:
        """Count `count` records that are left out for this reason."""
        for position, known in enumerate(self.rejected):
            if known.reason == reason:
                total = known.count + count
                self.rejected[position] = Rejected(reason, total, known.example)
                return
        self.rejected.append(Rejected(reason, count, example))

    def drop(self, kind: str, count: int = 1) -> None:
        """Count values that do not pass the door."""
        self.dropped[kind] = self.dropped.get(kind, 0) + count

    @property
    def rejected_count(self) -> int:
        """How many records were left out in all."""
        return sum(entry.count for entry in self.rejected)
