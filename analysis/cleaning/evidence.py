"""What shows that a span streamed its answer: the reader was waiting until it ended."""

from __future__ import annotations

import re
from typing import Any, Final

from analysis.tree import Span

STREAMING: Final = (
    "gen_ai.request.stream",
    "gen_ai.request.streaming",
    "gen_ai.is_streaming",
    "llm.is_streaming",
    "llm.request.stream",
    "llm.request.streaming",
    "vllm.is_streaming",
    "stream",
)
"""Attributes that are true on a streamed call."""

FIRST_TOKEN: Final = (
    "ai.response.msToFirstChunk",
    "ai.stream.msToFirstChunk",
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.server.time_to_first_token",
    "gen_ai.latency.time_to_first_token",
    "time_to_first_token_ms",
    "langfuse.observation.completion_start_time",
)
"""Attributes that say when the first token came."""

_FIRST_EVENT: Final = re.compile(
    r"first[ _.-]?(token|chunk)|(completion|response)\.chunk|new_token|chunk\.item", re.IGNORECASE
)
_STREAM_OPERATION: Final = re.compile(r"\.(doStream|streamText|streamObject)$")
_STREAM_CONTENT: Final = re.compile(
    r"text/event-stream|application/(x-)?(ndjson|json-seq|stream\+json|vnd\.amazon\.eventstream)",
    re.IGNORECASE,
)
_STREAM_PARAMETER: Final = re.compile(r'"stream"\s*:\s*true')
CONTENT_TYPES: Final = ("http.response.header.content-type", "http.response.header.content_type")


KEYS: Final = frozenset(
    (*STREAMING, *FIRST_TOKEN, *CONTENT_TYPES, "ai.operationId", "llm.invocation_parameters")
)
"""Attributes without which no attribute is streaming evidence, but for the marks of rules."""


def streams(span: Span) -> bool:
    """Whether a span carries streaming evidence: a switch, a first-token mark, an event stream."""
    if not KEYS.isdisjoint(span.attributes):
        if any(_true(span.attributes.get(key)) for key in STREAMING):
            return True
        if any(span.attributes.get(key) not in (None, "", 0) for key in FIRST_TOKEN):
            return True
        if _named_stream(span.attributes):
            return True
    if any(_FIRST_EVENT.search(event.name) for event in span.events):
        return True
    return _has_first_token_mark(span)


def _true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def _named_stream(attributes: dict[str, Any]) -> bool:
    return (
        bool(_STREAM_OPERATION.search(str(attributes.get("ai.operationId", ""))))
        or bool(_STREAM_PARAMETER.search(str(attributes.get("llm.invocation_parameters", ""))))
        or any(_STREAM_CONTENT.search(str(attributes.get(key, ""))) for key in CONTENT_TYPES)
    )


def _has_first_token_mark(span: Span) -> bool:
    marks = span.rule.marks if span.rule is not None else ()
    for mark in marks:
        if mark.name not in ("first_chunk", "first_token"):
            continue
        if mark.place == "attribute" and span.attributes.get(mark.key) not in (None, "", 0):
            return True
        if mark.place == "event" and any(re.search(mark.key, e.name) for e in span.events):
            return True
    return False
