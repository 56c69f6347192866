"""Numbers for what is alike, without sorting where a table of all that may be is small enough."""

from __future__ import annotations

from typing import Any

import numpy as np

Ints = Any  # numpy int64 array

ROOM = 1 << 22
"""Possible values up to which a table of them is made, or as many as there are numbers."""


def numbered(values: Ints, size: int) -> tuple[Ints, Ints]:
    """The rank of each of these numbers (0 to `size`) among the distinct ones, and a place of each.

    As `numpy.unique` with `return_inverse` and `return_index`, but for which place it is.
    """
    if size > max(ROOM, 2 * len(values)):
        _, places, ranks = np.unique(values, return_index=True, return_inverse=True)
        return ranks, places
    at = np.full(size, -1, np.int64)
    at[values] = np.arange(len(values))
    met = at >= 0
    return (np.cumsum(met) - 1)[values], at[met]


def paired(one: Ints, other: Ints) -> Ints:
    """A number for each distinct pair of codes, which are -1 at least."""
    width = int(other.max(initial=-1)) + 2
    height = int(one.max(initial=-1)) + 2
    return numbered((one + 1) * width + other + 1, height * width)[0]


def together(columns: list[Ints]) -> tuple[Ints, Ints]:
    """A number for each distinct combination of codes, and a place of each combination."""
    codes = columns[0]
    for column in columns[1:]:
        codes = paired(codes, column)
    return numbered(codes + 1, int(codes.max(initial=-1)) + 2)
