"""OTLP in protobuf: the export requests that SDKs and Collectors send over HTTP and gRPC."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from analysis.errors import UserError
from analysis.spans import KINDS, STATUSES
from collectors.draft import Draft, Point, host_of, text_or_none
from collectors.fields import MAX_VALUE_DEPTH, FieldError, bad, hex_id, needed_id, plain_value
from collectors.formats import otlp_metrics
from collectors.formats.otlp_values import reference_type
from collectors.report import ReadReport
from words import _

NAME: Final = "otlp_protobuf"

_SCALARS: Final = frozenset({"string_value", "int_value", "bool_value"})


def traces(body: bytes, where: str, report: ReadReport) -> Iterator[Draft]:
    """The spans of an `ExportTraceServiceRequest`.

    Raises: UserError where the bytes are no such message.
    """
    request = _parsed(ExportTraceServiceRequest(), body, where)
    for outer, held in enumerate(request.resource_spans):
        place = f"resourceSpans[{outer}]"
        try:
            resource = _attributes(held.resource.attributes)
        except FieldError as error:
            lost = sum(len(scope.spans) for scope in held.scope_spans)
            report.reject(error.reason, place, lost)
            continue
        for inner, scoped in enumerate(held.scope_spans):
            yield from _scope_spans(scoped, f"{place}.scopeSpans[{inner}]", resource, report)


def metrics(body: bytes, where: str, report: ReadReport) -> Iterator[Draft | Point]:
    """The points of an `ExportMetricsServiceRequest`, by way of its JSON form.

    Raises: UserError where the bytes are no such message.
    """
    request = _parsed(ExportMetricsServiceRequest(), body, where)
    yield from otlp_metrics.rows(MessageToDict(request), "", report)


def _parsed(message: Any, body: bytes, where: str) -> Any:
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        expected = _("{name} in protobuf").format(name=type(message).__name__)
        raise UserError(expected, str(error) or _("something else"), where) from error
    return message


def _scope_spans(
    scoped: Any, place: str, resource: dict[str, Any], report: ReadReport
) -> Iterator[Draft]:
    service, host = text_or_none(resource.get("service.name")), host_of(resource)
    scope = scoped.scope.name or None
    for position, span in enumerate(scoped.spans):
        here = f"{place}.spans[{position}]"
        try:
            yield _draft(span, resource, service, host, scope, here)
        except FieldError as error:
            report.reject(error.reason, f"{here}: {error.found}" if error.found else here)


def _draft(
    span: Any,
    resource: dict[str, Any],
    service: str | None,
    host: str | None,
    scope: str | None,
    place: str,
) -> Draft:
    return Draft(
        trace_id=_id(span.trace_id, "traceId", 16) or needed_id("", "traceId", 32),
        span_id=_id(span.span_id, "spanId", 8) or needed_id("", "spanId", 16),
        parent_id=_id(span.parent_span_id, "parentSpanId", 8),
        name=span.name,
        service=service,
        host=host,
        kind=_named(span.kind, "kind", KINDS),
        status=_named(span.status.code, "status", STATUSES),
        scope=scope,
        start_ns=span.start_time_unix_nano or None,
        end_ns=span.end_time_unix_nano or None,
        resource=resource,
        attributes=_attributes(span.attributes),
        events=[_event(event) for event in span.events],
        links=[_link(link) for link in span.links],
        place=place,
    )


def _id(raw: bytes, key: str, size: int) -> str | None:
    """An id as `hex_id` has it; None where it is empty or all zeros."""
    if len(raw) == size:
        return raw.hex() if raw.strip(b"\0") else None
    return hex_id(raw.hex(), key, 2 * size)


def _named(value: int, key: str, names: tuple[str, ...]) -> str:
    if not 0 <= value < len(names):
        raise bad(key, _("is not one of its values"), value)
    return names[value]


def _event(event: Any) -> dict[str, Any]:
    return {
        "name": event.name,
        "time_ns": event.time_unix_nano or None,
        "attributes": _attributes(event.attributes),
    }


def _link(link: Any) -> dict[str, Any]:
    return {
        "trace_id": _id(link.trace_id, "traceId", 16) or "",
        "span_id": _id(link.span_id, "spanId", 8) or "",
        "type": reference_type(_attributes(link.attributes)),
    }


def _attributes(pairs: Iterable[Any], depth: int = 0) -> dict[str, Any]:
    return {pair.key: _value(pair.value, depth) for pair in pairs}


def _value(value: Any, depth: int) -> Any:
    """An AnyValue as the JSON form has it: bytes as base64 text, NaN and infinities by name."""
    kind = value.WhichOneof("value")
    if kind in _SCALARS:
        return getattr(value, kind)
    if kind == "double_value":
        return plain_value(value.double_value)
    if depth >= MAX_VALUE_DEPTH:
        reason = _("an attribute is nested deeper than {limit} levels")
        raise FieldError(reason.format(limit=MAX_VALUE_DEPTH))
    if kind == "array_value":
        return [_value(item, depth + 1) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values, depth + 1)
    return MessageToDict(value).get("bytesValue") if kind else None
