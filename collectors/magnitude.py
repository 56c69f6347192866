"""Whether the times of a whole file are off by a power of a thousand, and setting them right."""

from __future__ import annotations

from typing import Final

from collectors.draft import Draft

EARLIEST_NS: Final = 1_262_304_000 * 10**9  # 2010-01-01
LATEST_NS: Final = 4_102_444_800 * 10**9  # 2100-01-01

FACTORS: Final = ((1000, 1), (1_000_000, 1), (1, 1000), (1, 1_000_000))
"""(multiply by, divide by): what the format's unit may have been mistaken for."""

SHARE: Final = 0.9
"""The share of the start times that must lie between 2010 and 2100 for a unit to be believed."""


def factor_of(starts: list[int]) -> tuple[int, int]:
    """(multiply by, divide by); (1, 1) where the times are plausible as they stand.

    Times near zero (hand-made traces count from 0) stay: no factor makes them plausible.
    """
    if not starts or _plausible(starts, 1, 1) > 1 - SHARE:
        return (1, 1)
    for up, down in FACTORS:
        if _plausible(starts, up, down) >= SHARE:
            return (up, down)
    return (1, 1)


def _plausible(starts: list[int], up: int, down: int) -> float:
    inside = sum(EARLIEST_NS <= start * up // down < LATEST_NS for start in starts)
    return inside / len(starts)


class Magnitude:
    """Decides once per file, by the first batch that has times, and scales every later one."""

    def __init__(self) -> None:
        self.factor: tuple[int, int] | None = None

    def apply(self, drafts: list[Draft]) -> None:
        """Scale the drafts in place and flag them `unit_inferred` where the file is off."""
        if self.factor is None:
            starts = [draft.start_ns for draft in drafts if draft.start_ns]
            if not starts:
                return
            self.factor = factor_of(starts)
        if self.factor != (1, 1):
            for draft in drafts:
                _scale(draft, *self.factor)


def _scale(draft: Draft, up: int, down: int) -> None:
    draft.start_ns = None if draft.start_ns is None else draft.start_ns * up // down
    draft.end_ns = None if draft.end_ns is None else draft.end_ns * up // down
    for event in draft.events:
        if event["time_ns"] is not None:
            event["time_ns"] = event["time_ns"] * up // down
    draft.flags.append("unit_inferred")
