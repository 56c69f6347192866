"""Step 6: extend parents that ended before a stream below them, and rehang what came later."""

from __future__ import annotations

import heapq
from typing import NamedTuple

from analysis.cleaning.evidence import streams
from analysis.cleaning.forest import order, same_clock, tolerance, walk
from analysis.cleaning.waiting import outlives, starts_inside
from analysis.tree import Span

__all__ = ["Settled", "settle", "streams"]

_NEVER = -(1 << 62)
_ALWAYS = 1 << 62
_Queue = list[tuple[int, int, str, Span]]


class Settled(NamedTuple):
    """Child's key -> parent it runs under, where it may choose; who had no parent running."""

    homes: dict[str, Span]
    homeless: set[str]


class _Proof(NamedTuple):
    """Of a span and all it waits for: until when it streams, its first and last call's end."""

    stream_end: int = _NEVER
    first_call_end: int = _ALWAYS
    last_call_end: int = _NEVER


def settle(roots: list[Span], pinned: set[str]) -> Settled:
    """Extend `end` of spans as streams below them demand, and find every span's home.

    Works upwards. A child that starts at or after its parent's end moves on to the parent above,
    to the nearest one that has not ended by then.
    """
    settled = Settled({}, set())
    proofs: dict[str, _Proof] = {}
    queues: dict[str, _Queue] = {}
    for parent in reversed(walk(roots)):
        queue = _merged([queues.pop(child.key, []) for child in parent.children])
        for child in parent.children:
            if child.blocking and child.key not in pinned:
                heapq.heappush(queue, (*order(child), child))
        if parent.placeholder:
            _span_over(parent, queue)
        placed = _place(parent, queue, proofs)
        settled.homes.update((child.key, parent) for child in placed)
        proofs[parent.key] = _proof(parent, placed, proofs)
        if parent.parent is None or not parent.blocking:
            settled.homeless.update(key for _, _, key, _ in queue)
        else:
            queues[parent.key] = queue
    return settled


def _merged(queues: list[_Queue]) -> _Queue:
    """All waiting children in one heap, the smaller ones poured into the largest."""
    queues.sort(key=len)
    largest = queues.pop() if queues else []
    for queue in queues:
        for entry in queue:
            heapq.heappush(largest, entry)
    return largest


def _span_over(parent: Span, queue: _Queue) -> None:
    """A placeholder lasts as long as the children that are waited for, else as long as all."""
    spans = [entry[3] for entry in queue] or parent.children
    parent.start = min(span.start for span in spans)
    parent.end = max(span.end for span in spans)


def _place(parent: Span, queue: _Queue, proofs: dict[str, _Proof]) -> list[Span]:
    """Take from the queue what runs under this parent, extending it on the way."""
    placed = _taken(parent, queue)
    answered = any(proofs[child.key].first_call_end <= parent.end for child in placed)
    for child in placed:  # grows while it is read: an extended parent takes more
        if _extends(parent, child, proofs[child.key], answered):
            parent.end = child.end
            placed.extend(_taken(parent, queue))
    return placed


def _taken(parent: Span, queue: _Queue) -> list[Span]:
    taken = []
    while queue and _starts_before_end(queue[0][3], parent):
        taken.append(heapq.heappop(queue)[3])
    return taken


def _starts_before_end(child: Span, parent: Span) -> bool:
    return child.start < parent.end or child.start == child.end == parent.end


def _extends(parent: Span, child: Span, proof: _Proof, answered: bool) -> bool:
    slack = 0 if same_clock(parent, child) else tolerance(parent)
    if not starts_inside(parent, child) or child.end <= parent.end + slack:
        return False
    late_call = proof.last_call_end > parent.end and not answered
    return proof.stream_end > parent.end or late_call


def _proof(span: Span, placed: list[Span], proofs: dict[str, _Proof]) -> _Proof:
    below = [proofs[child.key] for child in placed if not outlives(span, child)]
    stream_end = min(max((proof.stream_end for proof in below), default=_NEVER), span.end)
    if streams(span):
        stream_end = span.end
    if span.is_call:
        return _Proof(stream_end, span.end, span.end)
    return _Proof(
        stream_end,
        min((proof.first_call_end for proof in below), default=_ALWAYS),
        max((proof.last_call_end for proof in below), default=_NEVER),
    )
