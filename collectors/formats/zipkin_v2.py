"""Zipkin's JSON, version 2: a list of spans, or a list of traces that are lists of spans.

`host` is the address of the local endpoint, as in Zipkin's own clock correction, which compares
those: services at one address share a clock. Loopback, link-local and unspecified addresses name
no machine and give null.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any, Final

from analysis.spans import KINDS
from collectors.draft import Draft, Point, text_or_none
from collectors.fields import (
    FieldError,
    as_object,
    bad,
    hex_id,
    integer,
    listed,
    mapped,
    needed_id,
    plain_value,
    text,
)
from collectors.report import ReadReport
from words import _

NAME: Final = "zipkin_v2"
TITLE: Final = "Zipkin JSON, version 2"

_OWN: Final = ("timestamp", "duration", "localEndpoint", "kind", "tags", "annotations", "parentId")
_LOOK: Final = 20


def matches(document: Any) -> str | None:
    """What gives the format away, None where this is another one (version 1 included)."""
    spans = [span for _place, span in _spans(document)][:_LOOK]
    if not spans or not all(_is_span(span) for span in spans[:1]):
        return None
    if any(_is_version_1(span) for span in spans if isinstance(span, dict)):
        return None
    return _("its spans have traceId, id and no binaryAnnotations")


def _is_span(span: Any) -> bool:
    if not isinstance(span, dict) or "traceId" not in span or "id" not in span:
        return False
    return "startTime" not in span and any(key in span for key in _OWN)


def _is_version_1(span: dict[str, Any]) -> bool:
    annotations = span.get("annotations")
    if "binaryAnnotations" in span:
        return True
    return isinstance(annotations, list) and any(
        isinstance(annotation, dict) and "endpoint" in annotation for annotation in annotations
    )


def _spans(document: Any) -> Iterator[tuple[str, Any]]:
    """(path, span): one span, a list of spans, or a list of lists of spans."""
    if isinstance(document, dict):
        yield "span", document
        return
    for position, item in enumerate(document if isinstance(document, list) else []):
        if isinstance(item, list):
            yield from ((f"[{position}][{inner}]", span) for inner, span in enumerate(item))
        else:
            yield f"[{position}]", item


def rows(document: Any, where: str, report: ReadReport) -> Iterator[Draft | Point]:
    """The spans of one document; unusable ones are counted in the report with their path."""
    resources: dict[tuple[Any, ...], dict[str, Any]] = {}
    for path, span in _spans(document):
        place = f"{where}{path}"
        try:
            yield _draft(as_object(span, "span"), resources, place)
        except FieldError as error:
            report.reject(error.reason, f"{place}: {error.found}" if error.found else place)


def _draft(
    span: dict[str, Any], resources: dict[tuple[Any, ...], dict[str, Any]], place: str
) -> Draft:
    local, tags = mapped(span, "localEndpoint"), _tags(span)
    start, length = integer(span, "timestamp"), integer(span, "duration")
    shared = span.get("shared")
    if shared not in (None, True, False):
        raise bad("shared", _("is not true or false"), shared)
    service = text_or_none(text(local, "serviceName"))
    return Draft(
        trace_id=needed_id(span.get("traceId"), "traceId", 32),
        span_id=needed_id(span.get("id"), "id", 16),
        parent_id=hex_id(span.get("parentId"), "parentId", 16),
        name=text(span, "name"),
        service=service,
        host=_host(local),
        kind=_kind(span),
        status="error" if tags.get("error", "false").lower() != "false" else "unset",
        scope=text_or_none(tags.get("otel.scope.name") or tags.get("otel.library.name")),
        start_ns=start * 1000 if start else None,
        end_ns=(start + length) * 1000 if start and length else None,
        resource=_resource(service, local, resources),
        attributes={**_remote(span), **tags},
        events=[_event(annotation) for annotation in listed(span, "annotations")],
        links=[],
        shared=bool(shared),
        place=place,
    )


def _tags(span: dict[str, Any]) -> dict[str, str]:
    """Tags as strings, as Zipkin defines them; numbers and booleans are spelt out."""
    return {key: _spelt(plain_value(value)) for key, value in mapped(span, "tags").items()}


def _spelt(value: Any) -> str:
    if isinstance(value, dict | list):
        raise bad("tags", _("holds a value that is not text"), value)
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: ""}[value]
    return str(value)


def _kind(span: dict[str, Any]) -> str:
    kind = text(span, "kind").lower()
    if kind and kind not in KINDS:
        raise bad("kind", _("is not one of its values"), kind)
    return kind or "unspecified"


def _host(local: dict[str, Any]) -> str | None:
    for key in ("ipv4", "ipv6"):
        address = text(local, key)
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            continue
        if not (parsed.is_loopback or parsed.is_link_local or parsed.is_unspecified):
            return address
    return None


def _resource(
    service: str | None, local: dict[str, Any], resources: dict[tuple[Any, ...], dict[str, Any]]
) -> dict[str, Any]:
    address = text_or_none(text(local, "ipv4") or text(local, "ipv6"))
    port = integer(local, "port")
    made = {"service.name": service, "net.host.ip": address, "net.host.port": port}
    present = {key: value for key, value in made.items() if value is not None}
    return resources.setdefault((service, address, port), present)


def _remote(span: dict[str, Any]) -> dict[str, Any]:
    remote = mapped(span, "remoteEndpoint")
    made = {
        "peer.service": text(remote, "serviceName"),
        "net.peer.ip": text(remote, "ipv4") or text(remote, "ipv6"),
        "net.peer.port": integer(remote, "port"),
    }
    return {key: value for key, value in made.items() if value}


def _event(annotation: Any) -> dict[str, Any]:
    holder = as_object(annotation, "annotations")
    time = integer(holder, "timestamp")
    name = text(holder, "value")
    return {"name": name, "time_ns": time * 1000 if time else None, "attributes": {}}
