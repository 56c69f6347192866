"""What counts as no number at all."""

import math
from numbers import Real

MISSING = "–"


def is_missing(value: object) -> bool:
    """Whether there is no number: None, NaN, infinity, pandas' NA."""
    return not isinstance(value, Real) or not math.isfinite(value)
