"""OTLP/JSON metrics: gauges, sums, histograms (exponential ones too) and summaries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from collectors.draft import Draft, Point
from collectors.fields import FieldError, as_object, bad, integer, listed, mapped, text
from collectors.formats.otlp_values import attributes_of, entries_of, requests_of
from collectors.report import ReadReport
from collectors.series import INFINITE, unit_of
from words import _

NAME: Final = "otlp_metrics"
TITLE: Final = "OpenTelemetry OTLP/JSON metrics"

IDENTITY: Final = ("service.name", "service.instance.id", "host.name", "k8s.pod.name")
"""Resource attributes that tell one source's series from another's; they join the labels."""

_DELTA: Final = (1, "1", "AGGREGATION_TEMPORALITY_DELTA")
_SHAPES: Final = ("gauge", "sum", "histogram", "exponentialHistogram", "summary")


def matches(document: Any) -> str | None:
    """What gives the format away, None where this is another one."""
    for place, _entries in requests_of(document, "resourceMetrics"):
        return _("it has {key}").format(key=place)
    return None


def rows(document: Any, where: str, report: ReadReport) -> Iterator[Draft | Point]:
    """The points of one document; unusable ones are counted in the report with their path."""
    for path, value in requests_of(document, "resourceMetrics"):
        try:
            entries = entries_of(value, path)
        except FieldError as error:
            report.reject(error.reason, f"{where}{error.found}")
            continue
        for position, entry in enumerate(entries):
            yield from _resource_metrics(entry, f"{where}{path}[{position}]", report)


def _resource_metrics(entry: Any, place: str, report: ReadReport) -> Iterator[Point]:
    try:
        holder = as_object(entry, "resourceMetrics")
        resource = attributes_of(mapped(holder, "resource"))
        identity = {key: resource[key] for key in IDENTITY if resource.get(key)}
        metrics = list(_metrics(holder, place))
    except FieldError as error:
        report.reject(error.reason, f"{place}: {error.found}")
        return
    for here, metric in metrics:
        yield from _metric(metric, here, identity, report)


def _metrics(entry: dict[str, Any], place: str) -> Iterator[tuple[str, Any]]:
    for key in ("scopeMetrics", "instrumentationLibraryMetrics"):
        for outer, scope in enumerate(listed(entry, key)):
            for inner, metric in enumerate(listed(as_object(scope, key), "metrics")):
                yield f"{place}.{key}[{outer}].metrics[{inner}]", metric


def _metric(
    metric: Any, place: str, identity: dict[str, Any], report: ReadReport
) -> Iterator[Point]:
    try:
        holder = as_object(metric, "metrics")
        name, unit = text(holder, "name"), text(holder, "unit")
        shape = next((key for key in _SHAPES if key in holder), "")
        data = mapped(holder, shape)
        entries = listed(data, "dataPoints")
    except FieldError as error:
        report.reject(error.reason, f"{place}: {error.found}")
        return
    if not shape:
        report.reject(_("a metric is of an unknown kind"), place)
    flags = ["delta"] if data.get("aggregationTemporality") in _DELTA else []
    for position, entry in enumerate(entries):
        here = f"{place}.{shape}.dataPoints[{position}]"
        try:
            point = _point(as_object(entry, "dataPoints"), shape, data, identity)
        except FieldError as error:
            report.reject(error.reason, f"{here}: {error.found}" if error.found else here)
            continue
        point.name, point.unit = name, unit_of(name, unit)
        point.flags, point.place = [*flags, *point.flags], here
        yield point


def _point(
    entry: dict[str, Any], shape: str, data: dict[str, Any], identity: dict[str, Any]
) -> Point:
    flags = integer(entry, "flags") or 0
    if flags & 1:
        raise FieldError(_("a point has no recorded value"))
    kind = {"sum": "counter" if data.get("isMonotonic") is True else "gauge"}.get(shape, shape)
    point = Point(
        name="",
        labels={**identity, **attributes_of(entry)},
        kind="histogram" if "istogram" in kind else kind,
        unit="",
        time_ns=integer(entry, "timeUnixNano") or None,
    )
    if point.time_ns is not None and not 0 <= point.time_ns < 2**63:
        raise bad("timeUnixNano", _("is out of range"), point.time_ns)
    if shape in ("gauge", "sum"):
        point.value = _number(entry, "asInt" if entry.get("asInt") is not None else "asDouble")
        if point.value is None:
            raise FieldError(_("a point has no value"))
        return point
    point.count, point.sum = _number(entry, "count"), _number(entry, "sum")
    point.buckets = {"histogram": _explicit, "exponentialHistogram": _exponential}.get(
        shape, _quantiles
    )(entry)
    return point


def _number(entry: dict[str, Any], key: str) -> float | None:
    value = entry.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise bad(key, _("is not a number"), value)
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise bad(key, _("is not a number"), value) from error
    if not math.isfinite(number):
        raise bad(key, _("is not a finite number"), value)
    return number


def _numbers(entry: dict[str, Any], key: str) -> list[float]:
    return [_number({key: value}, key) or 0.0 for value in listed(entry, key)]


def _explicit(entry: dict[str, Any]) -> list[list[Any]]:
    bounds, counts = _numbers(entry, "explicitBounds"), _numbers(entry, "bucketCounts")
    if not counts:
        return []
    if len(counts) != len(bounds) + 1:
        raise FieldError(_("bucketCounts does not fit explicitBounds"))
    return _cumulative([*bounds, INFINITE], counts)


def _cumulative(bounds: list[Any], counts: list[float]) -> list[list[Any]]:
    total, found = 0.0, []
    for bound, count in zip(bounds, counts, strict=True):
        total += count
        found.append([bound, total])
    return found


def _exponential(entry: dict[str, Any]) -> list[list[Any]]:
    """Bucket bounds base^(offset + i + 1) with base 2^(2^-scale), above what counts as zero."""
    scale, positive = integer(entry, "scale") or 0, mapped(entry, "positive")
    if sum(_numbers(mapped(entry, "negative"), "bucketCounts")):
        raise FieldError(_("an exponential histogram has negative values"))
    if not -16 <= scale <= 24:
        raise bad("scale", _("is out of range"), scale)
    offset, counts = integer(positive, "offset") or 0, _numbers(positive, "bucketCounts")
    zeros = _number(entry, "zeroCount") or 0.0
    powers = [(offset + step + 1) * 2.0**-scale for step in range(len(counts))]
    if any(abs(power) > 1000 for power in powers):
        raise bad("offset", _("is out of range"), offset)
    low = _number(entry, "zeroThreshold") or (2.0 ** (offset * 2.0**-scale) if counts else 0.0)
    total = zeros + sum(counts)
    found = _cumulative([low, *(2.0**power for power in powers)], [zeros, *counts])
    return [*found, [INFINITE, total]]


def _quantiles(entry: dict[str, Any]) -> list[list[Any]]:
    quantiles = [as_object(item, "quantileValues") for item in listed(entry, "quantileValues")]
    return [[_number(item, "quantile"), _number(item, "value")] for item in quantiles]
