"""Traces of one call each, of a server whose clock runs slow: `trace(number, shift_ms)`."""

import random

from builders import MS, rows


def trace(number, shift_ms, length_ms=1000.0, second=None):
    """The records of a request that starts `second` (else `number`) seconds in; the server on host
    `b` dates its span `shift_ms` too early, and what it sees takes `length_ms`."""
    rng = random.Random(number)
    up, down = 1 + rng.expovariate(0.5), 1 + rng.expovariate(0.5)
    begin, end = up - shift_ms, up + length_ms - shift_ms
    lines = (
        f"r . web server 0 {up + length_ms + down + 4} chat",
        f"c r web client 2 {up + length_ms + down + 2} call",
        f"s c engine server {begin + 2} {end + 2} infer",
    )
    hosts = {"r": {"host": "a"}, "c": {"host": "a"}, "s": {"host": "b"}}
    made = rows(*lines, trace_id=f"{number:032x}", **hosts)
    for row in made:
        for name in ("start_ns", "end_ns"):
            row[name] += (number if second is None else second) * 1000 * MS
    return made
