"""OTLP/JSON traces: export requests as a Collector, an SDK or Tempo writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from analysis.spans import KINDS, STATUSES
from collectors.draft import Draft, Point, host_of, text_or_none
from collectors.fields import (
    FieldError,
    as_object,
    bad,
    hex_id,
    integer,
    listed,
    mapped,
    needed_id,
    text,
)
from collectors.formats.otlp_values import attributes_of, entries_of, reference_type, requests_of
from collectors.report import ReadReport
from collectors.sanitized import original_end
from words import _

NAME: Final = "otlp_json"
TITLE: Final = "OpenTelemetry OTLP/JSON traces (Collector, SDKs, Tempo)"


def matches(document: Any) -> str | None:
    """What gives the format away, None where this is another one."""
    for place, _entries in requests_of(document, "resourceSpans", "batches"):
        return _("it has {key}").format(key=place)
    if isinstance(document, dict) and {"traceId", "spanId", "startTimeUnixNano"} <= set(document):
        return _("it is a span with traceId, spanId and startTimeUnixNano")
    return None


def rows(document: Any, where: str, report: ReadReport) -> Iterator[Draft | Point]:
    """The spans of one document; unusable ones are counted in the report with their path."""
    if isinstance(document, dict) and "spanId" in document:
        bare: dict[str, Any] = {}
        yield from _spans([document], f"{where}span", bare, "", report)
        return
    for path, value in requests_of(document, "resourceSpans", "batches"):
        try:
            entries = entries_of(value, path)
        except FieldError as error:
            report.reject(error.reason, f"{where}{error.found}")
            continue
        for position, entry in enumerate(entries):
            yield from _resource_spans(entry, f"{where}{path}[{position}]", report)


def _resource_spans(entry: Any, place: str, report: ReadReport) -> Iterator[Draft]:
    try:
        holder = as_object(entry, "resourceSpans")
        resource = attributes_of(mapped(holder, "resource"))
        scopes = [
            (key, listed(holder, key))
            for key in ("scopeSpans", "instrumentationLibrarySpans")
            if key in holder
        ]
    except FieldError as error:
        report.reject(error.reason, f"{place}: {error.found}", _spans_in(entry))
        return
    for key, scope_spans in scopes:
        for position, scoped in enumerate(scope_spans):
            yield from _scope_spans(scoped, f"{place}.{key}[{position}]", resource, report)


def _spans_in(entry: Any) -> int:
    """How many spans an entry holds that cannot be used as a whole; 1 where that is unknown."""
    scopes = entry.get("scopeSpans") if isinstance(entry, dict) else None
    spans = [
        scope.get("spans")
        for scope in (scopes if isinstance(scopes, list) else [])
        if isinstance(scope, dict)
    ]
    return sum(len(held) for held in spans if isinstance(held, list)) or 1


def _scope_spans(
    scoped: Any, place: str, resource: dict[str, Any], report: ReadReport
) -> Iterator[Draft]:
    try:
        holder = as_object(scoped, "scopeSpans")
        scope = mapped(holder, "scope") or mapped(holder, "instrumentationLibrary")
        name, spans = text(scope, "name"), listed(holder, "spans")
    except FieldError as error:
        report.reject(error.reason, f"{place}: {error.found}", _spans_in({"scopeSpans": [scoped]}))
        return
    yield from _spans(spans, f"{place}.spans", resource, name, report)


def _spans(
    spans: list[Any], place: str, resource: dict[str, Any], scope: str, report: ReadReport
) -> Iterator[Draft]:
    service, host = text_or_none(resource.get("service.name")), host_of(resource)
    for position, span in enumerate(spans):
        here = f"{place}[{position}]" if len(spans) > 1 or place.endswith("s") else place
        try:
            yield _draft(as_object(span, "span"), resource, service, host, scope or None, here)
        except FieldError as error:
            report.reject(error.reason, f"{here}: {error.found}" if error.found else here)


def _draft(
    span: dict[str, Any],
    resource: dict[str, Any],
    service: str | None,
    host: str | None,
    scope: str | None,
    place: str,
) -> Draft:
    attributes = attributes_of(span)
    return Draft(
        trace_id=needed_id(span.get("traceId"), "traceId", 32),
        span_id=needed_id(span.get("spanId"), "spanId", 16),
        parent_id=hex_id(span.get("parentSpanId"), "parentSpanId", 16),
        name=text(span, "name"),
        service=service,
        host=host,
        kind=_choice(span.get("kind"), "kind", KINDS, "SPAN_KIND_"),
        status=_choice(mapped(span, "status").get("code"), "status", STATUSES, "STATUS_CODE_"),
        scope=scope,
        start_ns=_time(span, "startTimeUnixNano"),
        end_ns=original_end(_time(span, "endTimeUnixNano"), attributes),
        resource=resource,
        attributes=attributes,
        events=[_event(event) for event in listed(span, "events")],
        links=[_link(link) for link in listed(span, "links")],
        place=place,
    )


def _time(holder: dict[str, Any], key: str) -> int | None:
    time = integer(holder, key)
    if time is not None and time < 0:
        raise bad(key, _("is negative"), time)
    return time or None


def _choice(value: Any, key: str, names: tuple[str, ...], prefix: str) -> str:
    """An enumeration given as number, number in text, or name; the first name where absent."""
    if value is None or value == "":
        return names[0]
    if isinstance(value, str):
        name = value.upper().removeprefix(prefix).lower()
        if name in names:
            return name
        value = int(value) if value.isdecimal() and len(value) < 3 else value
    if type(value) is int and 0 <= value < len(names):
        return names[value]
    raise bad(key, _("is not one of its values"), value)


def _event(event: Any) -> dict[str, Any]:
    holder = as_object(event, "events")
    return {
        "name": text(holder, "name"),
        "time_ns": _time(holder, "timeUnixNano"),
        "attributes": attributes_of(holder),
    }


def _link(link: Any) -> dict[str, Any]:
    holder = as_object(link, "links")
    return {
        "trace_id": hex_id(holder.get("traceId"), "traceId", 32) or "",
        "span_id": hex_id(holder.get("spanId"), "spanId", 16) or "",
        "type": reference_type(attributes_of(holder)),
    }
