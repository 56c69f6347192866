"""OTLP's JSON attribute values and the wrappers around an export request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from collectors.fields import MAX_VALUE_DEPTH, FieldError, as_object, bad, listed, plain_value
from words import _

_SNAKE = re.compile(r"_([a-z0-9])")


def attributes_of(holder: dict[str, Any], key: str = "attributes") -> dict[str, Any]:
    """OTLP's list of key and value as a dict; the last of equal keys counts."""
    return _pairs(listed(holder, key), key, 0)


def _pairs(entries: list[Any], key: str, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("key"), str):
            raise bad(key, _("holds an entry without a key"), entry)
        found[entry["key"]] = value_of(entry.get("value"), depth)
    return found


def value_of(value: Any, depth: int = 0) -> Any:
    """An OTLP AnyValue as JSON: int64 exact, NaN and infinities by name, bytes as base64 text.

    A value that does not fit its type is kept as it stands: nothing is lost by it.
    """
    if not isinstance(value, dict):
        return plain_value(value, depth)
    if depth > MAX_VALUE_DEPTH:
        reason = _("an attribute is nested deeper than {limit} levels")
        raise FieldError(reason.format(limit=MAX_VALUE_DEPTH))
    for kind, held in value.items():
        if kind in _SCALARS:
            return _SCALARS[kind](held)
        if kind == "arrayValue":
            values = listed(as_object(held, kind), "values")
            return [value_of(item, depth + 1) for item in values]
        if kind == "kvlistValue":
            return _pairs(listed(as_object(held, kind), "values"), kind, depth + 1)
    return plain_value(next(iter(value.values()), None), depth)


def _boolean(value: Any) -> Any:
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    try:
        return int(value) if isinstance(value, str) and len(value) <= 40 else plain_value(value)
    except ValueError:
        return value


def _double(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    try:
        return plain_value(float(value)) if isinstance(value, str | int | float) else value
    except (ValueError, OverflowError):
        return value


_SCALARS: dict[str, Callable[[Any], Any]] = {
    "stringValue": plain_value,
    "intValue": _whole,
    "doubleValue": _double,
    "boolValue": _boolean,
    "bytesValue": plain_value,
}


def reference_type(attributes: dict[str, Any]) -> str:
    """What a link means: `child_of` and `follows_from` where an OpenTracing shim says so."""
    said = attributes.get("opentracing.ref_type")
    return said if said in ("child_of", "follows_from") else "link"


def requests_of(document: Any, key: str, other: str = "") -> Iterator[tuple[str, Any]]:
    """(path, entries) of each export request in a document, whatever wraps it.

    Tempo answers with `batches` or `trace`, Jaeger's version 3 with `result`; some tools write a
    list of requests.
    """
    for place, request in _unwrapped(document):
        for name in (key, other, snake(key)):
            if name and name in request:
                yield f"{place}{name}", request[name]


def entries_of(value: Any, path: str) -> list[Any]:
    """The entries found at a path, under JSON's names. Raises: FieldError where it is no list."""
    entries = listed({path: value}, path)
    return list(camel_cased(entries)) if "_" in path else entries


def _unwrapped(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(document, list):
        for position, item in enumerate(document):
            if isinstance(item, dict):
                yield f"[{position}].", item
    elif isinstance(document, dict):
        yield "", document
        for wrapper in ("trace", "result"):
            if isinstance(document.get(wrapper), dict):
                yield f"{wrapper}.", document[wrapper]


def snake(key: str) -> str:
    """`resourceSpans` as protobuf's original name, `resource_spans`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), key)


def camel_cased(value: Any, depth: int = 0) -> Any:
    """The same message with protobuf's original names (`trace_id`) as JSON names (`traceId`)."""
    if depth > 4 * MAX_VALUE_DEPTH:
        return value
    if isinstance(value, list):
        return [camel_cased(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {
            _SNAKE.sub(lambda match: match[1].upper(), key): camel_cased(item, depth + 1)
            for key, item in value.items()
        }
    return value
