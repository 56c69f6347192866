"""The text that a /metrics page holds: Prometheus' format, or OpenMetrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
_CREATED: Final = re.compile(r"^[\w:]+_created[ \t{]")
_FAULTS: Final = (ValueError, KeyError, IndexError, TypeError, AttributeError)
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
    families, time_unit_ms = _families(document, where, report)
    samples: list[Sample] = []
    for family in families:
        kind = family.type if family.type in _KINDS else ""
        for sample in family.samples:
            time_ns = _time_ns(sample.timestamp, time_unit_ms)
            samples.append(_sample(sample, kind, family, exposed, time_ns))
    yield from points(samples, report)


def _sample(sample: Any, kind: str, family: Any, exposed: set[str], time_ns: int | None) -> Sample:
    name = sample.name
    if name not in exposed and name.removesuffix("_total") in exposed:
        name = name.removesuffix("_total")
    created = name.endswith("_created")
    return Sample(
        name=name,
        labels=dict(sample.labels),
        value=float(sample.value),
        time_ns=time_ns,
        kind="gauge" if created else kind,
        unit=family.unit,
    )


def _time_ns(timestamp: Any, unit_ms: int) -> int | None:
    """A sample's time; whole milliseconds in Prometheus' text, ns in OpenMetrics."""
    if timestamp is None:
        return None
    if hasattr(timestamp, "nsec"):
        return int(timestamp.sec) * 10**9 + int(timestamp.nsec)
    return round(float(timestamp) * 1000 * unit_ms) * 10**6


def _families(document: str, where: str, report: ReadReport) -> tuple[list[Any], int]:
    """(families, ms in the unit of their times as the text parser reads them).

    The reference parser of OpenMetrics is stricter than its writers are: a page that it refuses is
    read as Prometheus' text, without exemplars and with the creation times moved to the end.
    """
    unit_ms = 1
    if document.rstrip().endswith("# EOF"):
        try:
            return list(openmetrics(document.rstrip() + "\n")), unit_ms
        except _FAULTS:
            lines = _EXEMPLAR.sub("", document).splitlines()
            document = "\n".join(sorted(lines, key=lambda line: bool(_CREATED.match(line))))
            unit_ms = 1000
    try:
        return list(prometheus(document)), unit_ms
    except _FAULTS:
        return list(prometheus("\n".join(_good_lines(document, where, report)))), unit_ms


def _good_lines(document: str, where: str, report: ReadReport) -> Iterator[str]:
    for number, line in enumerate(document.splitlines(), 1):
        try:
            list(prometheus(line))
        except _FAULTS:
            if not line.startswith("#"):
                place = where + _("line {n}").format(n=number)
                report.reject(_("a line is not a sample"), place)
        else:
            yield line
