"""A model call cut at its marks: queue, transfer, prefill, decode and what lies around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from analysis.cleaning.evidence import streams
from analysis.staging.marks import Reading, read_marks
from analysis.staging.token_gaps import CHUNK, Gaps, token_gaps
from analysis.staging.usage import Usage, model_name, streaming, usage
from analysis.tree import Piece, Span

CUTTING: Final = ("first_chunk", "first_token")
"""Marks of a first token that cut a call; those of browsers and proxies only date it."""

INVALID_NS: Final = 1_000
"""A first token this near to the start, or before it, stands for "unknown"."""


@dataclass
class Call:
    """A model call and what it says of itself; instants in ns since the epoch.

    `readings` are its marks and those of its transports, `flags` the doubts about them.
    """

    span: Span
    readings: dict[str, Reading | None]
    usage: Usage
    model: str | None
    streaming: bool | None
    first_token: int | None = None
    first_name: str | None = None  # the mark that gave it
    flags: dict[str, int | None] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)
    stage_ns: dict[str, int] = field(default_factory=dict)  # of the leaves that are told apart
    spans: dict[str, str] = field(default_factory=dict)  # mark -> the span that stands in its place
    heard: bool = False  # a transport or a wrapper shows that the answer streamed
    gaps: Gaps | None = None  # between its tokens, where each has an event

    @cached_property
    def streams(self) -> bool:
        """Whether the answer came token by token."""
        if self.streaming is not None:
            return self.streaming
        return self.heard or any(name in self.readings for name in CUTTING) or streams(self.span)


def read_call(
    span: Span, transports: list[Span], lender: Span, around: Sequence[Span] = ()
) -> Call:
    """A call with its marks, its first token where that can be believed, and its pieces.

    `lender` is the span that knows its tokens and model: itself, or a wrapper around it alone.
    Of these wrappers, `around`, one may have seen its tokens come where the call itself did not.
    """
    readings: dict[str, Reading | None] = {}
    for carrier in (span, *transports):
        for name, reading in read_marks(carrier).items():
            if readings.get(name) is None:
                readings[name] = reading
    said = streaming(span)
    call = Call(
        span,
        readings,
        usage(lender),
        model_name(span) or model_name(lender),
        streaming(lender) if said is None else said,
        heard=any(streams(carrier) for carrier in (lender, *transports)),
    )
    for name in CUTTING:
        if name in readings and call.first_token is None:
            _believe(call, name, readings[name])
    if call.first_token is not None:
        call.flags.clear()
    call.gaps = token_gaps((span, *transports, *around), call.usage.output)
    if call.gaps is not None and call.gaps.ns and call.gaps.unit == CHUNK:
        call.flags["chunk_gaps"] = None
    stage = span.rule.stage if span.rule is not None else "model"
    if stage == "model":
        _cut(call)
    else:
        call.pieces = [Piece(stage, span.start, span.end)]
        if call.first_token is not None:
            call.stage_ns = {"decode": span.end - call.first_token}
    return call


def _believe(call: Call, name: str, reading: Reading | None) -> None:
    """Take a first token, or flag why it is unknown."""
    doubt = first_token_doubt(call.span, reading, call.usage.output)
    if doubt is not None:
        call.flags.update([doubt])
    elif reading is not None:
        call.first_token, call.first_name = min(reading.ns, call.span.end), name


def first_token_doubt(
    span: Span, reading: Reading | None, output_tokens: int | None
) -> tuple[str, int | None] | None:
    """Why a first token stands for "unknown", with the ns in question; None where it does not."""
    if reading is None:
        return "first_token_invalid", None
    if reading.offset_ns <= INVALID_NS:
        return "first_token_invalid", reading.offset_ns
    left = span.end - reading.ns
    if abs(left) < reading.step_ns:
        return None if output_tokens == 1 else ("first_token_at_end", reading.offset_ns)
    return ("first_token_outside_span", -left) if left < 0 else None


class _Knife:
    """Cuts a span from its start on; a cut never goes back and never leaves the span."""

    def __init__(self, span: Span) -> None:
        self.at, self.end = span.start, span.end
        self.pieces: list[Piece] = []

    def to(self, stage: str, position: int) -> None:
        position = min(position, self.end)
        if position > self.at:
            if self.pieces and self.pieces[-1].stage == stage:
                self.pieces[-1].end = position
            else:
                self.pieces.append(Piece(stage, self.at, position))
            self.at = position


def _cut(call: Call) -> None:
    span, knife = call.span, _Knife(call.span)
    ns = {name: reading.ns for name, reading in call.readings.items() if reading is not None}
    first, last = call.first_token, _last_token(call, ns)
    if span.kind == "client" and "processing" in ns and "prefill" in ns:
        knife.to("internal_network", span.end - ns["processing"])  # an engine of one's own
    knife.to("api_gateway", knife.at + ns.get("gateway", 0))
    knife.to("autoscale_cold_start", knife.at + ns.get("load", 0))
    knife.to("tokenize_detokenize", knife.at + ns.get("tokenize", 0))
    if first is not None:
        _until_first_token(span, knife, ns, first)
        knife.to("decode", span.end if last is None else last)
        rest = "tokenize_detokenize"
    else:
        rest = _without_first_token(span, knife, ns, last)
    knife.to(rest, span.end)
    call.pieces = knife.pieces or [Piece(rest, span.start, span.end)]
    call.stage_ns = _told(call, ns)
    excess, step = _excess(call, ns)
    if excess > step:
        call.flags["stage_sum_mismatch"] = excess


def _last_token(call: Call, ns: Mapping[str, int]) -> int | None:
    if "last_token" in ns:
        return ns["last_token"]
    if call.first_token is not None and "decode" in ns:
        return call.first_token + ns["decode"]
    return None


def _until_first_token(span: Span, knife: _Knife, ns: Mapping[str, int], first: int) -> None:
    """From the arrival to the first token, at which lengths without a position end."""
    queue, transfer, prefill = (ns.get(name, 0) for name in ("queue", "kv_transfer", "prefill"))
    scheduled = ns.get("first_scheduled")
    if scheduled is not None:
        _until_scheduled(knife, ns, min(scheduled, first))
        knife.to("kv_transfer", knife.at + min(transfer, max(0, first - knife.at)))
        knife.to("prefill", first)
    elif "prefill" in ns:
        knife.to("tokenize_detokenize", first - prefill - transfer - queue)
        knife.to("request_queue", first - prefill - transfer)
        knife.to("kv_transfer", first - prefill)
        knife.to("prefill", first)
    elif "queue" in ns or "kv_transfer" in ns:
        knife.to("request_queue", min(first, knife.at + queue))
        knife.to("kv_transfer", min(first, knife.at + transfer))
        knife.to("prefill", first)
    elif span.kind == "client" and first - ns.get("processing", first + 1) - knife.at >= 0:
        knife.to("external_network", first - ns["processing"])
        knife.to("model", first)
    else:
        knife.to("model", first)


def _until_scheduled(knife: _Knife, ns: Mapping[str, int], scheduled: int) -> None:
    if "queue" in ns:
        knife.to("tokenize_detokenize", scheduled - ns["queue"])
    knife.to("request_queue", scheduled)


def _without_first_token(span: Span, knife: _Knife, ns: Mapping[str, int], last: int | None) -> str:
    """Lengths in their order from the start; the answer is the stage of what is left after."""
    if "first_scheduled" in ns:
        _until_scheduled(knife, ns, ns["first_scheduled"])
    else:
        knife.to("request_queue", knife.at + ns.get("queue", 0))
    knife.to("kv_transfer", knife.at + ns.get("kv_transfer", 0))
    end = span.end if last is None else last
    if "prefill" in ns:
        knife.to("prefill", knife.at + ns["prefill"])
        knife.to("decode", knife.at + ns["decode"] if "decode" in ns else end)
    elif "decode" in ns:
        knife.to("model", end - ns["decode"])
        knife.to("decode", end)
    elif "processing" in ns and span.kind == "client":
        # an engine that tells its queue is one's own; a provider tells its whole time at most
        knife.to(
            "internal_network" if "queue" in ns else "external_network", end - ns["processing"]
        )
        knife.to("model", end)
    elif "processing" in ns:
        knife.to("model", knife.at + ns["processing"])
    else:
        knife.to("model", end)
    return "tokenize_detokenize" if knife.at > span.start else "model"


def _told(call: Call, ns: Mapping[str, int]) -> dict[str, int]:
    """The length of each leaf that the marks tell apart, 0 where such a leaf got no time."""
    placed = not ns.keys().isdisjoint(("queue", "kv_transfer", "first_scheduled"))
    known = {
        "request_queue": "queue" in ns or "first_scheduled" in ns,
        "kv_transfer": "kv_transfer" in ns,
        "prefill": "prefill" in ns or (placed and call.first_token is not None),
        "decode": "decode" in ns or call.first_token is not None,
    }
    found = {stage: 0 for stage, told in known.items() if told}
    for piece in call.pieces:
        if piece.stage in found:
            found[piece.stage] += piece.end - piece.start
    return found


def _excess(call: Call, ns: Mapping[str, int]) -> tuple[int, int]:
    """By how much the marks contradict each other at worst, and how much rounding explains."""
    span, first = call.span, call.first_token
    before = ns.get("load", 0) + ns.get("gateway", 0) + ns.get("tokenize", 0) + ns.get("queue", 0)
    before += ns.get("kv_transfer", 0) + ns.get("prefill", 0)
    decode = ns.get("decode", 0)
    last = min(ns.get("last_token", span.end), span.end)
    scheduled = ns.get("first_scheduled")
    doubts = [before + decode - (span.end - span.start)]
    if first is not None:
        doubts += [before - (first - span.start), first + decode - last, first - last]
    if scheduled is not None:
        after = ns.get("kv_transfer", 0) + ns.get("prefill", 0)
        doubts += [span.start - scheduled + ns.get("queue", 0), scheduled - span.end]
        doubts += [scheduled + after - (span.end if first is None else first)]
    excess = max(doubts)
    if excess <= 0:  # as mostly; no rounding has to explain anything
        return excess, 1
    steps = sum(reading.step_ns for reading in call.readings.values() if reading is not None)
    return excess, max(steps, 1)


def reported(call: Call) -> dict[str, int]:
    """Every mark as its emitter gave it: a length, or an instant's distance from the start."""
    return {name: r.offset_ns for name, r in sorted(call.readings.items()) if r is not None}


def sources(call: Call) -> dict[str, str]:
    """The attribute, event or span below from which each mark was read."""
    found = {name: r.key for name, r in call.readings.items() if r is not None}
    found |= {mark: f"span {name}" for mark, name in call.spans.items()}
    if call.gaps is not None:
        found[call.gaps.mark] = call.gaps.key
    return dict(sorted(found.items()))
