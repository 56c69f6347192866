"""Samples of the Prometheus kind, regrouped into points: one histogram point per label set."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

from collectors.draft import Point
from collectors.report import ReadReport
from words import _

INFINITE: Final = "+Inf"
"""How the bound of the last bucket is written in a point's `buckets`."""

UNITS: Final = (
    (r"_(seconds|secs)$", "s"),
    (r"_(milliseconds|millis|ms)$", "ms"),
    (r"_(microseconds|us)$", "us"),
    (r"_(nanoseconds|ns)$", "ns"),
    (r"_bytes$", "bytes"),
    (r"_(ratio|perc|usage_perc|utilization|hit_rate)$", "ratio"),
    (r"_percent$", "percent"),
    (r"_tokens$", "tokens"),
    (
        r"^tgi_.*_duration$|^litellm_.*latency(_metric)?$|^litellm_.*time_to_first_token_metric$",
        "s",
    ),
    (r"^envoy_.*(upstream|downstream)_rq_time$", "ms"),
    (r"_created$", "s"),
)
"""Pattern of a family's name -> its unit, the first that fits."""

_SUFFIX: Final = re.compile(r"_(bucket|sum|count|total)$")


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample line: `kind` as declared ("" where nothing was)."""

    name: str
    labels: dict[str, str]
    value: float
    time_ns: int | None
    kind: str = ""
    unit: str = ""
    place: str = ""


@dataclass(slots=True)
class _Group:
    """The samples of one histogram or summary at one time."""

    kind: str
    unit: str
    place: str
    bounds: dict[float, float] = field(default_factory=dict)
    count: float | None = None
    sum: float | None = None


def unit_of(name: str, declared: str = "") -> str:
    """The unit in which a family is written: as declared, else by its name, else ""."""
    if declared:
        return {"seconds": "s", "milliseconds": "ms", "By": "bytes", "1": ""}.get(
            declared, declared
        )
    plain = _SUFFIX.sub("", name)
    return next((unit for pattern, unit in UNITS if re.search(pattern, plain)), "")


def points(samples: list[Sample], report: ReadReport) -> list[Point]:
    """The samples as points, in the order of their first appearance.

    A family without a declaration is a histogram where it has `_bucket` samples with `le`, and a
    counter where its name ends in `_total`. Values that are not finite are counted as rejected.
    """
    histograms = {
        sample.name.removesuffix("_bucket")
        for sample in samples
        if sample.name.endswith("_bucket") and "le" in sample.labels
    }
    found: dict[Any, Point | _Group] = {}
    for position, sample in enumerate(samples):
        if not math.isfinite(sample.value):
            report.reject(_("a value is not a finite number"), f"{sample.place}{sample.name}")
        elif not _sort(sample, position, histograms, found):
            report.reject(_("a bucket has no bound"), f"{sample.place}{sample.name}")
    return [
        _point(key, entry) if isinstance(entry, _Group) else entry for key, entry in found.items()
    ]


def _sort(
    sample: Sample, position: int, histograms: set[str], found: dict[Any, Point | _Group]
) -> bool:
    """Put a sample where it belongs; False for a bucket or quantile whose bound is no number."""
    family, part = _part(sample, histograms)
    if part == "":
        kind = "counter" if sample.name.endswith("_total") else "unknown"
        found[position] = Point(
            name=sample.name,
            labels=dict(sample.labels),
            kind=sample.kind if sample.kind in ("gauge", "counter") else kind,
            unit=unit_of(sample.name, sample.unit),
            time_ns=sample.time_ns,
            value=sample.value,
            place=sample.place,
        )
        return True
    bound = "le" if family in histograms or sample.kind == "histogram" else "quantile"
    edge = _number(sample.labels.get(bound))
    if part not in ("sum", "count") and edge is None:
        return False
    labels = tuple(sorted((key, item) for key, item in sample.labels.items() if key != bound))
    kind = "histogram" if bound == "le" else "summary"
    made = _Group(kind, unit_of(family, sample.unit), sample.place)
    group = found.setdefault((family, labels, sample.time_ns), made)
    assert isinstance(group, _Group)
    if part == "sum":
        group.sum = sample.value
    elif part == "count":
        group.count = sample.value
    elif edge is not None:
        group.bounds[edge] = sample.value
    return True


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "nan")
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _part(sample: Sample, histograms: set[str]) -> tuple[str, str]:
    """(family, part) where the sample is a part of a histogram or summary, else (name, "")."""
    for part in ("bucket", "sum", "count"):
        family = sample.name.removesuffix(f"_{part}")
        if family == sample.name:
            continue
        if family in histograms or sample.kind in ("histogram", "summary"):
            return family, part
    if sample.kind == "summary" and "quantile" in sample.labels:
        return sample.name, "quantile"
    return sample.name, ""


def _point(key: tuple[str, tuple[tuple[str, str], ...], int | None], group: _Group) -> Point:
    name, labels, time_ns = key
    bounds = dict(group.bounds)
    flags: list[str] = []
    count = group.count
    if group.kind == "histogram" and bounds:
        if math.inf in bounds:
            count = bounds[math.inf] if count is None else count
        elif count is not None:
            bounds[math.inf] = count
            flags.append("inf_bucket_missing")
    return Point(
        name=name,
        labels=dict(labels),
        kind=group.kind,
        unit=group.unit,
        time_ns=time_ns,
        count=count,
        sum=group.sum,
        buckets=[
            [INFINITE if bound == math.inf else bound, held]
            for bound, held in sorted(bounds.items())
        ],
        flags=flags,
        place=group.place,
    )
