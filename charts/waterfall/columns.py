"""How a waterfall parts its width: how far names are indented and how much room they get."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from charts.waterfall.row import Row
from words import fmt

WIDE_PX: Final = 765
NARROW_PX: Final = 330
"""Typical widths of the drawing; wider screens only gain room."""

LETTER_PX: Final = 5.9
MARK_PX: Final = 11
DEEPEST: Final = 30
TIME_TO: Final = 0.935
"""Where the time ends and the column of lengths begins, as a share of the width."""


@dataclass(frozen=True)
class Columns:
    """Shares of the drawing's width; `step` is a level's indent as a share of the names column."""

    narrow: bool
    names: float
    step: float

    @property
    def names_px(self) -> float:
        """The typical width of the names column."""
        return NARROW_PX if self.narrow else self.names * WIDE_PX

    @property
    def time_px(self) -> int:
        """The typical width of the time axis."""
        return NARROW_PX if self.narrow else round((TIME_TO - self.names - 0.01) * WIDE_PX)

    def indent(self, depth: int) -> float:
        """Where a level's mark stands in the names column, 0 to 1."""
        return min(depth, DEEPEST) * self.step

    def letters(self, depth: int) -> int:
        """How many letters fit behind a level's mark."""
        room = self.names_px * (1 - self.indent(depth)) - MARK_PX - 4
        return max(4, int(room / LETTER_PX))


def columns(rows: Sequence[Row], narrow: bool) -> Columns:
    """The columns that these rows need: deep trees are indented less and get more room."""
    deepest = min(DEEPEST, max((row.depth for row in rows), default=0))
    if narrow:
        return Columns(True, 1.0, min(8.0, 90 / max(1, deepest)) / NARROW_PX)
    step_px = min(13.0, 95 / max(1, deepest))
    need = max((_need(row, step_px) for row in rows), default=0.0)
    names = min(0.36, max(0.22, need / WIDE_PX))
    return Columns(False, names, step_px / (names * WIDE_PX))


def _need(row: Row, step_px: float) -> float:
    return min(row.depth, DEEPEST) * step_px + MARK_PX + 10 + LETTER_PX * len(written(row))


def written(row: Row) -> str:
    """A row's name with its count and service, as plain text."""
    return f"{counted(row)}{row.name}  {row.service}"


def counted(row: Row) -> str:
    """`6 × ` before the name of a fold of six."""
    return f"{fmt.count(len(row.lengths))} × " if len(row.lengths) > 1 else ""
