"""A seeded trace of any size: deep chains under a wide fan-out, as OTLP/JSON."""

import random

START = 1_773_304_927_318_000_000
TRACE = "5a" * 16


def _span(number, parent, name, low_us, high_us):
    return {
        "traceId": TRACE, "spanId": f"{number + 1:016x}",
        "parentSpanId": "" if parent is None else f"{parent + 1:016x}", "name": name, "kind": 1,
        "startTimeUnixNano": str(START + low_us * 1000),
        "endTimeUnixNano": str(START + high_us * 1000),
    }  # fmt: skip


def wide_trace(count=5_000, seed=7, depth=25):
    """`count` spans: a root over equal slots, each slot a chain of `depth` with odd leaves."""
    rng, spans = random.Random(seed), [_span(0, None, "POST /agent", 0, 100_000_000)]
    while len(spans) < count:
        slot = len(spans)
        low = 99_000_000 * slot // count
        parent, high = 0, low + 99_000_000 * depth * 2 // count
        for level in range(depth):
            if len(spans) >= count:
                break
            number = len(spans)
            name = f"step {level}" if level % 4 else rng.choice(["plan", "tool call", "search"])
            spans.append(_span(number, parent, name, low + level * 40, high - level * 40))
            if len(spans) < count:
                at = low + level * 40
                leaf = f"leaf {len(spans)}"
                spans.append(_span(len(spans), number, leaf, at + 10, at + rng.randint(15, 39)))
            parent = number
    service = [{"key": "service.name", "value": {"stringValue": "agent"}}]
    scope = [{"scope": {"name": "test"}, "spans": spans}]
    return {"resourceSpans": [{"resource": {"attributes": service}, "scopeSpans": scope}]}
