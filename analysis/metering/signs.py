"""Gauges and counters as evidence of a cause: what they showed, never an amount of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from analysis.metering.measuring import Measured

CAUSES_OF: Final = {
    "request_queue": ("waiting", "running", "kv_cache_use", "preemptions"),
    "prefill": ("cache_hits",),
    "decode": ("preemptions", "running"),
    "kv_transfer": ("kv_transfer",),
    "autoscale_cold_start": ("cold_start",),
    "circuit_breaking": ("throttling",),
    "retries_backoff": ("failures",),
    "pod_gpu_runtime": ("throttling", "gpu"),
}
"""Stage -> the causes that speak of it."""

_RATIOS: Final = {
    "vllm:prefix_cache_hits": "vllm:prefix_cache_queries",
    "vllm:external_prefix_cache_hits": "vllm:external_prefix_cache_queries",
    "container_cpu_cfs_throttled_periods": "container_cpu_cfs_periods",
}
"""Counter -> the counter that it is a part of; their growth makes a share."""


def signs(rows: Sequence[Measured]) -> list[dict[str, Any]]:
    """A row per family that is evidence, those that showed nothing left out.

    `mean` and `most` are of a gauge's points or of a ratio; `increase` of a counter over the
    points, `total` where a single scrape reaches back to the start of the process.
    """
    by_name = {row.family.name: row for row in rows if row.family.role == "cause"}
    wholes = {whole for part, whole in _RATIOS.items() if part in by_name}
    return [_sign(row, by_name) for name, row in by_name.items() if name not in wholes]


def _sign(row: Measured, by_name: dict[str, Measured]) -> dict[str, Any]:
    whole = by_name.get(_RATIOS.get(row.family.name, ""))
    values, unit = row.values, row.family.unit
    if whole is not None and whole.count > 0 and whole.since_start == row.since_start:
        values, unit = [row.count / whole.count], "ratio"
    counted = not values and row.mean_ns is None
    return {
        "family": row.family.name, "emitter": row.family.emitter, "cause": row.family.cause,
        "of": None if whole is None else whole.family.name, "unit": unit, "series": row.series,
        "mean": sum(values) / len(values) if values else None,
        "most": max(values, default=None),
        "increase": row.count if counted and not row.since_start else None,
        "total": row.count if counted and row.since_start else None,
        "mean_ns": row.mean_ns, "flags": sorted(row.flags),
    }  # fmt: skip


def of_stage(found: Sequence[dict[str, Any]], stage: str) -> list[dict[str, Any]]:
    """The signs that speak of a stage."""
    causes = CAUSES_OF.get(stage, ())
    return [row for row in found if row["cause"] in causes]
