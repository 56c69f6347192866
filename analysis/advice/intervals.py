"""How sure the change of a percentile is: a paired, seeded bootstrap over requests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.replay.model import Ints

DRAWS: Final = 400
"""Resamples; the 5th and 95th percentile of that many are good to about 1 percentage point."""

SEED: Final = 20_240_131
LEVEL: Final = (5.0, 95.0)
"""The bounds of a 90 % interval."""

_CELLS: Final = 4_000_000  # resampled figures held at a time

Draws = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A change with its 90 % interval, in the unit of what was compared."""

    low: float
    typical: float
    high: float


def percentile(values: Ints | Draws, percent: float) -> float:
    """The percentile by linear interpolation; NaN of nothing."""
    return float(np.percentile(values, percent)) if len(values) else math.nan


def resamples(count: int, seed: int = SEED, draws: int = DRAWS) -> NDArray[np.int32]:
    """Which of `count` requests each resample holds: `draws` rows, the same on every call."""
    drawn = np.random.default_rng((seed, count)).integers(0, count, size=(draws, count))
    return drawn.astype(np.int32)


def resampled_percentiles(
    values: NDArray[np.generic], picks: NDArray[np.int32], percent: float
) -> Draws:
    """The percentile in every resample, by linear interpolation."""
    count = picks.shape[1]
    place = (count - 1) * percent / 100
    low = int(place)
    high = min(low + 1, count - 1)
    figures = np.asarray(values, dtype=np.float64)
    step = max(_CELLS // count, 1)
    parts = []
    for first in range(0, len(picks), step):
        block = np.partition(figures[picks[first : first + step]], (low, high), axis=1)
        parts.append(block[:, low] + (place - low) * (block[:, high] - block[:, low]))
    return np.concatenate(parts)


def blended(levels: tuple[Ints, Ints, Ints], seed: int, draws: int = DRAWS) -> Draws:
    """Where between low (-1), typical (0) and high (+1) each draw's assumption lies: triangular.

    All zero where the three replays agree, so that a technique without a doubtful parameter
    carries the doubt of its sample alone.
    """
    low, typical, high = levels
    if np.array_equal(low, typical) and np.array_equal(typical, high):
        return np.zeros(draws)
    return np.random.default_rng((SEED, seed)).triangular(-1.0, 0.0, 1.0, size=draws)


def _mixed(levels: tuple[Ints, Ints, Ints], place: float) -> NDArray[np.float64]:
    low, typical, high = (level.astype(np.float64) for level in levels)
    other = high if place > 0 else low
    mixed = typical + abs(place) * (other - typical)
    return np.asarray(mixed, dtype=np.float64)


def saving_draws(
    before: Draws,
    levels: tuple[Ints, Ints, Ints],
    picks: NDArray[np.int32],
    percent: float,
    seed: int = 0,
) -> Draws:
    """The percentile's fall in every resample; the same resample before and after (paired).

    `levels` are the replayed figures under the low, typical and high assumption; `before` the
    resampled percentiles of today's figures from the same `picks`.
    """
    places = blended(levels, seed, len(picks))
    if not places.any():
        return before - resampled_percentiles(levels[1], picks, percent)
    after = [
        resampled_percentiles(_mixed(levels, place), picks[row : row + 1], percent)[0]
        for row, place in enumerate(places)
    ]
    return np.asarray(before - np.asarray(after), dtype=np.float64)


def interval(typical: float, draws: Draws) -> Interval:
    """The 90 % interval of the draws, widened where needed to hold the estimate itself."""
    low, high = np.percentile(draws, LEVEL)
    return Interval(min(float(low), typical), typical, max(float(high), typical))


def percentile_change(
    before: Ints,
    levels: tuple[Ints, Ints, Ints],
    percent: float,
    seed: int = 0,
) -> Interval:
    """How much a percentile falls, with its 90 % interval.

    Example: `percentile_change(today, (after, after, after), 95)`; positive is faster.
    """
    picks = resamples(len(before))
    draws = saving_draws(
        resampled_percentiles(before, picks, percent), levels, picks, percent, seed
    )
    return interval(percentile(before, percent) - percentile(levels[1], percent), draws)


def tied(first: Draws, second: Draws) -> bool:
    """Whether neither saving is the larger one in 80 % of the draws (equal ones count half)."""
    wins = float(np.mean(first > second) + np.mean(first == second) / 2)
    return 0.2 < wins < 0.8
