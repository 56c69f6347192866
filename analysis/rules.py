"""Stage rules as data: the first rule whose conditions hold gives a span its stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

ROLES: Final = ("", "call", "observer", "retry")
"""call: a model call; observer: open while it does nothing; retry: one attempt of several."""

MARKS: Final = (
    "queue",
    "kv_transfer",
    "prefill",
    "decode",
    "first_token",
    "last_token",
    "first_scheduled",
    "gateway",
    "processing",
)


@dataclass(frozen=True)
class Mark:
    """Where one boundary or length inside a span is written.

    Args:
        name: one of `MARKS`.
        key: the attribute's key, or the event's name (regular expression, searched).
        place: "attribute" or "event" (the first event of that name is read).
        unit: "ns", "us", "ms", "s", "text" (`1.23ms`) or "iso" (a date); events need none.
        meaning: "duration", "offset" (from the span's start) or "absolute".
    """

    name: str
    key: str
    place: str = "attribute"
    unit: str = "ns"
    meaning: str = "duration"


@dataclass(frozen=True)
class Rule:
    """One row of the rule list; every condition that is given must hold.

    Patterns are regular expressions that are searched, not matched whole. In `attributes` and
    `resource` the value `True` asks only that the key is there.

    Args:
        server_child: True / False asks that the span has / lacks a SERVER child of another service.
        source: where the emitter writes these names, or "user".
        example: a span that this rule, and no earlier one, takes; its test.
    """

    id: str
    stage: str
    role: str = ""
    emitter: str = ""
    name: str | None = None
    service: str | None = None
    kind: str | None = None
    scope: str | None = None
    attributes: tuple[tuple[str, str | bool], ...] = ()
    resource: tuple[tuple[str, str | bool], ...] = ()
    event: str | None = None
    server_child: bool | None = None
    marks: tuple[Mark, ...] = ()
    source: str = ""
    example: dict[str, Any] = field(default_factory=dict, hash=False, compare=False)


@dataclass(frozen=True)
class RuleSet:
    """Rules in the order in which they are tried."""

    rules: tuple[Rule, ...]
    hash: str = ""
