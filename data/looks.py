"""What many spans have in common, stored once: each look under a number of its own."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from analysis.derived import LOOKS_SCHEMA, ROWS_SCHEMA, Derived
from data.sql_files import step

_SAME: Final = " AND ".join(
    f"fresh.{name} IS NOT DISTINCT FROM looks.{name}" for name in LOOKS_SCHEMA.names
)


def with_stored_looks(cursor: Any, derived: Derived) -> pa.Table:
    """The rows of the spans, each with the number under which the store keeps its look."""
    numbers = pa.array(np.arange(derived.looks.num_rows))
    cursor.register("fresh", derived.looks.append_column("number", numbers))
    cursor.execute(step("new_looks").format(same=_SAME))
    stored = cursor.sql(step("looks").format(same=_SAME)).to_arrow_table().column("look")
    cursor.unregister("fresh")
    if len(stored) != derived.looks.num_rows:
        raise RuntimeError(f"{derived.looks.num_rows} looks became {len(stored)}")
    look = stored.combine_chunks().take(derived.rows.column("look"))
    at = ROWS_SCHEMA.get_field_index("look")
    return derived.rows.set_column(at, ROWS_SCHEMA.field(at), look)


def forget(cursor: Any) -> None:
    """Delete what no span has any more: costs a look at all spans, so not at every import."""
    cursor.execute(step("forget_looks"))
