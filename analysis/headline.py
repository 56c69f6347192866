"""How sure a headline figure is: 90 % intervals of a percentile and of a share."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from analysis.advice.intervals import LEVEL, resampled_percentiles, resamples

Z: Final = 1.6449
"""The normal distribution's 95th percentile: the half width of a 90 % interval."""


def percentile_bounds(values: np.ndarray[Any, Any], percent: float) -> tuple[int, int] | None:
    """Low and high of a percentile in ns, by resampling the requests; None of nothing."""
    if not len(values):
        return None
    drawn = resampled_percentiles(values, resamples(len(values)), percent)
    low, high = np.percentile(drawn, LEVEL)
    return round(float(low)), round(float(high))


def share_bounds(hits: int, count: int) -> tuple[float, float] | None:
    """Low and high of a share, 0 to 1 (Wilson 1927); None of nothing.

    >>> tuple(round(x, 3) for x in share_bounds(5, 10))
    (0.269, 0.731)
    """
    if not count:
        return None
    share, square = hits / count, Z * Z
    middle = share + square / (2 * count)
    width = Z * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    scale = 1 + square / count
    return (middle - width) / scale, (middle + width) / scale
