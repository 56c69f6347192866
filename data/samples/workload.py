"""The requests that arrive: when, for which application, how many tokens, and what goes wrong."""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

from data.samples.places import DAY_NS, DEPLOY_NS, SECOND

HOUR_NS: Final = 3600 * SECOND
WAVES: Final = ((2410, 15, 66), (2830, 17, 78), (3270, 14, 62))
"""Push notifications in the last third of the hour: second, decay in s, requests of 480."""

QUIRKS: Final = {
    "beacon_lost": 5,  # the browser's spans never arrive
    "root_lost": 3,  # neither do those of any process in front of the model call
    "no_end": 3,  # the tab is closed: its span is reported without an end
    "browser_clock": 3,  # a user's clock is seconds off
    "vector_timeout": 3,  # the search fails before any model is asked
    "blocked": 4,  # the guardrail refuses the input
    "headers": 8,  # an internal caller; the root span ends at the response's headers
    "content": 3,  # message contents captured by mistake: importers must drop them
}
"""Quirk -> how many of 480 requests have it."""

SYSTEM_TOKENS: Final = {"chat-api": (612, 988), "assistant-api": (436, 436)}
"""Tokens of the system prompt that every request repeats, before and after the deploy."""


@dataclass(frozen=True)
class Order:
    """One request before it meets any load; the same seed gives the same orders."""

    index: int
    at_ns: int
    service: str
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    system_tokens: int
    quirk: str
    flakes: int  # attempts that fail for no fault of the load
    seed: str

    @property
    def route(self) -> str:
        """The path that the user's program asks for."""
        return "/chat" if self.service == "chat-api" else "/search"


def orders(seed: int, requests: int, hours: int) -> list[Order]:
    """That many requests over that many hours, in the order of their arrival."""
    rng = random.Random(f"{seed}/arrivals")  # noqa: S311 - a sample, not a secret
    times = arrivals(rng, requests, hours)
    quirks = _quirks(rng, requests)
    return [_order(f"{seed}/{i}", i, at, quirks.get(i, "")) for i, at in enumerate(times)]


def arrivals(rng: random.Random, requests: int, hours: int) -> list[int]:
    """A Poisson process with a moving rate, given its count: so many draws from its density."""
    total, cumulated = 0.0, []
    for second in range(hours * 3600):
        total += _rate(second % 3600)
        cumulated.append(total)
    drawn = []
    for _ in range(requests):
        second = bisect_left(cumulated, rng.random() * total)
        drawn.append(DAY_NS + second * SECOND + rng.randrange(SECOND))
    return sorted(drawn)


def _rate(second: int) -> float:
    """Relative arrivals per second: a slow swell and a few waves that jump and fade."""
    rate = 0.080 * (1 + 0.25 * math.sin(second / 3600 * 2 * math.pi))
    for start, decay, count in WAVES:
        if second >= start:
            rate += count / decay * math.exp((start - second) / decay)
    return rate


def _quirks(rng: random.Random, requests: int) -> dict[int, str]:
    wanted = [
        name for name, count in QUIRKS.items() for _ in range(max(1, count * requests // 480))
    ]
    chosen = rng.sample(range(requests), min(len(wanted), requests))
    return dict(zip(chosen, wanted, strict=False))


def _order(seed: str, index: int, at_ns: int, quirk: str) -> Order:
    rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
    service = "assistant-api" if rng.random() < 0.38 or quirk == "vector_timeout" else "chat-api"
    if quirk == "headers":
        service = "chat-api"
    deployed = at_ns >= DAY_NS + DEPLOY_NS
    system = SYSTEM_TOKENS[service][deployed]
    if service == "chat-api":
        own, answer = _lognormal(rng, 540, 0.75, 5200), _lognormal(rng, 118, 0.52, 512)
    else:
        own, answer = _lognormal(rng, 3150, 0.28, 7000), _lognormal(rng, 138, 0.42, 512)
    # The template starts with the time of day, so the cache seldom finds the prefix it knows.
    hit = rng.random() < (0.16 if not deployed else 0.05)
    cached = system // 16 * 16 if hit else 0
    flaky = 1 + (rng.random() < 0.15) if rng.random() < 0.022 else 0
    return Order(index, at_ns, service, system + own, cached, answer, system, quirk, flaky, seed)


def _lognormal(rng: random.Random, median: float, sigma: float, most: int) -> int:
    return max(4, min(most, round(median * math.exp(rng.gauss(0.0, sigma)))))
