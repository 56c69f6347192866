"""Reading in tests: rows and report of an export given as bytes, text or object."""

import io
import json
from pathlib import Path
from typing import Any

from collectors import ReadReport, read


def rows(content: Any, **options: Any) -> list[dict[str, Any]]:
    return read_all(content, **options)[0]


def read_all(content: Any, **options: Any) -> tuple[list[dict[str, Any]], ReadReport]:
    report = ReadReport()
    stream = io.BytesIO(as_bytes(content))
    batches = read(stream, "file.json", report, **options)
    return [row for batch in batches for row in batch.table.to_pylist()], report


def as_bytes(content: Any) -> bytes:
    if isinstance(content, Path):
        return content.read_bytes()
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()


def otlp(*spans: dict[str, Any], **resource: str) -> dict[str, Any]:
    attributes = [
        {"key": key.replace("_", "."), "value": {"stringValue": resource[key]}} for key in resource
    ]
    scoped = {"scope": {"name": "test"}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": {"attributes": attributes}, "scopeSpans": [scoped]}]}


def span(**fields: Any) -> dict[str, Any]:
    made = {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "00000000000000a1",
        "name": "chat",
        "startTimeUnixNano": "1700000000000000000",
        "endTimeUnixNano": "1700000000100000000",
    }
    return {**made, **fields}


def attribute(key: str, **value: Any) -> dict[str, Any]:
    return {"key": key, "value": value}


def parsed(row: dict[str, Any], column: str = "attributes") -> Any:
    return json.loads(row[column])
