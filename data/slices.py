"""The slices of a request's partition, as rows of their own and inside the rows of their spans."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from analysis.derived import Derived

_NAMES: Final = ("stage", "start_ns", "end_ns")
_SLICE: Final = pa.struct(
    [("stage", pa.int8()), ("start_ns", pa.int64()), ("end_ns", pa.int64())]  # stage: in `STAGES`
)

FIELD: Final = pa.field("slices", pa.list_(_SLICE))
"""A column of `span_rows`: what each span owns, in time order."""


def with_slices(rows: pa.Table, derived: Derived) -> pa.Table:
    """The rows of the derived spans with the slices that each of them owns."""
    owners = derived.slices.column("owner").to_numpy()
    order = pa.array(np.argsort(owners, kind="stable"))
    columns = [derived.slices.column(name).combine_chunks().take(order) for name in _NAMES]
    counts = np.bincount(owners, minlength=rows.num_rows)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    found = pa.StructArray.from_arrays(columns, fields=list(_SLICE))
    return rows.append_column(FIELD, pa.ListArray.from_arrays(pa.array(first), found))
