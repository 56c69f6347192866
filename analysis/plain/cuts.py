"""Model calls cut at their marks, many at once: `staging.model_calls` over arrays."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from analysis.plain.compiled import inner, kernel
from analysis.plain.marked import Readings
from analysis.rules import FIRST_TOKEN, MARKS
from analysis.stages import STAGES
from analysis.staging.model_calls import INVALID_NS

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

FLAGS: Final = (
    "first_token_invalid", "first_token_at_end", "first_token_outside_span", "stage_sum_mismatch",
)  # fmt: skip
SEEN_BY: Final = tuple(FIRST_TOKEN)
"""Marks that date a first token, in the order of what they stand for."""
TOLD: Final = ("request_queue", "prefill", "decode")
"""Stages whose length in a call is told apart."""
MOST: Final = 12  # pieces of a call

CUT_BY: Final = (
    "load", "tokenize", "queue", "kv_transfer", "prefill", "decode", "first_scheduled",
    *FIRST_TOKEN, "last_token", "gateway", "processing",
)  # fmt: skip
"""The marks that are looked at here; all others are only shown."""
(
    _LOAD, _TOKENIZE, _QUEUE, _KV, _PREFILL, _DECODE, _SCHEDULED, _CHUNK, _RESPONSE, _BYTE, _TOKEN,
    _LAST, _GATEWAY, _PROCESSING,
) = map(MARKS.index, CUT_BY)  # fmt: skip
_INVALID, _AT_END, _OUTSIDE, _MISMATCH = range(len(FLAGS))
_NOT, _WITHOUT, _WITH = range(3)  # a flag: not there, there without an amount, with one
_AT, _END, _COUNT = range(3)  # of the knife: where it stands, the end, pieces so far
_GATE, _WORDS, _WAIT, _MOVE, _READ, _WRITE, _NET, _INSIDE, _MODEL, _START = map(
    STAGES.index,
    (
        "api_gateway", "tokenize_detokenize", "request_queue", "kv_transfer", "prefill", "decode",
        "external_network", "internal_network", "model", "autoscale_cold_start",
    ),
)  # fmt: skip


class Marked(NamedTuple):
    """Spans that carry marks or are calls; `output` counts tokens, -1 where unknown."""

    start: Ints
    end: Ints
    stage: Ints
    call: Flags
    client: Flags
    output: Ints


class Cut(NamedTuple):
    """Per span: its first token (0: not known), its pieces, and what else a call is asked for.

    The pieces of span i are `stage[i, :count[i]]`; `told` is ns by stage of `TOLD` (-1: not told),
    `seen` instants by mark of `SEEN_BY` (0: not seen); `flagged` is 1 without an `amount`, 2 with.
    """

    first: Ints
    count: Ints
    stage: Ints
    until: Ints
    told: Ints
    seen: Ints
    flagged: Ints
    amount: Ints


def cut(spans: Marked, marks: Readings) -> Cut:
    """The calls among these spans cut, and the first tokens that all of them saw."""
    count = len(spans.start)
    first, pieces = np.zeros((2, count), np.int64)
    stage, until = np.zeros((2, count, MOST), np.int64)
    seen, flagged, amount = np.zeros((3, count, 4), np.int64)
    told = np.full((count, len(TOLD)), -1)
    found = Cut(first, pieces, stage, until, told, seen, flagged, amount)
    _cut_all(spans, marks, found, np.zeros(3, np.int64))
    return found


@kernel
def _cut_all(spans: Marked, marks: Readings, found: Cut, knife: Ints) -> None:
    for at in range(len(spans.start)):
        name = -1
        if spans.call[at]:
            name = _believe(at, spans, marks, found)
            if spans.stage[at] == _MODEL:
                knife[_AT], knife[_END], knife[_COUNT] = spans.start[at], spans.end[at], 0
                _cut(at, spans, marks, found, knife)
            else:
                found.stage[at, 0], found.until[at, 0] = spans.stage[at], spans.end[at]
                found.count[at] = 1
                if found.first[at] > 0:
                    found.told[at, 2] = spans.end[at] - found.first[at]
        _sight(at, name, spans, marks, found)


@inner
def _doubt(at: int, name: int, output: int, spans: Marked, marks: Readings) -> tuple[int, int, int]:
    """Why a first token stands for "unknown": a flag (-1: it does not), how it is flagged, ns."""
    if marks.key[at, name] < 0:
        return _INVALID, _WITHOUT, 0
    offset, left = marks.offset[at, name], spans.end[at] - marks.ns[at, name]
    if offset <= INVALID_NS:
        return _INVALID, _WITH, offset
    if abs(left) < marks.step[at, name]:
        return (-1 if output == 1 else _AT_END), _WITH, offset
    return (_OUTSIDE if left < 0 else -1), _WITH, -left


@inner
def _believe(at: int, spans: Marked, marks: Readings, found: Cut) -> int:
    """Take a first token or flag why it is unknown; the mark that gave it."""
    for name in (_CHUNK, _TOKEN):
        if not marks.carried[at, name]:
            continue
        flag, how, ns = _doubt(at, name, spans.output[at], spans, marks)
        if flag < 0:
            found.first[at] = min(marks.ns[at, name], spans.end[at])
            found.flagged[at, :] = _NOT
            return int(name)
        found.flagged[at, flag], found.amount[at, flag] = how, ns
    return -1


@inner
def _sight(at: int, name: int, spans: Marked, marks: Readings, found: Cut) -> None:
    """Note the instants at which a span saw the first token."""
    if found.first[at] > 0:
        found.seen[at, 0 if name == _CHUNK else 3] = found.first[at]
    for source in range(4):
        mark = _CHUNK + source
        cutting = source in (0, 3)
        if not marks.carried[at, mark] or (spans.call[at] and cutting):
            continue
        flag, how, ns = _doubt(at, mark, -1, spans, marks)
        if flag < 0:
            found.seen[at, source] = marks.ns[at, mark]
        elif cutting:
            found.flagged[at, flag], found.amount[at, flag] = how, ns


@inner
def _to(at: int, stage: int, position: int, found: Cut, knife: Ints) -> None:
    """Cut at an instant; never back and never out of the span."""
    position = min(position, knife[_END])
    if position > knife[_AT]:
        last = knife[_COUNT] - 1
        if last >= 0 and found.stage[at, last] == stage:
            found.until[at, last] = position
        else:
            found.stage[at, last + 1], found.until[at, last + 1] = stage, position
            knife[_COUNT] += 1
        knife[_AT] = position


@inner
def _ns(at: int, name: int, marks: Readings) -> int:
    return int(marks.ns[at, name]) if marks.key[at, name] >= 0 else 0


@kernel
def _cut(at: int, spans: Marked, marks: Readings, found: Cut, knife: Ints) -> None:
    first, last = found.first[at], 0
    if marks.key[at, _LAST] >= 0:
        last = marks.ns[at, _LAST]
    elif first > 0 and marks.key[at, _DECODE] >= 0:
        last = first + marks.ns[at, _DECODE]
    until = last if marks.key[at, _LAST] >= 0 or last > 0 else spans.end[at]
    if spans.client[at] and marks.key[at, _PROCESSING] >= 0 and marks.key[at, _PREFILL] >= 0:
        _to(at, _INSIDE, spans.end[at] - marks.ns[at, _PROCESSING], found, knife)
    _to(at, _GATE, knife[_AT] + _ns(at, _GATEWAY, marks), found, knife)
    _to(at, _START, knife[_AT] + _ns(at, _LOAD, marks), found, knife)
    _to(at, _WORDS, knife[_AT] + _ns(at, _TOKENIZE, marks), found, knife)
    rest = _WORDS
    if first > 0:
        _until_first_token(at, first, spans, marks, found, knife)
        _to(at, _WRITE, until, found, knife)
    else:
        _without_first_token(at, until, spans, marks, found, knife)
        rest = _WORDS if knife[_AT] > spans.start[at] else _MODEL
    _to(at, rest, spans.end[at], found, knife)
    if knife[_COUNT] == 0:
        found.stage[at, 0], found.until[at, 0], knife[_COUNT] = rest, spans.end[at], 1
    found.count[at] = knife[_COUNT]
    _tell(at, spans, marks, found)
    _weigh(at, spans, marks, found)


@kernel
def _until_first_token(
    at: int, first: int, spans: Marked, marks: Readings, found: Cut, knife: Ints
) -> None:
    queue, move = _ns(at, _QUEUE, marks), _ns(at, _KV, marks)
    read = _ns(at, _PREFILL, marks)
    if marks.key[at, _SCHEDULED] >= 0:
        _until_scheduled(at, min(marks.ns[at, _SCHEDULED], first), marks, found, knife)
        _to(at, _MOVE, knife[_AT] + min(move, max(0, first - knife[_AT])), found, knife)
        _to(at, _READ, first, found, knife)
    elif marks.key[at, _PREFILL] >= 0:
        _to(at, _WORDS, first - read - move - queue, found, knife)
        _to(at, _WAIT, first - read - move, found, knife)
        _to(at, _MOVE, first - read, found, knife)
        _to(at, _READ, first, found, knife)
    elif marks.key[at, _QUEUE] >= 0 or marks.key[at, _KV] >= 0:
        _to(at, _WAIT, min(first, knife[_AT] + queue), found, knife)
        _to(at, _MOVE, min(first, knife[_AT] + move), found, knife)
        _to(at, _READ, first, found, knife)
    else:
        inside = first - _ns(at, _PROCESSING, marks)
        if spans.client[at] and marks.key[at, _PROCESSING] >= 0 and inside >= knife[_AT]:
            _to(at, _NET, inside, found, knife)
        _to(at, _MODEL, first, found, knife)


@inner
def _until_scheduled(at: int, scheduled: int, marks: Readings, found: Cut, knife: Ints) -> None:
    if marks.key[at, _QUEUE] >= 0:
        _to(at, _WORDS, scheduled - marks.ns[at, _QUEUE], found, knife)
    _to(at, _WAIT, scheduled, found, knife)


@kernel
def _without_first_token(
    at: int, until: int, spans: Marked, marks: Readings, found: Cut, knife: Ints
) -> None:
    if marks.key[at, _SCHEDULED] >= 0:
        _until_scheduled(at, marks.ns[at, _SCHEDULED], marks, found, knife)
    else:
        _to(at, _WAIT, knife[_AT] + _ns(at, _QUEUE, marks), found, knife)
    _to(at, _MOVE, knife[_AT] + _ns(at, _KV, marks), found, knife)
    decode, processing = _ns(at, _DECODE, marks), _ns(at, _PROCESSING, marks)
    decodes, processes = marks.key[at, _DECODE] >= 0, marks.key[at, _PROCESSING] >= 0
    if marks.key[at, _PREFILL] >= 0:
        _to(at, _READ, knife[_AT] + marks.ns[at, _PREFILL], found, knife)
        _to(at, _WRITE, knife[_AT] + decode if decodes else until, found, knife)
    elif decodes:
        _to(at, _MODEL, until - decode, found, knife)
        _to(at, _WRITE, until, found, knife)
    elif processes and spans.client[at]:
        wire = _INSIDE if marks.key[at, _QUEUE] >= 0 else _NET
        _to(at, wire, until - processing, found, knife)
        _to(at, _MODEL, until, found, knife)
    elif processes:
        _to(at, _MODEL, knife[_AT] + processing, found, knife)
    else:
        _to(at, _MODEL, until, found, knife)


@kernel
def _tell(at: int, spans: Marked, marks: Readings, found: Cut) -> None:
    """The length of each stage that the marks tell apart, 0 where it got no time."""
    first = found.first[at] > 0
    queue, move = marks.key[at, _QUEUE] >= 0, marks.key[at, _KV] >= 0
    placed = queue or move or marks.key[at, _SCHEDULED] >= 0
    told = (
        queue or marks.key[at, _SCHEDULED] >= 0,
        marks.key[at, _PREFILL] >= 0 or (placed and first),
        marks.key[at, _DECODE] >= 0 or first,
    )
    for stage, wanted in enumerate((_WAIT, _READ, _WRITE)):
        start, ns = spans.start[at], 0
        for piece in range(found.count[at]):
            if found.stage[at, piece] == wanted:
                ns += found.until[at, piece] - start
            start = found.until[at, piece]
        found.told[at, stage] = ns if told[stage] else -1


@kernel
def _weigh(at: int, spans: Marked, marks: Readings, found: Cut) -> None:
    """Flag by how much the marks contradict each other at worst, beyond what rounding explains."""
    start, end, first = spans.start[at], spans.end[at], found.first[at]
    after = _ns(at, _KV, marks) + _ns(at, _PREFILL, marks)
    queue, decode = _ns(at, _QUEUE, marks), _ns(at, _DECODE, marks)
    before = (
        _ns(at, _LOAD, marks) + _ns(at, _GATEWAY, marks) + _ns(at, _TOKENIZE, marks) + queue + after
    )
    last = min(marks.ns[at, _LAST], end) if marks.key[at, _LAST] >= 0 else end
    excess = before + decode - (end - start)
    if first > 0:
        excess = max(excess, before - (first - start), first + decode - last, first - last)
    if marks.key[at, _SCHEDULED] >= 0:
        scheduled = marks.ns[at, _SCHEDULED]
        excess = max(excess, start - scheduled + queue, scheduled - end)
        excess = max(excess, scheduled + after - (first if first > 0 else end))
    steps = 0
    for name in range(marks.key.shape[1]):
        if marks.key[at, name] >= 0:
            steps += marks.step[at, name]
    if excess > max(steps, 1):
        found.flagged[at, _MISMATCH], found.amount[at, _MISMATCH] = _WITH, excess
