"""Misplaced time under clocks that disagree: a shift per trace against a line per pair of hosts.

    python -m bench.clocks [--seeds 2] [--requests 40,240]

What is derived from records whose clocks are right counts as the truth. Then every host gets a
clock of its own, and the same requests are derived again under either rule. Printed are shares of
all time in per cent: in the wrong stage over a whole request (e2e), before its first token (ttft),
and instant by instant, counted from the request's start.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from analysis.clock_offsets import Offsets, bounds, offsets
from analysis.derive import derive
from analysis.parsing import parse
from analysis.rules import RuleSet
from analysis.spans import SPAN_SCHEMA
from analysis.stages import STAGES
from analysis.staging.matching import Matcher
from bench.clock_traces import Clocks, Row, agents, asymmetric, platform, sdk_agents, skewed
from data.rules_file import default_rules

KINDS: dict[str, Callable[[int, int], list[Row]]] = {
    "platform": platform, "agents": agents, "sdk_agents": sdk_agents,
}  # fmt: skip


def learned(table: pa.Table, rules: RuleSet) -> Offsets:
    """What all traces of a table say of their clocks."""
    matcher, found = Matcher(rules), []
    for spans in parse(table).values():
        matcher.assign(spans)
        found += bounds(spans)
    return offsets(found)


@dataclass
class Misplaced:
    """Shares of all time that a rule put elsewhere than the truth: in sum, before the first token,
    and instant by instant."""

    e2e: float
    ttft: float
    instants: float


def misplaced(derived: Any, truth: Any) -> Misplaced:
    known = {row["trace_id"]: row for row in truth.requests.to_pylist()}
    owners = _owners(truth)
    off = {"e2e": 0, "ttft": 0, "instants": 0}
    total = {"e2e": 0, "ttft": 0}
    mine = _owners(derived)
    for row in derived.requests.to_pylist():
        true = known[row["trace_id"]]
        for name, prefix in (("e2e", ""), ("ttft", "ttft_")):
            if true[f"{name}_ns"] is None or row[f"{name}_ns"] is None:
                continue
            total[name] += true[f"{name}_ns"]
            columns = [f"{prefix}{stage}_ns" for stage in STAGES]
            off[name] += sum(abs(row[column] - true[column]) for column in columns)
        off["instants"] += _differing(mine[row["trace_id"]], owners[row["trace_id"]])
    return Misplaced(
        off["e2e"] / 2 / total["e2e"], off["ttft"] / 2 / total["ttft"],
        off["instants"] / total["e2e"],
    )  # fmt: skip


Slices = list[tuple[int, int, str]]


def _owners(derived: Any) -> dict[str, Slices]:
    found: dict[str, Slices] = {}
    for row in derived.segments.to_pylist():
        slices = found.setdefault(row["trace_id"], [])
        first = slices[0][0] if slices else row["start_ns"]
        slices.append((row["start_ns"], row["end_ns"], row["stage"]))
        assert first <= row["start_ns"]
    return {
        trace: [(start - slices[0][0], end - slices[0][0], stage) for start, end, stage in slices]
        for trace, slices in found.items()
    }


def _differing(mine: Slices, true: Slices) -> int:
    """Ns, counted from the request's start, whose owners differ."""
    off = at = other = 0
    while at < len(mine) and other < len(true):
        start = max(mine[at][0], true[other][0])
        end = min(mine[at][1], true[other][1])
        off += (end - start) * (mine[at][2] != true[other][2])
        if mine[at][1] == end:
            at += 1
        if true[other][1] == end:
            other += 1
    return off


@cache
def recorded(kind: str, requests: int, seed: int) -> list[Row]:
    return KINDS[kind](requests, seed)


def compared(
    kind: str, requests: int, clocks: Clocks, seed: int
) -> tuple[Misplaced, Misplaced, int]:
    """Misplaced time under the rule per trace and under the lines, and how many lines there are."""
    rules = default_rules()
    rows = asymmetric(recorded(kind, requests, seed), clocks, seed)
    truth = derive(pa.Table.from_pylist(rows, schema=SPAN_SCHEMA), rules)
    table = pa.Table.from_pylist(skewed(rows, clocks, seed), schema=SPAN_SCHEMA)
    found = learned(table, rules)
    alone = misplaced(derive(table, rules), truth)
    together = misplaced(derive(table, rules, offsets=found), truth)
    return alone, together, len(found.lines)


def settings() -> Iterator[tuple[str, Clocks]]:
    for offset_ms in (0.1, 1, 10, 100, 500):
        yield "platform", Clocks(offset_ms, 5, 0.5)
    for drift_ppm in (0, 50):
        yield "platform", Clocks(100, drift_ppm, 0.5)
    for uplink in (0.1, 0.9, None):
        yield "platform", Clocks(100, 50, uplink)
    for kind in ("agents", "sdk_agents"):
        yield kind, Clocks(5, 5, 0.5)
        yield kind, Clocks(100, 50, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--requests", default="40,240", help="an hour, as a list")
    given = parser.parse_args()
    print("per hour  kind        offset  drift  uplink  lines |  e2e               ttft   instants")
    for requests in map(int, given.requests.split(",")):
        for kind, clocks in settings():
            found = [compared(kind, requests, clocks, seed) for seed in range(given.seeds)]
            cells = [
                f"{_mean(found, 0, name):6.3f} → {_mean(found, 1, name):6.3f}"
                for name in ("e2e", "ttft", "instants")
            ]
            shown = "any" if clocks.uplink is None else f"{clocks.uplink}"
            count = sum(row[2] for row in found) // len(found)
            head = f"{requests:8}  {kind:10}  {clocks.offset_ms:6}  {clocks.drift_ppm:5}"
            print(f"{head}  {shown:>6}  {count:5} |", "   ".join(cells), flush=True)


def _mean(found: list[Any], rule: int, name: str) -> float:
    return 100 * sum(getattr(row[rule], name) for row in found) / len(found)


if __name__ == "__main__":
    main()
