"""Jaeger's query API, version 3: traces as OTLP, in one answer or in pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.draft import Draft, Point
from collectors.formats import otlp_json
from collectors.http import AbsentError, fetch, fetch_json
from collectors.report import ReadReport
from collectors.searching import gated, halved, is_new, iso_of
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from words import _

NAME: Final = "jaeger_v3"
TITLE: Final = "Jaeger (query API, version 3)"
FIELDS: Final = (
    Field("url", _("Address"), required=True),
    Field("service", _("Services, separated by commas; all where empty")),
    Field("limit", _("Traces in one answer, at most"), default="200"),
    *ACCESS,
)
SHORTEST_NS: Final = 1_000_000
"""A time range this short is not halved further."""

_BEGINNING: Final = re.compile(r"\S")


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a Jaeger of version 3 answers at this address."""
    try:
        return "services" in fetch_json(f"{_api(url)}/services", headers=headers)
    except (UserError, TypeError):
        return False


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Every trace that has a span of the services in the range, each once."""
    api, headers = _api(setting(settings, FIELDS, "url")), headers_of(settings, FIELDS)
    limit = number(settings, FIELDS, "limit")
    report.format, report.reason = otlp_json.NAME, _("it comes from Jaeger's query API")
    window = since_ns, max(since_ns, until_ns - 1)
    services = _services(settings, api, headers)
    yield from gated(_traces(services, api, headers, limit, window, report), report)


def _api(url: str) -> str:
    base = base_url(url)
    for ending in ("/api/v3/traces", "/api/v3", "/search"):
        base = base.removesuffix(ending)
    return f"{base}/api/v3"


def _services(settings: Settings, api: str, headers: dict[str, str]) -> list[str]:
    named = [name.strip() for name in setting(settings, FIELDS, "service").split(",")]
    if any(named):
        return [name for name in named if name]
    answer = fetch_json(f"{api}/services", headers=headers)
    listed = answer.get("services") if isinstance(answer, dict) else None
    return sorted(str(name) for name in listed or [])


def _traces(
    services: list[str],
    api: str,
    headers: dict[str, str],
    limit: int,
    window_ns: tuple[int, int],
    report: ReadReport,
) -> Iterator[list[Draft | Point]]:
    """The spans of each trace, by trace: an answer holds the spans of many without an order."""
    seen = set[str]()
    for service in services:

        def ask(start: int, end: int, service: str = service) -> list[Any]:
            # `num_traces` is the name that every version of Jaeger knows
            params = {
                "query.service_name": service,
                "query.start_time_min": iso_of(start),
                "query.start_time_max": iso_of(end),
                "query.num_traces": limit,
            }
            return _answer(f"{api}/traces", params, headers)

        def cut(start: int, end: int, service: str = service) -> None:
            place = _("{service}, at least 1 trace more between {start} and {end} ns")
            shown = place.format(service=service, start=start, end=end)
            report.reject(_("the answer was cut off at the limit of traces"), shown)

        for trace_id, entries in halved(window_ns, SHORTEST_NS, limit, ask, cut):
            if is_new(trace_id, seen):
                document = {"resourceSpans": entries}
                yield list(otlp_json.rows(document, f"{trace_id}: ", report))


def _answer(url: str, params: dict[str, Any], headers: dict[str, str]) -> list[Any]:
    """(trace id, entries of `resourceSpans`) pairs; Jaeger says 404 where it finds no trace."""
    try:
        text = fetch(url, params, {"Accept": "application/json", **headers}).text
    except AbsentError:
        return []
    found: dict[str, list[Any]] = {}
    for piece in _pieces(text, url):
        held = piece.get("result", piece) if isinstance(piece, dict) else None
        entries = held.get("resourceSpans", []) if isinstance(held, dict) else None
        if not isinstance(entries, list):
            raise UserError(_("traces as OTLP"), _("another answer"), shown_url(url))
        for entry in entries:
            for trace_id, part in _by_trace(entry):
                found.setdefault(trace_id, []).append(part)
    return list(found.items())


def _pieces(text: str, url: str) -> Iterator[Any]:
    """The JSON documents of an answer, one behind the other."""
    decoder, at = json.JSONDecoder(), 0
    while (found := _BEGINNING.search(text, at)) is not None:
        try:
            document, at = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError) as error:
            raise UserError(_("a JSON answer"), _("something else"), shown_url(url)) from error
        yield document


def _by_trace(entry: Any) -> Iterator[tuple[str, Any]]:
    """One entry of `resourceSpans`, parted by trace; an entry of another shape stays whole."""
    parted: dict[str, list[dict[str, Any]]] = {}
    try:
        for scoped in entry["scopeSpans"]:
            by_trace: dict[str, list[Any]] = {}
            for span in scoped["spans"]:
                by_trace.setdefault(str(span.get("traceId")), []).append(span)
            for trace_id, spans in by_trace.items():
                parted.setdefault(trace_id, []).append({**scoped, "spans": spans})
    except (KeyError, TypeError, AttributeError):
        yield "", entry
        return
    for trace_id, scopes in parted.items():
        yield trace_id, {**entry, "scopeSpans": scopes}
