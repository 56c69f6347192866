"""ClickHouse: the table that the Collector's exporter fills, over HTTP as JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.draft import Draft, Point
from collectors.fields import FieldError, as_object, hex_id, integer, listed, mapped, plain_value
from collectors.http import fetch
from collectors.records import record
from collectors.report import ReadReport
from collectors.searching import gated
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from words import _

NAME: Final = "clickhouse"
TITLE: Final = "ClickHouse (table of the Collector's exporter)"
FIELDS: Final = (
    Field("url", _("Address"), required=True),
    Field("project", _("Table, such as otel.otel_traces"), default="otel_traces"),
    Field("limit", _("Spans in one answer, at most"), default="50000"),
    *ACCESS,
)
_COLUMNS: Final = """
    TraceId, SpanId, ParentSpanId, SpanName, SpanKind, ResourceAttributes, ServiceName, ScopeName,
    SpanAttributes, StatusCode, Events.Name AS event_names, Events.Attributes AS event_attributes,
    toString(toUnixTimestamp64Nano(Timestamp)) AS start_ns, toString(Duration) AS duration_ns,
    arrayMap(t -> toString(toUnixTimestamp64Nano(t)), Events.Timestamp) AS event_ns,
    Links.TraceId AS link_traces, Links.SpanId AS link_spans"""
_TABLE: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?")


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a ClickHouse answers at this address."""
    try:
        return fetch(f"{base_url(url)}/ping", headers=headers).content.strip() == b"Ok."
    except UserError:
        return False


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Every span that started in the range; of a trace at its edges, that part.

    Raises: UserError where the table's name is none, or the server refuses the query.
    """
    url, headers = base_url(setting(settings, FIELDS, "url")), headers_of(settings, FIELDS)
    table, limit = setting(settings, FIELDS, "project"), number(settings, FIELDS, "limit")
    if not _TABLE.fullmatch(table):
        raise UserError(_("the name of a table"), table)
    report.format, report.reason = NAME, _("it comes from a ClickHouse table")
    windows = _windows(url, headers, table, limit, (since_ns, until_ns))
    answers_ = (_lines(url, headers, _query(_COLUMNS, table, window)) for window in windows)
    yield from gated((_records(lines, report) for lines in answers_), report)


def _query(columns: str, table: str, window_ns: tuple[int, int]) -> str:
    first, end = (f"fromUnixTimestamp64Nano({at})" for at in window_ns)
    where = f"Timestamp >= {first} AND Timestamp < {end}"
    return f"SELECT {columns} FROM {table} WHERE {where} FORMAT JSONEachRow"  # noqa: S608  # checked


def _windows(
    url: str, headers: dict[str, str], table: str, limit: int, window_ns: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Parts of the range, halved until one answer holds its spans; an instant is not halved."""
    waiting = [window_ns]
    while waiting:
        start, end = waiting.pop()
        (row,) = _lines(url, headers, _query("toString(count()) AS n", table, (start, end)))
        count = int(row["n"])
        if count > limit and end - start > 1:
            middle = (start + end) // 2
            waiting += [(middle, end), (start, middle)]
        elif count:
            yield start, end


def _lines(url: str, headers: dict[str, str], query: str) -> list[dict[str, Any]]:
    body = fetch(f"{url}/", {"query": query}, headers).content
    try:
        lines = [json.loads(line) for line in body.splitlines()]
    except (ValueError, RecursionError) as error:
        raise UserError(_("JSON lines"), _("something else"), shown_url(url)) from error
    if not all(isinstance(line, dict) for line in lines):
        raise UserError(_("JSON lines"), _("something else"), shown_url(url))
    return lines


def _records(lines: list[dict[str, Any]], report: ReadReport) -> Iterator[Draft | Point]:
    resources: dict[str, dict[str, Any]] = {}
    for position, line in enumerate(lines):
        try:
            yield _draft(line, resources, f"[{position}]")
        except FieldError as error:
            report.reject(error.reason, f"[{position}]: {error.found}")


def _draft(line: dict[str, Any], resources: dict[str, dict[str, Any]], place: str) -> Draft:
    start, length = integer(line, "start_ns"), integer(line, "duration_ns")
    resource = plain_value(mapped(line, "ResourceAttributes"))
    resource.setdefault("service.name", line.get("ServiceName") or None)
    made = record(
        (line.get("TraceId"), line.get("SpanId"), line.get("ParentSpanId")),
        line.get("SpanName"),
        (start, None if start is None or length is None else start + length),
        plain_value(mapped(line, "SpanAttributes")),
        resource=resources.setdefault(json.dumps(resource, sort_keys=True), resource),
        place=place,
        kind=line.get("SpanKind"),
        status=line.get("StatusCode"),
        scope=line.get("ScopeName"),
        events=_events(line),
    )
    made.links = _links(line)
    return made


def _events(line: dict[str, Any]) -> list[dict[str, Any]]:
    times, names = listed(line, "event_ns"), listed(line, "event_names")
    held = [as_object(each, "event_attributes") for each in listed(line, "event_attributes")]
    return [
        {"name": str(name), "time_ns": integer({"event_ns": at}, "event_ns"), "attributes": each}
        for at, name, each in zip(times, names, held, strict=False)
    ]


def _links(line: dict[str, Any]) -> list[dict[str, Any]]:
    ends = zip(listed(line, "link_traces"), listed(line, "link_spans"), strict=False)
    return [
        {
            "trace_id": hex_id(trace, "link_traces", 32) or "",
            "span_id": hex_id(span, "link_spans", 16) or "",
            "type": "link",
        }
        for trace, span in ends
    ]
