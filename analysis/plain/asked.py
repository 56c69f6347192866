"""What the calls of many requests say of them: `metrics` and `counted_calls` over arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.metrics import EARLY_NS
from analysis.plain.compiled import inner, kernel

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array


class Spans(NamedTuple):
    """All spans in tree order, and of each the number of what it tells (-1: nothing).

    `first` is where each request begins; `key` sorts as the spans' keys do.
    """

    first: Ints
    parent: Ints
    start: Ints
    end: Ints
    key: Ints
    number: Ints


class Told(NamedTuple):
    """What some spans tell: `answers` are calls that may be the answer, `first` is 0 where unknown.

    `seen` are instants by source (0: not seen), `usage` counts by kind of tokens (-1: unknown).
    """

    place: Ints
    call: Flags
    answers: Flags
    streams: Flags
    failed: Flags
    first: Ints
    seen: Ints
    usage: Ints


class Asked(NamedTuple):
    """Per request its answer (a number in `Told`, -1: none), calls counted, and first token.

    `at` is the instant (0: none) and `source` who saw it; `tpot` is ns per token (-1: unknown);
    `own` and `total` count tokens of the answer and of all calls (-1: unknown).
    """

    answer: Ints
    calls: Ints
    at: Ints
    source: Ints
    tpot: Ints
    own: Ints
    total: Ints


def asked(spans: Spans, told: Told) -> Asked:
    """The answers of every request."""
    count = len(spans.first) - 1
    calls, at, source = np.zeros((3, count), np.int64)
    own, total = np.full((2, count, 3), -1)
    found = Asked(np.full(count, -1), calls, at, source, np.full(count, -1), own, total)
    _ask_all(spans, told, found, np.empty(len(told.place), np.int64), np.zeros(4, np.int64))
    return found


@kernel
def _ask_all(spans: Spans, told: Told, found: Asked, outer: Ints, seen: Ints) -> None:
    low = 0
    for request in range(len(spans.first) - 1):
        high = low
        while high < len(told.place) and told.place[high] < spans.first[request + 1]:
            high += 1
        answer = -1
        for number in range(low, high):
            if told.answers[number] and (answer < 0 or _outranks(number, answer, spans, told)):
                answer = number
        _count(request, low, high, spans, told, found, outer)
        if answer >= 0:
            found.answer[request] = answer
            for kind in range(3):
                found.own[request, kind] = told.usage[answer, kind]
            _see(request, low, high, answer, spans, told, found, seen)
            found.tpot[request] = _tpot(answer, found.at[request], spans, told)
        low = high


@inner
def _outranks(one: int, other: int, spans: Spans, told: Told) -> bool:
    """Whether a call is rather the answer than another one (`metrics.rank`)."""
    if told.streams[one] != told.streams[other]:
        return bool(told.streams[one])
    place, rival = told.place[one], told.place[other]
    if spans.end[place] != spans.end[rival]:
        return bool(spans.end[place] > spans.end[rival])
    if (told.first[one] > 0) != (told.first[other] > 0):
        return bool(told.first[one] > 0)
    if spans.start[place] != spans.start[rival]:
        return bool(spans.start[place] > spans.start[rival])
    return bool(spans.key[place] > spans.key[rival])


@kernel
def _count(
    request: int, low: int, high: int, spans: Spans, told: Told, found: Asked, outer: Ints
) -> None:
    """Count outermost calls, and tokens by them or, where they do not tell, by those inside."""
    for number in range(low, high):
        if not told.call[number]:
            continue
        above = spans.parent[told.place[number]]
        while above >= 0 and (spans.number[above] < 0 or not told.call[spans.number[above]]):
            above = spans.parent[above]
        outer[number] = number if above < 0 else outer[spans.number[above]]
        found.calls[request] += above < 0
        for kind in range(3):
            count = told.usage[number, kind]
            counts = outer[number] == number or told.usage[outer[number], kind] < 0
            if counts and count >= 0:
                found.total[request, kind] = max(found.total[request, kind], 0) + count


@inner
def _look(number: int, told: Told, seen: Ints) -> None:
    for source in range(4):
        if seen[source] == 0:
            seen[source] = told.seen[number, source]


@kernel
def _see(
    request: int, low: int, high: int, answer: int, spans: Spans, told: Told, found: Asked,
    seen: Ints,
) -> None:  # fmt: skip
    """The first token as seen by those around the answer, the outermost first, and inside it."""
    if not told.streams[answer] or (told.failed[answer] and told.first[answer] == 0):
        return
    seen[:] = 0
    place = told.place[answer]
    for number in range(low, answer):  # those around come before it
        at = place
        while at > told.place[number]:
            at = spans.parent[at]
        if at == told.place[number]:
            _look(number, told, seen)
    _look(answer, told, seen)
    for number in range(answer + 1, high):
        at = told.place[number]
        while at > place:
            at = spans.parent[at]
        if at == place:
            _look(number, told, seen)
    root = spans.first[request]
    floor = spans.start[place] if told.first[answer] == 0 else told.first[answer] - EARLY_NS
    for source in range(4):
        if spans.start[root] < seen[source] <= spans.end[root] and seen[source] >= floor:
            found.at[request], found.source[request] = seen[source], source
            return


@inner
def _tpot(answer: int, seen: int, spans: Spans, told: Told) -> int:
    """Ns per output token after the first, rounded; -1 under two tokens."""
    first = told.first[answer] if told.first[answer] > 0 else seen
    count, end = told.usage[answer, 2], spans.end[told.place[answer]]
    if first == 0 or count < 2 or first > end:
        return -1
    return int((2 * (end - first) + count - 1) // (2 * (count - 1)))
