"""Zipkin's query API, version 2: traces of all or some services in a time range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.draft import Draft, Point
from collectors.formats import zipkin_v2
from collectors.http import fetch_json
from collectors.report import ReadReport
from collectors.searching import gated, halved, is_new
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from words import _

NAME: Final = "zipkin"
TITLE: Final = "Zipkin (query API)"
FIELDS: Final = (
    Field("url", _("Address"), required=True),
    Field("service", _("Services, separated by commas; all where empty")),
    Field("limit", _("Traces in one answer, at most"), default="200"),
    *ACCESS,
)


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a Zipkin answers at this address."""
    try:
        found = fetch_json(f"{_api(url)}/services", headers=headers)
    except UserError:
        return False
    return isinstance(found, list) and all(isinstance(name, str) for name in found)


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Every trace that has a span in the range, each once."""
    api, headers = _api(setting(settings, FIELDS, "url")), headers_of(settings, FIELDS)
    limit = number(settings, FIELDS, "limit")
    report.format, report.reason = zipkin_v2.NAME, _("it comes from Zipkin's query API")
    window = since_ns // 10**6, max(since_ns, until_ns - 1) // 10**6
    named = [name.strip() for name in setting(settings, FIELDS, "service").split(",")]
    services = [name for name in named if name] or [""]
    yield from gated(_traces(services, api, headers, limit, window, report), report)


def _api(url: str) -> str:
    base = base_url(url)
    for ending in ("/api/v2/traces", "/api/v2", "/zipkin"):
        base = base.removesuffix(ending)
    return f"{base}/api/v2"


def _traces(
    services: list[str],
    api: str,
    headers: dict[str, str],
    limit: int,
    window_ms: tuple[int, int],
    report: ReadReport,
) -> Iterator[Iterator[Draft | Point]]:
    seen = set[str]()
    for service in services:
        named = {"serviceName": service} if service else {}

        def ask(start: int, end: int, named: dict[str, str] = named) -> list[Any]:
            # a lookback of 0 is refused, so each answer reaches 1 ms further back than asked
            params = {**named, "limit": limit, "endTs": end, "lookback": end - start + 1}
            answer = fetch_json(f"{api}/traces", params, headers)
            if not isinstance(answer, list):
                raise UserError(_("a list of traces"), _("another answer"), shown_url(api))
            return answer

        def cut(start: int, end: int) -> None:
            place = _("at least 1 trace more between {start} and {end} ms")
            shown = place.format(start=start, end=end)
            report.reject(_("the answer was cut off at the limit of traces"), shown)

        for trace in halved(window_ms, 1, limit, ask, cut):
            first = trace[0] if isinstance(trace, list) and trace else trace
            trace_id = first.get("traceId") if isinstance(first, dict) else None
            if is_new(trace_id, seen):
                yield zipkin_v2.rows([trace], f"{trace_id}: ", report)
