"""Logarithmic bins of latency, shared by the heatmap and the histogram."""

import math
from typing import Any, Final

import numpy as np

from words import _, fmt

_ROUND: Final = (1, 2, 5)
SHORTEST: Final = 10_000.0
"""0.01 ms, the shortest length that is written; what is shorter is in the first bin."""


class LogBins:
    """`count` bins of equal ratio from the smallest to the largest value, all in ns."""

    def __init__(self, values: np.ndarray[Any, Any], count: int) -> None:
        low, high = (float(values.min()), float(values.max())) if len(values) else (1e6, 1e9)
        low = max(low, SHORTEST)
        high = max(high, low * 1.05)
        self.count = count
        self.low, self.ratio = math.log(low), (math.log(high) - math.log(low)) / count

    def position(self, ns: float) -> float:
        """Where a length lies, in bins from the lower edge of the first."""
        return (math.log(max(ns, 1.0)) - self.low) / self.ratio

    def indices(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The bin of each value; the largest value is in the last bin."""
        logs = np.log(np.maximum(values, 1.0))
        found: np.ndarray[Any, Any] = np.clip(
            ((logs - self.low) / self.ratio + 1e-9).astype(int), 0, self.count - 1
        )
        return found

    def edge(self, index: float) -> int:
        """The length at an edge, in ns; what a drag over bin indices selects."""
        return round(math.exp(self.low + index * self.ratio))

    def text(self, index: int) -> str:
        """A bin in words: `1.20 s to 1.34 s`."""
        low, high = fmt.ms(self.edge(index)), fmt.ms(self.edge(index + 1))
        return _("{low} to {high}").format(low=low, high=high)

    def ticks(self) -> tuple[list[float], list[str]]:
        """Positions (centres at whole numbers) and texts of 1, 2, 5 × 10ⁿ inside the bins."""
        decades = range(math.floor(math.log10(self.edge(0))), 20)
        values = [m * 10**d for d in decades for m in _ROUND]
        inside = [v for v in values if self.edge(0) <= v <= self.edge(self.count)]
        if len(inside) > 8:
            inside = [v for v in inside if str(v)[0] == "1"]
        return [self.position(v) - 0.5 for v in inside], fmt.ticks(inside)
