"""Facts of single spans: their pieces, failures, overruns and tokens."""

import json
from collections.abc import Iterable
from typing import Any

from charts.waterfall.tree import Fact, Node
from words.missing import is_missing

Part = tuple[str, int, int]
"""Stage, start and end in ns."""


def pieces_of(span: Fact) -> list[Part]:
    """The stages of a span's own interval, in ns since the epoch."""
    found = span.get("pieces") or []
    listed = json.loads(found) if isinstance(found, str) else found
    whole = [(str(span.get("stage") or "unattributed"), span["start_ns"], span["end_ns"])]
    return [(str(p[0]), int(p[1]), int(p[2])) for p in listed] or whole


def remaining(parts: Iterable[Part], cuts: Iterable[tuple[int, int]]) -> list[Part]:
    """What is left of the parts outside the cuts."""
    ordered, left = sorted(cuts), []
    for stage, low, high in parts:
        at = low
        for cut_low, cut_high in ordered:
            if cut_high <= at or cut_low >= high:
                continue
            if cut_low > at:
                left.append((stage, at, cut_low))
            at = max(at, cut_high)
        if at < high:
            left.append((stage, at, high))
    return left


def mapping(value: Any) -> dict[str, Any]:
    """An object as a dict: from JSON text, a dict, or a list of names."""
    if isinstance(value, str):
        value = json.loads(value) if value else {}
    return dict(value) if isinstance(value, dict) else dict.fromkeys(value or ())


def failed(span: Fact) -> bool:
    """Whether the span is an attempt that failed."""
    stages = {stage for stage, _a, _b in pieces_of(span)}
    return span.get("status") == "error" and "retries_backoff" in stages


def overruns(node: Node) -> bool:
    """Whether the span sticks out of its parent at the times as they were recorded."""
    if node.parent is None:
        return False
    low, high = whole(node.span, "raw_start_ns"), whole(node.span, "raw_end_ns")
    least = whole(node.parent.span, "raw_start_ns")
    most = whole(node.parent.span, "raw_end_ns")
    if low is None or high is None or least is None or most is None:
        return False
    return low < least or high > most


def whole(fact: Fact, name: str) -> int | None:
    """A field as an integer; None where it is missing."""
    value = fact.get(name)
    return None if value is None or is_missing(value) else int(value)


def first_token(call: Fact, start: int) -> int | None:
    """When a call's first token came, given its start; None where that is not known."""
    at = whole(call, "first_token_ns")
    return None if at is None else start + at


def token_instants(call: Fact, start: int) -> tuple[int, ...]:
    """When each token or chunk of a call came, given its start; () where that is not recorded."""
    return tuple(start + int(at) for at in call.get("token_offsets_ns") or ())


def tokens(call: Fact, spell: tuple[int, int]) -> tuple[int, int, int] | None:
    """First token, end of the decoding and number of tokens of a call."""
    first, count = first_token(call, spell[0]), whole(call, "output_tokens")
    if first is None or count is None or count < 2:
        return None
    length = whole(call, "decode_ns")
    end = spell[1] if length is None else min(spell[1], first + length)
    return (first, end, count) if end > first else None
