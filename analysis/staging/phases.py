"""What spans below a model call tell of its phases, where the call itself does not."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Final, NamedTuple

from analysis.staging.model_calls import Call
from analysis.tree import Span

PHASES: Final = {
    "request_queue": "queue",
    "kv_transfer": "kv_transfer",
    "prefill": "prefill",
    "decode": "decode",
}
"""Stage of a span below a call -> the mark in whose place the span stands."""


class Phase(NamedTuple):
    """A span that is one phase of the call around it, in ns since the epoch."""

    stage: str
    name: str
    start: int
    end: int


def tell_phases(spans: Iterable[Span], calls: Mapping[str, Call], wasted: Container[str]) -> None:
    """Tell each call of the phases below it that lie in no other call and were waited for.

    `spans` are those of a request, parents first; `calls` and `wasted` go by their keys.
    """
    nearest: dict[str, str] = {}
    below: dict[str, list[Phase]] = {}
    for span in spans if calls else ():
        if span.key in calls:
            nearest[span.key] = span.key
            continue
        around = None if span.parent is None else nearest.get(span.parent.key)
        if around is None or not span.blocking or span.key in wasted:
            continue
        nearest[span.key] = around
        if span.rule is not None and span.rule.stage in PHASES:
            phase = Phase(span.rule.stage, span.name, span.start, span.end)
            below.setdefault(around, []).append(phase)
    for key, phases in below.items():
        add_phases(calls[key], phases)


def add_phases(call: Call, below: Iterable[Phase]) -> None:
    """Note the length of every phase that the call's own marks do not tell: while such spans run.

    A decode span counts only where prefill is told too: alone it may be one stall of many.
    """
    found: dict[str, list[Phase]] = {}
    for phase in sorted(below, key=lambda phase: (phase.start, phase.end, phase.name)):
        found.setdefault(phase.stage, []).append(phase)
    for stage, mark in PHASES.items():
        parts = found.get(stage, [])
        lone = stage == "decode" and "prefill" not in call.stage_ns
        if parts and not lone and stage not in call.stage_ns:
            call.stage_ns[stage] = _union(parts, call.span)
            call.spans[mark] = parts[0].name


def _union(parts: list[Phase], around: Span) -> int:
    """For how long at least one of them runs inside the call; by start."""
    at, total = around.start, 0
    for part in parts:
        end = min(part.end, around.end)
        if end > max(at, part.start):
            total += end - max(at, part.start)
            at = end
    return total
