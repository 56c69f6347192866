"""Two small requests as plain spans, the same each time: what every format's sample shows."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

SEED: Final = 7
T0_NS: Final = 1_790_000_000_000_000_000
US: Final = 1000

Attributes = dict[str, str | int | float | bool]


@dataclass(frozen=True)
class Step:
    """One span; times in ns since the epoch, whole microseconds so that every format holds them."""

    trace: str
    id: str
    parent: str
    service: str
    host: str
    kind: str
    name: str
    start_ns: int
    end_ns: int
    attributes: Attributes = field(default_factory=dict)
    events: tuple[tuple[str, int], ...] = ()
    failed: bool = False


def two_requests(seed: int = SEED) -> list[Step]:
    """A chat that succeeds and one whose engine fails: web, gateway and engine on three hosts."""
    source = random.Random(seed)  # noqa: S311  # a sample, not a secret
    return [step for number in range(2) for step in _request(source, number)]


def _request(source: random.Random, number: int) -> list[Step]:
    trace = f"{source.getrandbits(127) + 1:032x}"
    web, route, call, engine = (f"{source.getrandbits(63) + 1:016x}" for _ in range(4))
    start = T0_NS + number * 4_000_000_000
    queue, prefill, decode = (source.randint(*span) * US for span in _SPANS_US)
    arrival = start + 9_000 * US
    first, end = arrival + queue + prefill, arrival + queue + prefill + decode
    chunk = ("First Token Stream Event", first + 500 * US)
    latency: Attributes = {"gen_ai.latency.time_in_queue": queue / 1e9}
    return [
        Step(trace, web, "", *_WEB, start, end + 3_000 * US, {"url.full": _URL}),
        Step(trace, route, web, *_ROUTE, start + 2_000 * US, end + 2_000 * US),
        Step(trace, call, route, *_CALL, start + 4_000 * US, end + 1_000 * US, _CHAT, (chunk,)),
        Step(trace, engine, call, *_ENGINE, arrival, end, latency, failed=number == 1),
    ]


_SPANS_US: Final = ((5_000, 80_000), (40_000, 160_000), (600_000, 1_500_000))
_URL: Final = "https://chat.example/v1/chat?session=abc&lang=en"
_WEB: Final = ("web", "web-1", "server", "POST /v1/chat")
_ROUTE: Final = ("gateway", "gw-1", "internal", "route")
_CALL: Final = ("gateway", "gw-1", "client", "chat example-8b")
_ENGINE: Final = ("engine", "gpu-1", "server", "llm_request")
_CHAT: Final[Attributes] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "example-8b",
    "gen_ai.request.stream": True,
    "gen_ai.usage.input_tokens": 812,
    "gen_ai.usage.output_tokens": 64,
    "gen_ai.prompt.0.content": "What is slow here?",
}
