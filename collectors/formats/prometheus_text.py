"""The text that a /metrics page holds: Prometheus' format, or OpenMetrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

from collectors.draft import Draft, Point
from collectors.report import ReadReport
from collectors.series import Sample, points
from words import _

NAME: Final = "prometheus_text"
TITLE: Final = "Prometheus and OpenMetrics text (/metrics)"

_DECLARATION: Final = re.compile(r"^# (HELP|TYPE|UNIT) [a-zA-Z_:][\w:.]* ?", re.M)
_SAMPLE: Final = re.compile(
    r"^[a-zA-Z_:][\w:]*(\{[^\n]*\})?[ \t]+([-+]?[0-9.eE+-]+|NaN|[-+]?Inf)([ \t]+-?[0-9.]+)?[ \t]*$"
)
_EXEMPLAR: Final = re.compile(r"[ \t]+# \{[^\n]*$", re.M)
_KINDS: Final = {"gauge", "counter", "histogram", "summary"}


def matches(document: Any) -> str | None:
    """What gives the format away in the first lines, None where this is another one."""
    if not isinstance(document, str):
        return None
    if _DECLARATION.search(document):
        return _("it has # HELP or # TYPE lines")
    lines = [line for line in document.splitlines()[:50] if line and not line.startswith("#")]
    if lines and all(_SAMPLE.match(line) for line in lines[:3]):
        return _("its lines are a name, labels and a number")
    return None


def rows(document: str, where: str, report: ReadReport) -> Iterator[Draft | Point]:
    """The points of one page; lines that do not parse are counted in the report."""
    exposed = {re.split(r"[\s{]", line, maxsplit=1)[0] for line in document.splitlines()}
    samples: list[Sample] = []
    for family in _families(document, where, report):
        kind = family.type if family.type in _KINDS else ""
        samples += [_sample(sample, kind, family, exposed, where) for sample in family.samples]
    yield from points(samples, report)


def _sample(sample: Any, kind: str, family: Any, exposed: set[str], where: str) -> Sample:
    name = sample.name
    if name not in exposed and name.removesuffix("_total") in exposed:
        name = name.removesuffix("_total")
    created = name == f"{family.name}_created"
    return Sample(
        name=name,
        labels=dict(sample.labels),
        value=float(sample.value),
        time_ns=_time_ns(sample.timestamp),
        kind="gauge" if created else kind,
        family=family.name,
        unit=family.unit,
        place=where,
    )


def _time_ns(timestamp: Any) -> int | None:
    """A sample's time; whole milliseconds in Prometheus' text, ns in OpenMetrics."""
    if timestamp is None:
        return None
    if hasattr(timestamp, "nsec"):
        return int(timestamp.sec) * 10**9 + int(timestamp.nsec)
    return round(float(timestamp) * 1000) * 10**6


def _families(document: str, where: str, report: ReadReport) -> Iterable[Any]:
    if document.rstrip().endswith("# EOF"):
        try:
            return list(openmetrics(document if document.endswith("\n") else document + "\n"))
        except (ValueError, KeyError, IndexError):
            document = _EXEMPLAR.sub("", document)
    try:
        return list(prometheus(document))
    except (ValueError, KeyError, IndexError):
        return list(prometheus("\n".join(_good_lines(document, where, report))))


def _good_lines(document: str, where: str, report: ReadReport) -> Iterator[str]:
    for number, line in enumerate(document.splitlines(), 1):
        try:
            list(prometheus(line))
        except (ValueError, KeyError, IndexError):
            if line.startswith("#"):
                continue
            report.reject(_("a line is not a sample"), f"{where}" + _("line {n}").format(n=number))
        else:
            yield line
