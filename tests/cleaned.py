"""Hand-drawn traces after cleaning: `cleaned("a . web server 0 100 chat")["a"]`."""

from typing import Any

from builders import MS, T0, TRACE, rows, span_id
from strategies import nodes

from analysis.cleaning import clean
from analysis.cleaning.forest import walk
from analysis.tree import Span


def roots_of(*lines: str, correct: bool = True, **columns: dict[str, Any]) -> list[Span]:
    return clean(nodes(rows(*lines, **columns)), correct)


def cleaned(*lines: str, correct: bool = True, **columns: dict[str, Any]) -> dict[str, Span]:
    """The cleaned spans by their key, where that begins with an id by the id's short name."""
    return by_name(roots_of(*lines, correct=correct, **columns))


def by_name(roots: list[Span]) -> dict[str, Span]:
    return {short(span.key): span for span in walk(roots)}


def short(key: str) -> str:
    found = key
    for part in key.split("/"):
        if len(part) == 16:
            found = found.replace(part, bytes.fromhex(part).lstrip(b"\0").decode())
    return found


def ms(span: Span) -> tuple[float, float]:
    return (span.start - T0) / MS, (span.end - T0) / MS


def link(target: str, kind: str = "link", trace_id: str = TRACE) -> dict[str, Any]:
    """Columns of a span that links to another."""
    return {"links": [{"trace_id": trace_id, "span_id": span_id(target), "type": kind}]}


STREAM: dict[str, Any] = {"attributes": {"gen_ai.request.stream": True}}
