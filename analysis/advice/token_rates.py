"""How long a token takes, from the user's own calls: a median-based line, or a reason for none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

LEAST_CALLS: Final = 20
LEAST_SPREAD: Final = 1.5
"""The 95th percentile of the token counts must be this many times the 5th to show a slope."""

MOST_POINTS: Final = 300  # 45,000 pairs; more calls are thinned evenly in order of their tokens

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Rate:
    """A line through calls: `per_token_ns` and `base_ns`, or the `refusal` (few, narrow, flat)."""

    calls: int
    per_token_ns: float | None = None
    base_ns: float | None = None
    refusal: str = ""


def rate(tokens: Numbers, lengths_ns: Numbers) -> Rate:
    """The Theil-Sen line of length over tokens: the median of all pairwise slopes.

    Up to 29 % of the calls may be arbitrary outliers without moving it far (Sen 1968).
    """
    usable = np.isfinite(tokens) & np.isfinite(lengths_ns) & (tokens > 0)
    x, y = tokens[usable], lengths_ns[usable]
    if len(x) < LEAST_CALLS:
        return Rate(len(x), refusal="few")
    low, high = np.percentile(x, [5, 95])
    if high < LEAST_SPREAD * low:
        return Rate(len(x), refusal="narrow")
    slope, base = _line(x, y)
    if slope <= 0:
        return Rate(len(x), refusal="flat")
    return Rate(len(x), slope, base)


def _line(x: Numbers, y: Numbers) -> tuple[float, float]:
    order = np.lexsort((y, x))
    kept = order[np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(int)]
    first, second = np.triu_indices(len(kept), 1)
    run = x[kept][second] - x[kept][first]
    rise = y[kept][second] - y[kept][first]
    slope = float(np.median(rise[run > 0] / run[run > 0]))
    return slope, float(np.median(y - slope * x))
