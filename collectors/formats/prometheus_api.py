"""Answers of Prometheus' query API: vectors and matrices, as `/api/v1/query_range` sends them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from collectors.draft import Draft, Point
from collectors.fields import FieldError, as_object, bad, listed, mapped, shown
from collectors.report import ReadReport
from collectors.series import Sample, points
from words import _

NAME: Final = "prometheus_api"
TITLE: Final = "Prometheus query API answer (vector, matrix)"

_TYPES: Final = ("matrix", "vector")


def matches(document: Any) -> str | None:
    """What gives the format away, None where this is another one."""
    if not isinstance(document, dict):
        return None
    data = document.get("data", document)
    if not isinstance(data, dict) or "resultType" not in data or "result" not in data:
        return None
    return _("it has resultType {kind}").format(kind=shown(data["resultType"]))


def rows(document: dict[str, Any], where: str, report: ReadReport) -> Iterator[Draft | Point]:
    """The points of one answer; unusable series and values are counted in the report."""
    data = document.get("data", document)
    prefix = f"{where}data.result" if "data" in document else f"{where}result"
    if data["resultType"] not in _TYPES or not isinstance(data["result"], list):
        report.reject(_("the result is neither a vector nor a matrix"), prefix)
        return
    samples: list[Sample] = []
    for position, series in enumerate(data["result"]):
        place = f"{prefix}[{position}]"
        try:
            holder = as_object(series, "result")
            labels = {key: str(value) for key, value in mapped(holder, "metric").items()}
            values = [holder["value"]] if "value" in holder else listed(holder, "values")
        except FieldError as error:
            report.reject(error.reason, f"{place}: {error.found}")
            continue
        native = holder.get("histograms") or holder.get("histogram")
        if native:
            count = len(native) if "histograms" in holder else 1
            report.reject(_("native histograms are not read"), place, count)
        samples += _samples(labels, values, place, report)
    yield from points(samples, report)


def _samples(
    labels: dict[str, str], values: list[Any], place: str, report: ReadReport
) -> Iterator[Sample]:
    name = labels.pop("__name__", "")
    for position, pair in enumerate(values):
        here = f"{place}.values[{position}]"
        try:
            time_ns, value = _pair(pair)
        except FieldError as error:
            report.reject(error.reason, f"{here}: {error.found}")
        else:
            yield Sample(name or _("(expression)"), labels, value, time_ns, place=f"{here}: ")


def _pair(pair: Any) -> tuple[int, float]:
    """(time, value); Prometheus' times are seconds with milliseconds, so they round exactly."""
    if not isinstance(pair, list) or len(pair) != 2:
        raise bad("value", _("is not a pair of time and value"), pair)
    try:
        time_ns, value = round(float(pair[0]) * 1000) * 10**6, float(pair[1])
    except (TypeError, ValueError, OverflowError) as error:
        raise bad("value", _("is not a pair of time and value"), pair) from error
    if not -(2**63) <= time_ns < 2**63:
        raise bad("value", _("has a time out of range"), pair[0])
    return time_ns, value
