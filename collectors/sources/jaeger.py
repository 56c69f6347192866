"""Jaeger's query API: traces of all or some services in a time range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.draft import Draft, Point
from collectors.formats import jaeger_json
from collectors.http import fetch_json
from collectors.report import ReadReport
from collectors.searching import gated, halved, is_new
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from words import _

NAME: Final = "jaeger"
TITLE: Final = "Jaeger (query API)"
FIELDS: Final = (
    Field("url", _("Address"), required=True, default=""),
    Field("service", _("Services, separated by commas; all where empty")),
    Field("limit", _("Traces in one answer, at most"), default="200"),
    *ACCESS,
)

SHORTEST_US: Final = 1000
"""A time range this short is not halved further: what exceeds the limit in it is cut, and said."""


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a Jaeger query service answers at this address."""
    try:
        found = fetch_json(f"{_api(url)}/services", headers=headers)
    except UserError:
        return False
    return isinstance(found, dict) and "data" in found and "resultType" not in found


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Every trace that has a span of the services in the range, each once.

    Where an answer reaches the limit its range is halved and asked again, so that nothing is cut
    silently; what a millisecond holds beyond the limit is counted in the report.
    """
    api, headers = _api(setting(settings, FIELDS, "url")), headers_of(settings, FIELDS)
    limit = number(settings, FIELDS, "limit")
    report.format, report.reason = jaeger_json.NAME, _("it comes from Jaeger's query API")
    window = since_ns // 1000, -(-until_ns // 1000)
    services = _services(settings, api, headers)
    yield from gated(_records(services, api, headers, limit, window, report), report)


def _api(url: str) -> str:
    base = base_url(url)
    for ending in ("/api/traces", "/api", "/search"):
        base = base.removesuffix(ending)
    return f"{base}/api"


def _services(settings: Settings, api: str, headers: dict[str, str]) -> list[str]:
    named = [name.strip() for name in setting(settings, FIELDS, "service").split(",")]
    if any(named):
        return [name for name in named if name]
    answer = fetch_json(f"{api}/services", headers=headers)
    data = answer.get("data") if isinstance(answer, dict) else None
    return sorted(str(name) for name in data or [])


def _records(
    services: list[str],
    api: str,
    headers: dict[str, str],
    limit: int,
    window_us: tuple[int, int],
    report: ReadReport,
) -> Iterator[Iterator[Draft | Point]]:
    """The records of each trace, each once."""
    seen = set[str]()
    for service in services:

        def ask(start: int, end: int, service: str = service) -> list[Any]:
            params = {"service": service, "limit": limit, "start": start, "end": end}
            answer = fetch_json(f"{api}/traces", params, headers)
            traces = answer.get("data") if isinstance(answer, dict) else None
            if not isinstance(traces, list):
                raise UserError(_("a list of traces"), _("another answer"), shown_url(api))
            return traces

        def cut(start: int, end: int, service: str = service) -> None:
            place = _("{service}, at least 1 trace more between {start} and {end} µs")
            shown = place.format(service=service, start=start, end=end)
            report.reject(_("the answer was cut off at the limit of traces"), shown)

        for trace in halved(window_us, SHORTEST_US, limit, ask, cut):
            if isinstance(trace, dict) and is_new(trace.get("traceID"), seen):
                yield jaeger_json.rows({"data": [trace]}, "", report)
