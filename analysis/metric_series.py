"""What a batch of metric points says: one row per series, with means, quantiles and rates."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any, Final

import pandas as pd
import pyarrow as pa

QUANTILES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
Buckets = dict[float, float]


@dataclass
class Series:
    """One series over all its points, in its own unit; None where the points do not say.

    Args:
        labels: as exported.
        mean: of the observations (histogram, summary) or of the points (gauge).
        p50: linear inside its bucket; above the top finite bound it is that bound, and `overflow`.
        increase: of a counter, or of a histogram's count, over its points; resets bridged.
        rate: that increase per second.
        first: the value of the first point of a gauge or counter; `last` of the last.
        overflow: whether p50 or p90 lies above the top finite bound.
        over: the quantiles that do, p99 included.
        flags: what to doubt: counter_reset, inf_bucket_missing, overflow, delta.
    """

    name: str
    labels: dict[str, Any]
    kind: str
    unit: str
    points: int
    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    overflow: bool = False
    rate: float | None = None
    increase: float | None = None
    first: float | None = None
    last: float | None = None
    over: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Point:
    """One point of a series; `buckets` are cumulative, their last bound may be infinite."""

    time_ns: int | None
    value: float | None
    count: float | None
    sum: float | None
    buckets: Buckets


def metric_rows(points: pd.DataFrame | pa.Table) -> list[dict[str, Any]]:
    """One row per series (name and labels), sorted; `points` has the columns of `METRIC_SCHEMA`.

    A histogram of one point speaks of all observations since its process began, one of several
    points of those between the first and the last.
    """
    frame = points.to_pandas() if isinstance(points, pa.Table) else points
    groups = frame.groupby(["name", "labels", "kind"], sort=True)
    return [asdict(_series(group)) for _key, group in groups]


def _series(group: pd.DataFrame) -> Series:
    first = group.iloc[0]
    points = _ordered(group)
    flags = {str(flag) for held in group["flags"] for flag in held}
    kind, labels = str(first["kind"]), json.loads(first["labels"])
    series = Series(str(first["name"]), labels, kind, str(first["unit"]), len(points))
    values = [point.value for point in points if point.value is not None]
    series.first, series.last = (values[0], values[-1]) if values else (None, None)
    if kind == "counter":
        _count(series, points, flags)
    elif kind in ("histogram", "summary"):
        _distribution(series, points, flags)
    else:
        _gauge(series, points)
    series.flags = sorted(flags | ({"overflow"} if series.over else set()))
    return series


def _ordered(group: pd.DataFrame) -> list[Point]:
    """The points in order of time; of several at one instant the last counts."""
    columns = ("time_ns", "value", "count", "sum", "buckets")
    found = [point_of(row) for row in zip(*(group[name] for name in columns), strict=True)]
    timed = {point.time_ns: point for point in found if point.time_ns is not None}
    if timed:
        return [timed[time] for time in sorted(timed)]
    return found


def point_of(row: tuple[Any, ...]) -> Point:
    """(time_ns, value, count, sum, buckets as JSON) as a point."""
    time_ns, value, count, total, buckets = row
    bounds = {float(bound): float(held) for bound, held in json.loads(buckets)}
    time = None if pd.isna(time_ns) else int(time_ns)
    return Point(time, _number(value), _number(count), _number(total), bounds)


def _number(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def _gauge(series: Series, points: list[Point]) -> None:
    values = pd.Series([point.value for point in points if point.value is not None], dtype=float)
    if values.empty:
        return
    series.mean = float(values.mean())
    series.p50, series.p90, series.p99 = (float(values.quantile(q)) for q in QUANTILES.values())


def _count(series: Series, points: list[Point], flags: set[str]) -> None:
    held = [point for point in points if point.value is not None]
    if len(held) < 2:
        return
    series.increase = 0.0
    for before, after in pairwise(held):
        assert before.value is not None
        assert after.value is not None
        if "delta" in flags:
            series.increase += after.value
        elif after.value >= before.value:
            series.increase += after.value - before.value
        else:
            flags.add("counter_reset")
            series.increase += after.value
    series.rate = _per_second(series.increase, held)


def _per_second(increase: float, points: list[Point]) -> float | None:
    first, last = points[0].time_ns, points[-1].time_ns
    if first is None or last is None or first == last:
        return None
    return increase / ((last - first) / 1e9)


def _distribution(series: Series, points: list[Point], flags: set[str]) -> None:
    grown = list(growth(points, flags))
    count, total = sum(step[0] for step in grown), sum(step[1] or 0.0 for step in grown)
    if len(points) > 1 and "delta" not in flags:
        series.increase = count
        series.rate = _per_second(count, points)
    if count and all(step[1] is not None for step in grown):
        series.mean = total / count
    if series.kind == "summary":
        series.p50, series.p90, series.p99 = map(points[-1].buckets.get, QUANTILES.values())
        return
    buckets: Buckets = {}
    for _unused, _sum, bounds in grown:
        for bound, held in bounds.items():
            buckets[bound] = buckets.get(bound, 0.0) + held
    for name, share in QUANTILES.items():
        value, over = quantile(buckets, share)
        setattr(series, name, value)
        series.over += [name] if over else []
    series.overflow = bool({"p50", "p90"} & set(series.over))


def growth(points: list[Point], flags: set[str]) -> Iterator[tuple[float, float | None, Buckets]]:
    """(count, sum, buckets) that each step adds; after a restart the whole new point."""
    whole = [(point.count or 0.0, point.sum, point.buckets) for point in points]
    if len(points) == 1 or "delta" in flags:
        yield from whole
        return
    for before, after in pairwise(points):
        count, old = after.count or 0.0, before.count or 0.0
        if count < old or before.buckets.keys() != after.buckets.keys():
            flags.add("counter_reset")
            yield count, after.sum, after.buckets
            continue
        total = None if after.sum is None or before.sum is None else after.sum - before.sum
        held = {bound: value - before.buckets[bound] for bound, value in after.buckets.items()}
        yield count - old, total, held


def quantile(buckets: Buckets, share: float) -> tuple[float | None, bool]:
    """(value, whether it lies above the top finite bound) from cumulative buckets.

    Linear inside the bucket, from 0 (or from the bound itself, where that is negative) in the
    first one. `({0.1: 2, 0.5: 6, 1: 8, inf: 10}, 0.5)` is `(0.4, False)`.
    """
    bounds = sorted(buckets)
    total = buckets[bounds[-1]] if bounds else 0.0
    finite = [bound for bound in bounds if not math.isinf(bound)]
    if not total > 0 or not finite:
        return None, False
    rank, low, below = share * total, min(0.0, finite[0]), 0.0
    for bound in finite:
        held = buckets[bound]
        if held >= rank and held > below:
            return low + (bound - low) * (rank - below) / (held - below), False
        low, below = bound, held
    return finite[-1], True
