"""Stage rules as data: the first rule whose conditions hold gives a span its stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

ROLES: Final = ("", "call", "observer", "retry")
"""call: a model call, divided at its marks where its stage is "model" (with another stage, such as
the network to a traced server, only its marks and tokens count); observer: open while it does
nothing of its own, transparent on the path; retry: one attempt of several, where siblings under one
parent with this role (or the first attempt, which many emitters leave unmarked) try the same
thing, as do several transports under one call."""

FIRST_TOKEN: Final[dict[str, str]] = {
    "first_chunk": "client_chunk",
    "response_start": "response_start",
    "first_byte": "proxy_first_byte",
    "first_token": "engine",
}
"""Mark that dates the first token -> the source it stands for, the earliest in the chain first.
first_chunk and first_token cut a call; the other two only date a browser's or a proxy's view."""

TOKENS: Final = ("token", "chunk")
"""Marks that every event of a streamed answer carries: one token each, or a chunk of one or more.
They date nothing and cut nothing; the gaps between them are what a reader waits for."""

MARKS: Final = (
    "load",
    "tokenize",
    "queue",
    "kv_transfer",
    "prefill",
    "decode",
    "first_scheduled",
    *FIRST_TOKEN,
    "last_token",
    "gateway",
    "processing",
    "time_per_token",
    *TOKENS,
)
"""load: until a model was ready; gateway: time spent in a gateway in front of the engine;
processing: the provider's own time; time_per_token: a mean that the emitter gives, which is shown
as reported and used for nothing."""

PLACES: Final = ("attribute", "event")
UNITS: Final = ("ns", "us", "ms", "s", "text", "iso")
MEANINGS: Final = ("duration", "offset", "absolute")


@dataclass(frozen=True)
class Mark:
    """Where one boundary or length inside a span is written.

    Several marks of one name are alternatives: the first that the span carries counts. Marks on a
    rule whose role is not "call" divide nothing; they only date a first token, and those of an
    observer under a call (its transport) count as the call's own.

    Args:
        name: one of `MARKS`.
        key: the attribute's key, or the event's name (regular expression, searched).
        place: "attribute" or "event" (the first event of that name is read; of `TOKENS` all are,
            and nothing else has them).
        unit: "ns", "us", "ms", "s", "text" (`1.23ms`) or "iso" (a date, quotes around it or not);
            events need none. A number may stand as text or as the one element of a list
            (captured headers).
        meaning: "duration", "offset" (from the span's start) or "absolute" (events always are).
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
    `resource` the value `True` asks only that the key is there, and a key may name alternatives
    with `|` (`http.method|http.request.method`): one of them has to hold.

    Args:
        kind, status: patterns too, over the names in `spans.KINDS` and `spans.STATUSES`.
        event: a pattern that the name of at least one event has to match.
        server_child: True / False asks that the span has / lacks a child of another service that
            answers it, be it under a CLIENT child that is its transport (HTTP or RPC). SERVER
            spans answer, and so do INTERNAL ones where both services are named: many engines and
            platforms write no other kind.
        under_call: True / False asks that the span's parent is / is not a caller's model call
            (observers in between are looked through). A SERVER span calls no one by its own span:
            what is below it is work of its own.
        call_below: True / False asks that a model call is / is not among the span's descendants.
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
    status: str | None = None
    scope: str | None = None
    attributes: tuple[tuple[str, str | bool], ...] = ()
    resource: tuple[tuple[str, str | bool], ...] = ()
    event: str | None = None
    server_child: bool | None = None
    under_call: bool | None = None
    call_below: bool | None = None
    marks: tuple[Mark, ...] = ()
    source: str = ""
    example: dict[str, Any] = field(default_factory=dict, hash=False, compare=False)


@dataclass(frozen=True)
class RuleSet:
    """Rules in the order in which they are tried."""

    rules: tuple[Rule, ...]
    hash: str = ""
