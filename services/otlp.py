"""One trace as an OTLP/JSON document: its records as they were exported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from analysis.spans import KINDS, STATUSES
from collectors.draft import host_of
from data.store import Store

_REFERENCE: Final = "opentracing.ref_type"
"""The attribute in which OTLP carries a Jaeger reference's type."""


def otlp_json(store: Store, trace_id: str) -> str:
    """The trace's records as one document that `slowpath import` reads back to the same figures."""
    groups: dict[str, dict[str | None, list[dict[str, Any]]]] = {}
    for row in store.records(trace_id).to_pylist():
        resource = json.dumps(_resource(row), sort_keys=True)
        groups.setdefault(resource, {}).setdefault(row["scope"], []).append(_span(row))
    document = {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(json.loads(resource))},
                "scopeSpans": [
                    {"scope": {"name": scope} if scope else {}, "spans": spans}
                    for scope, spans in scopes.items()
                ],
            }
            for resource, scopes in groups.items()
        ]
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _resource(row: Mapping[str, Any]) -> dict[str, Any]:
    """The resource; what other formats say of service and host beside it stands in it too."""
    resource: dict[str, Any] = json.loads(row["resource"])
    if row["service"]:
        resource["service.name"] = row["service"]
    if row["host"] and host_of(resource) != row["host"]:
        resource["host.name"] = row["host"]
    return resource


def _span(row: Mapping[str, Any]) -> dict[str, Any]:
    span = {
        "traceId": row["trace_id"],
        "spanId": row["span_id"],
        "parentSpanId": row["parent_id"],
        "name": row["name"],
        "kind": KINDS.index(row["kind"]),
        "startTimeUnixNano": _time(row["start_ns"]),
        "endTimeUnixNano": _time(row["end_ns"]),
        "attributes": _attributes(json.loads(row["attributes"])),
        "events": [_event(event) for event in json.loads(row["events"])],
        "links": [_link(link) for link in json.loads(row["links"])],
        "status": {"code": STATUSES.index(row["status"])},
    }
    return {key: value for key, value in span.items() if value not in (None, [])}


def _time(ns: int | None) -> str | None:
    return None if ns is None else str(ns)


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    made = {"name": event["name"], "timeUnixNano": _time(event["time_ns"])}
    made["attributes"] = _attributes(event["attributes"])
    return {key: value for key, value in made.items() if value is not None}


def _link(link: Mapping[str, Any]) -> dict[str, Any]:
    typed = {} if link["type"] == "link" else {_REFERENCE: link["type"]}
    made = {"traceId": link["trace_id"], "spanId": link["span_id"]}
    return {**made, "attributes": _attributes(typed)}


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _attributes(value)}}
    return {} if value is None else {"stringValue": str(value)}
