"""How children lie in their parents: which traces need no cleaning, and what is flagged."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.cleaning.forest import CLIP_NS
from analysis.plain.compiled import inner, kernel

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

HAIR_NS = 1_000


class Spans(NamedTuple):
    """Spans in tree order with what cleaning asks of them; codes are -1 where nothing is named.

    `service` and `host` are codes, `producer` and `consumer` tell the kind.
    """

    first: Ints
    parent: Ints
    start: Ints
    end: Ints
    service: Ints
    host: Ints
    producer: Flags
    consumer: Flags


class Fit(NamedTuple):
    """Per span: whether it blocks, and the amount (ns) of a flag, 0 where it is not flagged.

    `plain` is per trace: False where cleaning would do more than flag.
    """

    blocking: Flags
    messaging: Flags
    outlives: Ints
    outside: Ints
    overlaps: Ints
    plain: Flags


def fitted(spans: Spans) -> Fit:
    """What steps 5 to 7 of cleaning, and siblings that overlap, come to where times are plain."""
    count = len(spans.start)
    found = Fit(
        blocking=np.ones(count, np.bool_),
        messaging=np.zeros(count, np.bool_),
        outlives=np.zeros(count, np.int64),
        outside=np.zeros(count, np.int64),
        overlaps=np.zeros(count, np.int64),
        plain=np.ones(len(spans.first) - 1, np.bool_),
    )
    _fit_all(spans, found, np.empty(count, np.int64))
    return found


@kernel
def _fit_all(spans: Spans, found: Fit, last: Ints) -> None:
    for trace in range(len(spans.first) - 1):
        low, high = spans.first[trace], spans.first[trace + 1]
        last[low:high] = -1
        for row in range(low, high):
            if row > low and not _fits(row, spans, found):
                found.plain[trace] = False
        for row in range(low + 1, high):
            if found.blocking[row] and spans.start[row] < spans.end[row]:
                _note_overlap(row, spans, found, last)


@inner
def _same_clock(row: int, above: int, spans: Spans) -> bool:
    if spans.host[row] >= 0 and spans.host[above] >= 0:
        return bool(spans.host[row] == spans.host[above])
    one, other = spans.service[row], spans.service[above]
    return bool(one < 0 or other < 0 or one == other)


@inner
def _fits(row: int, spans: Spans, found: Fit) -> bool:
    """Flag a child by how it lies in its parent; False where clocks or ends may have to move."""
    above = spans.parent[row]
    start, end = spans.start[above], spans.end[above]
    if spans.consumer[row] and spans.producer[above]:
        found.blocking[row], found.messaging[row] = False, True
        return True
    early, late = max(0, start - spans.start[row]), max(0, spans.end[row] - end)
    inside = spans.start[row] < end or spans.start[row] == spans.end[row] == end
    if not inside:
        return False
    if early == late == 0:
        return True
    if not _same_clock(row, above, spans):
        return False
    tolerance = max(CLIP_NS, (end - start) // 100)
    if late > tolerance and early <= tolerance:
        found.blocking[row], found.outlives[row] = False, late
    else:
        found.outside[row] = early + late
    return True


@inner
def _note_overlap(row: int, spans: Spans, found: Fit, last: Ints) -> None:
    """Flag a span that starts a hair before the sibling that it seems to follow has ended."""
    above = spans.parent[row]
    before = last[above]
    last[above] = row
    if before < 0:
        return
    overlap = spans.end[before] - spans.start[row]
    shorter = min(spans.end[before] - spans.start[before], spans.end[row] - spans.start[row])
    if spans.end[before] < spans.end[row] and 0 < overlap <= max(HAIR_NS, shorter // 100):
        found.overlaps[row] = overlap
