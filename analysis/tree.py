"""One span of a trace while it is cleaned, staged and partitioned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analysis.rules import Rule


@dataclass(slots=True)
class Event:
    """Something that happened inside a span, in ns since the epoch (None: no time was written)."""

    name: str
    time_ns: int | None
    attributes: dict[str, Any]


@dataclass(slots=True)
class Link:
    """A reference to another span: `type` is link, child_of or follows_from."""

    trace_id: str
    span_id: str
    type: str


@dataclass(slots=True)
class Piece:
    """A part of a span's own interval and the stage that owns it there, in ns."""

    stage: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class Span:
    """A mutable node: cleaning moves its times and parent, staging fills stage and pieces.

    `key` is unique within the trace (`<span_id>`, `<span_id>/server` for a Zipkin server half,
    `missing/<id>` for the placeholder of a parent that never arrived). `flags` maps a flag's name
    to its amount in ns where it has one. `blocking` is False once nobody waits for the span.
    """

    key: str
    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    service: str | None
    host: str | None
    kind: str
    status: str
    scope: str | None
    raw_start: int | None
    raw_end: int | None
    shared: bool = False
    attributes: dict[str, Any] = field(default_factory=dict)
    resource: dict[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    start: int = 0
    end: int = 0
    parent: Span | None = field(default=None, repr=False)
    children: list[Span] = field(default_factory=list, repr=False)
    flags: dict[str, int | None] = field(default_factory=dict)
    blocking: bool = True
    placeholder: bool = False
    rule: Rule | None = None
    stage: str = "unattributed"
    observer: bool = False
    pieces: list[Piece] = field(default_factory=list)
    self_ns: int = 0

    @property
    def is_call(self) -> bool:
        """Whether the rules name this span a model call."""
        return self.rule is not None and self.rule.role == "call"
