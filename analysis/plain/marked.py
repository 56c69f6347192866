"""Marks and token counts of many spans at once: `staging.marks` and `staging.usage` over arrays."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from analysis.plain.compiled import inner, kernel
from analysis.plain.plans import ABSOLUTE, FIXED, LENGTH, OFFSET, UNREADABLE, Counts, Plans
from analysis.rules import MARKS
from analysis.staging.marks import LATEST_NS, LONGEST_NS
from analysis.staging.usage import Usage

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

NONE: Final = -1  # no count, no key, no span

_FINEST: Final = 1_000
_COARSEST: Final = 1_000_000
_TENS: Final = np.array([10**power for power in range(19)])
_MOST = 1 << 53  # counts from which on a float does not tell neighbours apart


class Spans(NamedTuple):
    """All spans of a batch in tree order: `text` is the attribute text, `shape` its shape.

    The numbers of text i begin at `first[i]`: `digits / 10 ** scale`; `below` counts the calls that
    a span is or holds, `eventful` ones have events.
    """

    parent: Ints
    start: Ints
    end: Ints
    text: Ints
    shape: Ints
    below: Ints
    eventful: Flags
    first: Ints
    digits: Ints
    scale: Ints


class Readings(NamedTuple):
    """Per span and mark name: `ns` (an instant or a length), its distance from the start, its step.

    `key` numbers the attribute; a name with `carried` and no key is unreadable.
    """

    carried: Flags
    key: Ints
    ns: Ints
    offset: Ints
    step: Ints
    hard: Flags  # per span: left to `read_call`


def readings(spans: Spans, plans: Plans, places: Ints, plan: Ints) -> Readings:
    """The marks of the spans at `places`, `plan` numbering what they carry."""
    shape = (len(places), len(MARKS))
    ns, offset, step = np.zeros((3, *shape), np.int64)
    hard = np.zeros(len(places), np.bool_)
    found = Readings(np.zeros(shape, np.bool_), np.full(shape, NONE), ns, offset, step, hard)
    _read_all(spans, plans, places, plan, found)
    return found


@kernel
def _read_all(spans: Spans, plans: Plans, places: Ints, plan: Ints, found: Readings) -> None:
    for at in range(len(places)):
        place = places[at]
        if spans.end[place] >= 1 << 62:
            found.hard[at] = True
        for entry in range(plans.first[plan[at]], plans.first[plan[at] + 1]):
            name = plans.name[entry]
            found.carried[at, name] = True
            if found.key[at, name] >= 0 or plans.slot[entry] == UNREADABLE:
                continue
            ns, step = _told(place, entry, spans, plans)
            offset, meaning = ns, plans.meaning[entry]
            if step == 0 or (meaning == LENGTH and ns < 0):
                continue
            if meaning == OFFSET:
                ns = spans.start[place] + ns
            elif meaning == ABSOLUTE:
                offset = ns - spans.start[place]
            found.key[at, name], found.step[at, name] = plans.key[entry], step
            found.ns[at, name], found.offset[at, name] = ns, offset


@inner
def _told(place: int, entry: int, spans: Spans, plans: Plans) -> tuple[int, int]:
    """What a mark tells in ns, and its step (0: nothing)."""
    if plans.slot[entry] == FIXED:
        return plans.fixed[entry], plans.step[entry]
    slot = spans.first[spans.text[place]] + plans.slot[entry]
    most = LATEST_NS if plans.meaning[entry] == ABSOLUTE else LONGEST_NS
    return _figure(spans.digits[slot], spans.scale[slot], plans.power[entry], most)


@inner
def _figure(digits: int, scale: int, power: int, most: int) -> tuple[int, int]:
    """A number as ns, halves to even, and its step; the step is 0 of one that is too large."""
    factor = _TENS[power]
    step = min(factor, _COARSEST) if digits % _TENS[scale] == 0 else min(factor, _FINEST)
    if scale <= power:
        spare = _TENS[power - scale]
        if abs(digits) > most // spare:
            return 0, 0
        return digits * spare, step
    unit = _TENS[scale - power]
    whole, rest = abs(digits) // unit, abs(digits) % unit
    if 2 * rest > unit or (2 * rest == unit and whole % 2 == 1):
        whole += 1
    if whole > most:
        return 0, 0
    return (-whole if digits < 0 else whole), step


class Lent(NamedTuple):
    """Per call its token counts (`NONE` where unknown) and the span that told them or is itself."""

    usage: Ints
    lender: Ints
    hard: Flags


def lent(spans: Spans, counts: Counts, places: Ints) -> Lent:
    """The tokens of the calls at `places`, by themselves or a wrapper around one alone."""
    found = Lent(
        np.full((len(places), len(Usage._fields)), NONE),
        places.copy(),
        np.zeros(len(places), np.bool_),
    )
    _lend_all(spans, counts, places, found)
    return found


@kernel
def _lend_all(spans: Spans, counts: Counts, places: Ints, found: Lent) -> None:
    for at in range(len(places)):
        found.hard[at] = _is_seen(places[at], spans)
        around = places[at]
        while around >= 0 and spans.below[around] == 1:
            if counts.hard[spans.shape[around]]:
                found.hard[at] = True
                break
            if _tell(at, around, spans, counts, found.usage):
                found.lender[at] = around
                break
            around = spans.parent[around]
        if spans.below[places[at]] != 1:  # holds other calls: tells what it tells itself
            found.hard[at] = found.hard[at] or counts.hard[spans.shape[places[at]]]
            _tell(at, places[at], spans, counts, found.usage)


@inner
def _is_seen(place: int, spans: Spans) -> bool:
    """Whether a span around the call alone has events, which may be those of its tokens."""
    while place >= 0 and spans.below[place] == 1:
        if spans.eventful[place]:
            return True
        place = spans.parent[place]
    return False


@inner
def _tell(at: int, place: int, spans: Spans, counts: Counts, usage: Ints) -> bool:
    """Write the counts that a span tells; whether it tells any."""
    known = False
    for kind in range(3):
        usage[at, kind] = _count(place, kind, spans, counts)
    if usage[at, 0] < 0:
        read = _count(place, 3, spans, counts)
        if read >= 0:
            usage[at, 0] = read + max(usage[at, 1], 0)
    for kind in range(3):
        known = known or usage[at, kind] >= 0
    return known


@inner
def _count(place: int, kind: int, spans: Spans, counts: Counts) -> int:
    row = 4 * spans.shape[place] + kind
    for entry in range(counts.first[row], counts.first[row + 1]):
        slot = counts.slot[entry]
        if slot == FIXED:
            return int(counts.fixed[entry])
        if slot == UNREADABLE:
            continue
        number = spans.first[spans.text[place]] + slot
        digits, unit = spans.digits[number], _TENS[spans.scale[number]]
        if digits >= 0 and digits % unit == 0 and digits // unit < _MOST:
            return int(digits // unit)
    return NONE
