"""Requests whose clocks are right, and the same as hosts with clocks of their own record them."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import pyarrow as pa

from analysis.spans import SPAN_SCHEMA
from collectors import ReadReport, read
from data.samples.export import lines
from data.samples.places import DAY_NS
from data.samples.simulator import simulate

Row = dict[str, Any]
MS = 1_000_000
HOUR_NS = 3_600_000_000_000
QUIET = ("", "beacon_lost", "blocked", "headers")
"""Requests of the sample whose window is known and whose browser's clock is right."""


@dataclass(frozen=True)
class Clocks:
    """Offsets up to `offset_ms` either way, drifts up to `drift_ppm`; `uplink` is the way there's
    share of a call's slack between hosts (None: drawn for every pair of hosts)."""

    offset_ms: float
    drift_ppm: float
    uplink: float | None


def platform(requests: int, seed: int) -> list[Row]:
    """An hour of the sample's platform: client and server spans, slack is the network's."""
    drafts = []
    for request in simulate(seed, requests):
        if request.order.quirk in QUIET:
            drafts += [replace(s, place=replace(s.place, skew_ns=0)) for s in request.spans]
    stream = BytesIO(b"".join(lines(drafts, seed)))
    tables = [batch.table for batch in read(stream, "simulated", ReadReport(format=""))]
    rows: list[Row] = pa.concat_tables(tables).to_pylist()
    return rows


class _Agent:
    """One request of an agent; the slack of its calls is mostly the caller's own work."""

    def __init__(self, number: int, seed: int, at_ns: int, clients: bool) -> None:
        self.rng = random.Random(f"{seed}/agent/{number}")
        self.trace_id, self.now, self.clients = f"{number + 1:032x}", at_ns, clients
        self.rows: list[Row] = []

    def work(self, median_ms: float, sigma: float = 1.0) -> int:
        self.now += round(self.rng.lognormvariate(0, sigma) * median_ms * MS)
        return self.now

    def span(self, name: str, host: str, kind: str, above: Row | None, **attributes: Any) -> Row:
        row: Row = dict.fromkeys(SPAN_SCHEMA.names)
        row |= {"trace_id": self.trace_id, "span_id": f"{self.rng.getrandbits(64):016x}"}
        row |= {"name": name, "service": host[:-2], "host": host, "kind": kind, "status": "ok"}
        row |= {"shared": False, "resource": "{}", "events": "[]", "links": "[]", "flags": []}
        row |= {"start_ns": self.now, "attributes": json.dumps(attributes)}
        if above is not None:
            row["parent_id"] = above["span_id"]
        self.rows.append(row)
        return row

    def call(self, above: Row, name: str, there: str, median_ms: float) -> Row:
        """What the caller prepares, the way there, the callee's work, the way back."""
        if self.clients:
            above = self.span("POST", above["host"], "client", above)
        self.work(6)
        self.work(0.4, 0.3)
        callee = self.span(name, there, "server", above)
        callee["end_ns"] = self.work(median_ms, 0.5)
        self.work(0.4, 0.3)
        if self.clients:
            above["end_ns"] = self.work(0.3)
        return callee


def agents(requests: int, seed: int, clients: bool = False) -> list[Row]:
    """An hour of an agent that plans, asks a tool and a guardrail at once, and then its model."""
    rng = random.Random(f"{seed}/agents")
    rows: list[Row] = []
    for number in range(requests):
        rows += _answered(_Agent(number, seed, DAY_NS + rng.randrange(HOUR_NS), clients))
    return rows


def sdk_agents(requests: int, seed: int) -> list[Row]:
    """The same with a client span around every call that holds the caller's work as well."""
    return agents(requests, seed, clients=True)


def _answered(one: _Agent) -> list[Row]:
    pod = f"agent-{one.rng.randrange(2)}"
    root = one.span("POST /ask", pod, "server", None, **{"http.route": "/ask"})
    one.work(3)
    plan = one.span("plan", pod, "internal", root, **{"gen_ai.operation.name": "invoke_agent"})
    one.work(15)
    begun, ends = one.now, []
    for name, host, median_ms in (("execute_tool search", "tools-0", 60),
                                  ("guardrails.request", "rails-0", 70)):  # fmt: skip
        one.now = begun
        one.call(plan, name, host, median_ms)
        ends.append(one.now)
    one.now = max(ends)
    one.work(4)
    _marked(one.call(plan, "llm_request", f"vllm-{one.rng.randrange(3)}", 900), one.rng)
    plan["end_ns"] = one.work(2)
    root["end_ns"] = one.work(0.5)
    return one.rows


def _marked(engine: Row, rng: random.Random) -> None:
    """Divide the engine's span: queue, prefill, decode."""
    length = (engine["end_ns"] - engine["start_ns"]) / 1e9
    queue, prefill = length * rng.uniform(0.01, 0.1), length * rng.uniform(0.05, 0.2)
    engine["attributes"] = json.dumps({
        "gen_ai.latency.time_in_queue": queue,
        "gen_ai.latency.time_in_model_prefill": prefill,
        "gen_ai.latency.time_in_model_decode": length - queue - prefill,
        "gen_ai.latency.time_to_first_token": queue + prefill,
    })  # fmt: skip


def asymmetric(rows: list[Row], clocks: Clocks, seed: int) -> list[Row]:
    """Every call between hosts moved within its client span, with all that lies below it."""
    by_id = {row["span_id"]: row for row in rows}
    children: dict[str | None, list[Row]] = {}
    for row in rows:
        children.setdefault(row["parent_id"], []).append(row)
    moves: dict[str, int] = {}
    pending = [(row, 0) for row in rows if row["parent_id"] not in by_id]
    while pending:
        row, move = pending.pop()
        moves[row["span_id"]] = move
        for child in children.get(row["span_id"], ()):
            pending.append((child, move + _nudge(row, child, clocks, seed)))
    return [_moved(row, _later(moves[row["span_id"]])) for row in rows]


def _later(ns: int) -> Callable[[int], int]:
    return lambda at: at + ns


def _nudge(parent: Row, child: Row, clocks: Clocks, seed: int) -> int:
    if not parent["host"] or not child["host"] or parent["host"] == child["host"]:
        return 0
    up, down = child["start_ns"] - parent["start_ns"], parent["end_ns"] - child["end_ns"]
    if parent["kind"] != "client" or child["kind"] != "server" or up < 0 or down < 0:
        return 0
    share = clocks.uplink
    if share is None:
        share = random.Random(f"{seed}/{parent['host']}/{child['host']}").uniform(0.1, 0.9)
    return round((up + down) * share) - up


def skewed(rows: list[Row], clocks: Clocks, seed: int) -> list[Row]:
    """The records as hosts with clocks of their own would have written them."""
    return [_moved(row, _clock(row["host"], clocks, seed)) for row in rows]


def _clock(host: str | None, clocks: Clocks, seed: int) -> Callable[[int], int]:
    rng = random.Random(f"{seed}/{host}")
    offset_ns = round(rng.uniform(-1, 1) * clocks.offset_ms * MS)
    drift_ppb = round(rng.uniform(-1, 1) * clocks.drift_ppm * 1000)
    return lambda at: at + offset_ns + drift_ppb * (at - DAY_NS - HOUR_NS // 2) // 10**9


def _moved(row: Row, clock: Callable[[int], int]) -> Row:
    events = json.loads(row["events"])
    for event in events:
        event["time_ns"] = clock(event["time_ns"])
    times = {name: clock(row[name]) for name in ("start_ns", "end_ns")}
    return row | times | {"events": json.dumps(events)}
