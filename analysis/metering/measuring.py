"""What each known family measured over a window: counts, sums and buckets of all its replicas."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from analysis.metering.family import SCALE_NS, Family
from analysis.metering.known import family_of, is_known
from analysis.metric_series import Buckets, Point, growth, point_of

SERVERS: Final = frozenset({"prometheus", "prometheus_replica", "__replica__", "receive_replica"})
"""Labels that name who scraped: with two of them the same process would count twice."""

TARGETS: Final = frozenset({"instance", "job", "pod", "namespace", "node", "container", "endpoint"})
"""Labels that a Prometheus server adds; a scrape by hand lacks them."""

STALE_NS: Final = 300_000_000_000
"""A series without a point for longer is stale: Prometheus looks back 5 min."""

PERCENTILES: Final = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
Bounds = tuple[int, int | None]
_COLUMNS: Final = ("time_ns", "value", "count", "sum", "buckets")


@dataclass
class Measured:
    """One family over the window, all its series summed.

    Args:
        count: observations; `sum_ns` their time, None where no sum was exported.
        bounds: percentile -> (low, high) ns of the bucket that holds it, high None above the last.
        series: how many were summed; `copies` were the same ones again and left out, `single` had
            one point beside others with several and are left out too.
        since_start: whether the figures reach back to the start of the process.
        first_ns, last_ns: of the points, ns since the epoch; None where a scrape gave no time.
        flags: counter_reset, inf_bucket_missing, delta, stale, one_point,
            buckets_disagree.
    """

    family: Family
    count: float = 0.0
    sum_ns: float | None = None
    bounds: dict[str, Bounds] = field(default_factory=dict)
    series: int = 0
    copies: int = 0
    single: int = 0
    since_start: bool = False
    first_ns: int | None = None
    last_ns: int | None = None
    values: list[float] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)

    @property
    def mean_ns(self) -> int | None:
        """Ns per observation, None where nothing was observed."""
        if self.sum_ns is None or not self.count > 0:
            return None
        return round(self.sum_ns / self.count)


@dataclass
class _Line:
    """One series: its points in order of time."""

    labels: dict[str, str]
    kind: str
    unit: str
    points: list[Point]
    timed: bool
    flags: set[str]


def measured(points: pd.DataFrame) -> list[Measured]:
    """What every known family measured; `points` as `data/queries/metric_points.sql` gives them."""
    lines: dict[Family, list[_Line]] = {}
    copies: dict[Family, int] = {}
    known = [name for name in points["name"].unique() if is_known(str(name))]
    kept = points[points["name"].isin(known)]
    frame = kept.assign(at=kept["time_ns"].fillna(kept["seen_ns"]))
    for (name, labels), group in frame.groupby(["name", "labels"], sort=True):
        carried = {key: str(value) for key, value in json.loads(str(labels)).items()}
        family = family_of(str(name), carried)
        if family is not None:
            lines.setdefault(family, []).append(_line(carried, group))
    for family, found in lines.items():
        lines[family], copies[family] = _once(found)
    latest = max((_last(line) for found in lines.values() for line in found), default=0)
    rows = [_sum(family, found, latest) for family, found in lines.items()]
    for row in rows:
        row.copies = copies[row.family]
    return _counted(rows)


def _line(labels: dict[str, str], group: pd.DataFrame) -> _Line:
    """A series; of several points at one instant the last counts."""
    ordered = group.sort_values("at", kind="stable").drop_duplicates("at", keep="last")
    taken = ordered.assign(time_ns=ordered["at"])
    rows = zip(*(taken[name] for name in _COLUMNS), strict=True)
    flags = {str(flag) for held in group["flags"] for flag in held}
    first = group.iloc[0]
    timed = bool(group["time_ns"].notna().all())
    return _Line(labels, str(first["kind"]), str(first["unit"]), [point_of(r) for r in rows], timed,
                 flags)  # fmt: skip


def _last(line: _Line) -> int:
    return max((point.time_ns or 0 for point in line.points), default=0)


def _once(lines: Iterable[_Line]) -> tuple[list[_Line], int]:
    """Each process once: by another server's scrape, or by hand beside a server's, it is the same.

    A scrape by hand carries no `instance`; where a series with the same labels of its own and one
    is there, the scrape by hand is left out.
    """
    found: dict[tuple[tuple[str, str], ...], _Line] = {}
    copies = 0
    for line in lines:
        key = tuple(sorted(item for item in line.labels.items() if item[0] not in SERVERS))
        if key in found:
            copies += 1
            if len(line.points) <= len(found[key].points):
                continue
        found[key] = line
    by_server = {_own(line) for line in found.values() if "instance" in line.labels}
    kept = [x for x in found.values() if "instance" in x.labels or _own(x) not in by_server]
    return kept, copies + len(found) - len(kept)


def _own(line: _Line) -> tuple[tuple[str, str], ...]:
    dropped = SERVERS | TARGETS
    return tuple(sorted(item for item in line.labels.items() if item[0] not in dropped))


def _sum(family: Family, lines: Sequence[_Line], latest: int) -> Measured:
    row = Measured(family)
    several = [line for line in lines if len(line.points) > 1 or "delta" in line.flags]
    if several and len(several) < len(lines):
        # one point says what was since a process began, which may lie far before the window
        row.flags.add("one_point")
    used = several or lines
    row.single = len(lines) - len(used)
    row.since_start = not several
    buckets: list[Buckets] = []
    for line in used:
        _add(row, line, buckets)
        if latest - _last(line) > STALE_NS:
            row.flags.add("stale")
    row.series = len(used)
    times = [p.time_ns for line in used if line.timed for p in line.points if p.time_ns is not None]
    row.first_ns, row.last_ns = (min(times), max(times)) if times else (None, None)
    if family.unit in SCALE_NS and all(line.kind == "histogram" for line in used):
        row.bounds = percentile_bounds(buckets, _scale(family, used[0]))
        if (
            row.bounds
            and abs(sum(max(b.values()) for b in buckets if b) - row.count) > row.count / 100
        ):
            row.bounds = {}
            row.flags.add("buckets_disagree")
    return row


def _scale(family: Family, line: _Line) -> int:
    """Ns of the unit: as declared where that is a time, else as the family is known to be."""
    return SCALE_NS.get(line.unit) or SCALE_NS.get(family.unit, 0)


def _add(row: Measured, line: _Line, buckets: list[Buckets]) -> None:
    row.flags |= line.flags & {"inf_bucket_missing", "delta"}
    flags = set(line.flags)
    scale = _scale(row.family, line)
    if line.kind in ("histogram", "summary"):
        for count, total, bounds in growth(line.points, flags):
            row.count += count
            if total is not None:
                row.sum_ns = (row.sum_ns or 0.0) + total * scale
            buckets.append(bounds)
    elif line.kind == "gauge" or (row.family.role == "cause" and line.kind != "counter"):
        row.values += [point.value for point in line.points if point.value is not None]
    else:
        counted = [Point(p.time_ns, None, p.value, None, {}) for p in line.points]
        row.count += sum(step[0] for step in growth(counted, flags))
    row.flags |= flags & {"counter_reset"}


def _counted(rows: list[Measured]) -> list[Measured]:
    """A bare sum gets its count from the counter of requests beside it."""
    counts = {row.family.name: row.count for row in rows}
    for row in rows:
        if row.family.counted_by:
            row.sum_ns = row.count * SCALE_NS[row.family.unit]
            row.count = counts.get(row.family.counted_by, 0.0)
    return rows


def percentile_bounds(histograms: Sequence[Buckets], scale_ns: int) -> dict[str, Bounds]:
    """Between which bounds each percentile lies, ns; only bounds that all histograms share.

    >>> percentile_bounds([{0.1: 2, 0.5: 6, 1.0: 8, float("inf"): 10}], 10**9)["p95"]
    (1000000000, None)
    """
    filled = [held for held in histograms if held]
    if not filled:
        return {}
    shared = sorted(set.intersection(*(set(held) for held in filled)))
    totals = [sum(held[bound] for held in filled) for bound in shared]
    whole = sum(max(held.values()) for held in filled)
    found: dict[str, Bounds] = {}
    for name, share in PERCENTILES.items():
        if whole > 0 and any(math.isfinite(bound) for bound in shared):
            found[name] = _bucket(shared, totals, share * whole, scale_ns)
    return found


def _bucket(bounds: list[float], totals: list[float], rank: float, scale_ns: int) -> Bounds:
    low = 0.0
    for bound, held in zip(bounds, totals, strict=True):
        if math.isinf(bound):
            break
        if held >= rank:
            return round(low * scale_ns), round(bound * scale_ns)
        low = bound
    return round(low * scale_ns), None


def as_row(row: Measured) -> dict[str, Any]:
    """One family for people and programs."""
    return {
        "family": row.family.name, "emitter": row.family.emitter, "role": row.family.role,
        "labels": dict(row.family.labels), "stage": row.family.stage, "count": row.count,
        "mean_ns": row.mean_ns, "bounds": {name: list(held) for name, held in row.bounds.items()},
        "series": row.series, "copies": row.copies, "single": row.single,
        "flags": sorted(row.flags),
    }  # fmt: skip
