"""Spans and points on their way from a format to a batch, before door and magnitude."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Draft:
    """One span as a format reads it; times in ns as the format's unit says, `place` for messages.

    `resource` is the same object for all spans of one resource: it is encoded once.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    service: str | None
    host: str | None
    kind: str
    status: str
    scope: str | None
    start_ns: int | None
    end_ns: int | None
    resource: dict[str, Any]
    attributes: dict[str, Any]
    events: list[dict[str, Any]]
    links: list[dict[str, Any]]
    shared: bool = False
    flags: list[str] = field(default_factory=list)
    place: str = ""


@dataclass(slots=True)
class Point:
    """One metric point, shaped like a row of `METRIC_SCHEMA` with its JSON still as objects."""

    name: str
    labels: dict[str, Any]
    kind: str
    unit: str
    time_ns: int | None
    value: float | None = None
    count: float | None = None
    sum: float | None = None
    buckets: list[list[Any]] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    place: str = ""


HOST_KEYS = (
    "host.name",
    "k8s.node.name",
    "k8s.pod.name",
    "hostname",
    "host.id",
    "container.id",
    "k8s.pod.uid",
    "service.instance.id",
    "net.host.ip",
    "host.ip",
    "k8s.pod.ip",
    "ip",
)
"""What names the clock of a span, the most telling first."""


def host_of(resource: dict[str, Any]) -> str | None:
    """The name of the clock that a resource ran on, None where the export names none."""
    for key in HOST_KEYS:
        value = resource.get(key)
        if value:
            return str(value[0]) if isinstance(value, list) else str(value)
    return None


def text_or_none(value: object) -> str | None:
    """A text attribute; None where it is absent or empty."""
    return None if value is None or value == "" else str(value)
