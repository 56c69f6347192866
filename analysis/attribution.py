"""Many requests -> the mean time per stage in a band of them, and the figures that go with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.errors import UserError
from analysis.stages import STAGES, stage_columns

BANDS: Final[dict[str, tuple[float, float] | None]] = {
    "all": (0.0, 1.0),
    "p50": (0.45, 0.55),
    "p95": (0.94, 0.96),
    "p99": (0.985, 0.995),
    "tail": (0.90, 1.0),
    "slo": None,
}
"""Band id -> the quantiles it spans; `slo` is every request over the SLO."""

LEAST: Final = 20
"""A percentile band is widened to at least this many requests (attribution.md section 4)."""

PREFIX: Final = {"e2e": "", "ttft": "ttft_"}


@dataclass(frozen=True)
class StageShare:
    """One slice of a band: its mean in ns and its share of the band's mean, 0 to 1."""

    stage: str
    mean_ns: int
    share: float


@dataclass(frozen=True)
class Breakdown:
    """Where the time of one band goes; `stages` are in product order and sum to `mean_ns`.

    `requests` counts those that have a figure, `excluded` those left out; `band_requests` are the
    ones averaged, between the quantiles `low` and `high`, their fastest and slowest being `low_ns`
    and `high_ns`. Figures are None where there are none.
    """

    objective: str
    band: str
    requests: int
    excluded: int
    band_requests: int
    low: float
    high: float
    low_ns: int | None
    high_ns: int | None
    mean_ns: int | None
    p50_ns: int | None
    p95_ns: int | None
    p99_ns: int | None
    stages: tuple[StageShare, ...]

    def as_json(self) -> dict[str, Any]:
        """The contract of `slowpath breakdown --json`."""
        return {
            "objective": self.objective,
            "band": self.band,
            "requests": self.requests,
            "excluded": self.excluded,
            "band_requests": self.band_requests,
            "band_low": self.low,
            "band_high": self.high,
            "low_ns": self.low_ns,
            "high_ns": self.high_ns,
            "mean_ns": self.mean_ns,
            "p50_ns": self.p50_ns,
            "p95_ns": self.p95_ns,
            "p99_ns": self.p99_ns,
            "stages": [vars(slice_) for slice_ in self.stages],
        }


def usable(latency: pd.DataFrame, objective: str) -> pd.DataFrame:
    """The requests that count for an objective, fastest first; ties by start, then id."""
    value = f"{objective}_ns"
    kept = latency[~latency["excluded"].astype(bool) & latency[value].notna()]
    return kept.sort_values([value, "start_ns", "trace_id", "root_key"], kind="stable")


def percentile_ns(values: np.ndarray[Any, Any], percent: float) -> int | None:
    """The percentile by linear interpolation, rounded to a ns; None of nothing.

    >>> percentile_ns(np.array([10, 20]), 50)
    15
    """
    return round(float(np.percentile(values, percent))) if len(values) else None


def share_within(latency: pd.DataFrame, objective: str, limit_ns: int) -> float | None:
    """The share of usable requests that end within a limit; None of nothing."""
    kept = usable(latency, objective)
    return float((kept[f"{objective}_ns"] <= limit_ns).mean()) if len(kept) else None


def band_slice(count: int, band: str) -> tuple[int, int]:
    """First and past-the-last position of a band among `count` sorted requests."""
    low, high = BANDS[band] or (0.0, 1.0)
    first, last = math.floor(low * count), math.ceil(high * count)
    if band in ("p50", "p95", "p99") and last - first < LEAST:
        middle = (low + high) / 2 * count
        first = max(0, min(round(middle - LEAST / 2), count - LEAST))
        last = min(count, first + LEAST)
    return first, last


def members(latency: pd.DataFrame, objective: str, band: str, slo_ns: int | None) -> pd.DataFrame:
    """The requests of one band, fastest first.

    Raises:
        UserError: an unknown objective or band, or the band `slo` without an SLO.
    """
    if objective not in PREFIX:
        raise UserError("e2e or ttft", repr(objective), "objective")
    if band not in BANDS:
        raise UserError(f"one of {', '.join(BANDS)}", repr(band), "band")
    kept = usable(latency, objective)
    if band == "slo":
        if slo_ns is None:
            raise UserError("an SLO in ms for the band slo", "none", "slo")
        return kept[kept[f"{objective}_ns"] > slo_ns]
    first, last = band_slice(len(kept), band)
    return kept.iloc[first:last]


def breakdown(
    latency: pd.DataFrame, objective: str = "e2e", band: str = "all", slo_ns: int | None = None
) -> Breakdown:
    """The mean of a band by stage (attribution.md section 4).

    Args:
        latency: one row per request with `excluded`, the objective's column and the stage columns.
    """
    chosen = members(latency, objective, band, slo_ns)
    kept = usable(latency, objective)
    values = kept[f"{objective}_ns"].to_numpy(dtype="float64")
    position = kept.index.get_indexer(chosen.index[:1])[0] if len(chosen) else 0
    mean_ns, stages = _means(chosen, objective)
    return Breakdown(
        objective=objective,
        band=band,
        requests=len(kept),
        excluded=len(latency) - len(kept),
        band_requests=len(chosen),
        low=position / len(kept) if len(kept) else 0.0,
        high=(position + len(chosen)) / len(kept) if len(kept) else 0.0,
        low_ns=int(chosen[f"{objective}_ns"].iloc[0]) if len(chosen) else None,
        high_ns=int(chosen[f"{objective}_ns"].iloc[-1]) if len(chosen) else None,
        mean_ns=mean_ns,
        p50_ns=percentile_ns(values, 50),
        p95_ns=percentile_ns(values, 95),
        p99_ns=percentile_ns(values, 99),
        stages=stages,
    )


def _means(chosen: pd.DataFrame, objective: str) -> tuple[int | None, tuple[StageShare, ...]]:
    count = len(chosen)
    if not count:
        return None, ()
    sums = [int(chosen[column].sum()) for column in stage_columns(PREFIX[objective])]
    total = sum(sums)
    means = apportioned(sums, count)
    shares = [part / total if total else 0.0 for part in sums]
    slices = (StageShare(*row) for row in zip(STAGES, means, shares, strict=True))
    return sum(means), tuple(slices)


def apportioned(sums: list[int], count: int) -> list[int]:
    """Each sum over `count`, in whole ns that add up to the rounded mean (largest remainder).

    >>> apportioned([1, 1, 1], 2)
    [1, 1, 0]
    """
    floors = [part // count for part in sums]
    missing = round(sum(sums) / count) - sum(floors)
    order = sorted(range(len(sums)), key=lambda i: (-(sums[i] % count), i))
    for i in order[:missing]:
        floors[i] += 1
    return floors


def grouped(
    latency: pd.DataFrame, by: str, objective: str, band: str, slo_ns: int | None
) -> list[tuple[Any, Breakdown]]:
    """A breakdown per value of one column, largest group first; missing values are None."""
    groups = latency.groupby(by, dropna=False, sort=False)
    rows = [
        (None if pd.isna(key) else key, breakdown(frame, objective, band, slo_ns))
        for key, frame in groups
    ]
    return sorted(rows, key=lambda row: (-row[1].requests, str(row[0])))
