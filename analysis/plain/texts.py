"""Text columns made of numbers and words, without a Python string for each row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.plain.numbering import together

Ints = Any  # numpy int64 array


def text(values: list[Any], codes: Ints) -> Any:
    """A string column of coded values, null where the code is negative."""
    kept = pa.array(values, pa.string())
    if not len(codes) or codes.min() >= 0:
        return kept.take(pa.array(codes))
    return kept.take(pa.array(np.maximum(codes, 0), mask=codes < 0))


def sparse(places: Ints, values: Any, count: int) -> Any:
    """A string column that is null but at some places."""
    codes = np.zeros(count, np.int64)
    codes[places] = np.arange(1, len(places) + 1)
    values = pa.array(values, pa.string())
    return pa.concat_arrays([pa.nulls(1, pa.string()), values]).take(pa.array(codes))


def joined(parts: Sequence[str | Ints], count: int) -> Any:
    """Words and numbers side by side, row by row."""
    if all(isinstance(part, str) for part in parts):
        return text(
            ["".join(part for part in parts if isinstance(part, str))], np.zeros(count, int)
        )
    columns = [
        part if isinstance(part, str) else pc.cast(pa.array(part), pa.string()) for part in parts
    ]
    return pc.binary_join_element_wise(*columns, "")


def by_kind(columns: list[Ints], made: Any) -> Any:
    """Texts that are made kind by kind: `made(rows)` is given all rows alike in these columns."""
    if not len(columns[0]):
        return pa.array([], pa.string())
    kind, samples = together(columns)
    order = np.argsort(kind, kind="stable")
    edges = np.concatenate([[0], np.cumsum(np.bincount(kind, minlength=len(samples)))])
    parts = [made(order[low:high]) for low, high in pairwise(edges)]
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return pa.concat_arrays(parts).take(pa.array(back))


def members(names: Iterable[str], values: Iterable[Ints]) -> list[str | Ints]:
    """The parts of a JSON object of numbers."""
    parts: list[str | Ints] = []
    for name, value in zip(names, values, strict=True):
        parts += [f'{"," if parts else "{"}"{name}":', value]
    return [*parts, "}"] if parts else ["{}"]
