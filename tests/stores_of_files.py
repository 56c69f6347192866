"""Stores and export files for the tests of services."""

import json
from pathlib import Path

from analysis.spans import SpanBatch
from data.rules_file import default_rules
from data.store import Store
from services.imports import Source, import_files


def empty_store() -> Store:
    return Store(":memory:", default_rules())


def otlp_document(*batches: SpanBatch) -> dict:
    """The rows of batches as one OTLP/JSON document, as an SDK writes it."""
    kinds = ("unspecified", "internal", "server", "client", "producer", "consumer")
    resources = []
    for row in (row for batch in batches for row in batch.table.to_pylist()):
        span = {
            "traceId": row["trace_id"], "spanId": row["span_id"],
            "parentSpanId": row["parent_id"] or "", "name": row["name"],
            "kind": kinds.index(row["kind"]), "startTimeUnixNano": str(row["start_ns"]),
            "endTimeUnixNano": str(row["end_ns"]),
            "attributes": [_attribute(k, v) for k, v in json.loads(row["attributes"]).items()],
            "events": [_event(event) for event in json.loads(row["events"])],
        }  # fmt: skip
        service = [_attribute("service.name", row["service"])] if row["service"] else []
        scope = {"scope": {"name": "test"}, "spans": [span]}
        resources.append({"resource": {"attributes": service}, "scopeSpans": [scope]})
    return {"resourceSpans": resources}


def _event(event):
    return {"name": event["name"], "timeUnixNano": str(event["time_ns"])}


def _attribute(key, value):
    kind = {bool: "boolValue", int: "intValue", float: "doubleValue"}.get(type(value))
    return {"key": key, "value": {kind or "stringValue": value}}


def export(folder: Path, name: str, *batches: SpanBatch) -> Source:
    path = folder / name
    path.write_text(json.dumps(otlp_document(*batches)), encoding="utf-8")
    return Source(name, path)


def raw(folder: Path, name: str, content: bytes) -> Source:
    path = folder / name
    path.write_bytes(content)
    return Source(name, path)


def imported(store: Store, *files: Source) -> dict:
    return import_files(store, files)
