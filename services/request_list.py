"""The requests in scope, a row each."""

from __future__ import annotations

from math import isnan
from typing import Any

import pandas as pd

from analysis.stages import STAGES
from data.filters import Filters
from data.store import Store

FIELDS = (
    "trace_id", "root_span_id", "name", "service", "start_ns", "e2e_ns", "ttft_ns", "tpot_ns",
    "input_tokens", "cached_tokens", "output_tokens", "model", "status",
)  # fmt: skip
MORE = (
    "root_key", "route", "version", "raw_e2e_ns", "ttft_source", "token_gaps", "itl_unit",
    "itl_p50_ns", "itl_p99_ns", "itl_max_ns", "total_input_tokens",
    "total_cached_tokens", "total_output_tokens", "n_spans", "n_services", "excluded",
)  # fmt: skip
SORTS = ("newest", "slowest", "unusual")


def plain(value: Any) -> Any:
    """A cell as JSON has it: numpy numbers as Python's, missing as None, arrays as lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(item) for item in value]
    missing = value is None or value is pd.NA or (isinstance(value, float) and isnan(value))
    return None if missing else value


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as plain dicts, integers exact."""
    columns = {name: [plain(cell) for cell in frame[name].array] for name in frame.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def request_json(row: dict[str, Any]) -> dict[str, Any]:
    """One request in the contract of `slowpath requests --json`; `stages` sums to `e2e_ns`."""
    return {
        **{name: row[name] for name in FIELDS},
        "stages": {stage: row[f"{stage}_ns"] for stage in STAGES if row[f"{stage}_ns"]},
        "flags": row["flags"] or [],
        **{name: row[name] for name in MORE if name in row},
    }


def page(
    store: Store,
    filters: Filters,
    sort: str = "newest",
    limit: int = 50,
    offset: int = 0,
    search: str = "",
) -> tuple[list[dict[str, Any]], int]:
    """One page of requests in the contract's shape, and how many there are in all."""
    frame = store.query(
        "requests_page", filters, sort=sort, limit=limit, offset=offset, search=search
    )
    rows = records(frame)
    total = int(rows[0]["total"]) if rows else 0
    return [request_json(row) for row in rows], total


def every(store: Store, filters: Filters, slowest: int | None = None) -> list[dict[str, Any]]:
    """All requests in scope, newest first; or the `slowest` N."""
    if slowest is not None:
        return page(store, filters, "slowest", limit=slowest)[0]
    return page(store, filters, "newest", limit=2**62)[0]
