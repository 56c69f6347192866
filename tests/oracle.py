"""Who owns which instant, by the definition alone: slow, instant by instant, with no cleverness.

`owners(root)` walks the elementary intervals between neighbouring boundaries from the latest to
the earliest and keeps the promises made so far: whoever was promised the time down to `until` has
it until then. It shares no line with `analysis.critical_path`.
"""

import random
from itertools import pairwise
from typing import NamedTuple

from trees import every, hang, node

from analysis.tree import Span


class Promise(NamedTuple):
    """A span within the bounds of all its ancestors, and down to when the time is its own."""

    span: Span
    start: int
    end: int
    until: int


class Child(NamedTuple):
    span: Span
    start: int
    end: int


def owners(root: Span) -> dict[tuple[int, int], str]:
    """The key of the owner of each interval between two neighbouring starts or ends of spans."""
    edges = {edge for span in every(root) for edge in (span.start, span.end)}
    edges = sorted(edge for edge in edges | {root.start} if root.start <= edge <= root.end)
    promises = [Promise(root, root.start, root.end, root.start)]
    found = {}
    for start, end in reversed(list(pairwise(edges))):
        while promises[-1].until >= end:
            promises.pop()
        while (promised := next_promise(promises[-1], end)) is not None:
            promises.append(promised)
        found[start, end] = watcher(promises[-1], start, end).key
    return found


def next_promise(promise: Promise, t: int) -> Promise | None:
    """Whom the span was waiting for at `t`; None where it was itself at work."""
    waited_for = children(promise)
    ended = [child for child in waited_for if promise.until < child.end <= t]
    last = min(ended, key=lambda c: (-c.end, c.start, c.span.key), default=None)
    if last is not None and last.end == t:
        return Promise(*last, max(last.start, promise.until))
    gap = last.end if last is not None else promise.until
    running = [child for child in waited_for if child.start < t < child.end]
    first = min(running, key=lambda c: (c.end, c.start, c.span.key), default=None)
    return None if first is None else Promise(*first, max(first.start, gap))


def children(promise: Promise) -> list[Child]:
    return [child for child in below(promise, promise.span) if not child.span.observer]


def below(promise: Promise, parent: Span) -> list[Child]:
    """What the span waits for, within its bounds: observers, and what is under them, included."""
    found = []
    for span in parent.children:
        if span.blocking:
            start, end = max(span.start, promise.start), min(span.end, promise.end)
            found += [Child(span, start, end)] if start < end else []
            found += below(promise, span) if span.observer else []
    return found


def watcher(promise: Promise, start: int, end: int) -> Span:
    """The smallest observer over an interval that a span owns itself, else that span."""
    seen = [child for child in below(promise, promise.span) if child.span.observer]
    over = [child for child in seen if child.start <= start and end <= child.end]
    return min(over, key=lambda c: (c.end - c.start, c.start, c.span.key), default=promise).span


def jaeger(root: Span) -> dict[str, int]:
    """The critical path as Jaeger's UI draws it: ns per span on it.

    From a span's end back: the child that finished last, of those that finished strictly before
    the child chosen before it began; what lies between is the span's own.
    """
    found, pending = {}, [root]
    while pending:
        span = pending.pop()
        waiting, began, cursor, own = list(span.children), None, span.end, 0
        while True:
            ended = [c for c in waiting if began is None or c.end < began]
            last = max(ended, key=lambda c: c.end, default=None)
            if last is None:
                break
            own, began, cursor = own + cursor - last.end, last.start, last.start
            waiting.remove(last)
            pending.append(last)
        found[span.key] = own + cursor - span.start
    return {key: ns for key, ns in found.items() if ns}


def ugly_tree(chance: random.Random) -> Span:
    """A tree whose spans meet, cross and stick out by a hair or not at all; one in ten is deep."""
    if chance.random() < 0.1:
        return deep_tree(chance)
    root = node("s0", 0, chance.choice((1, 12, 30, 1_000)))
    spans = [root]
    for number in range(1, chance.randrange(1, 25)):
        parent = spans[-1] if chance.random() < 0.4 else chance.choice(spans)
        start, end = ugly_times(chance, parent)
        made = node(f"s{number}", start, end)
        made.observer = chance.random() < 0.2
        made.blocking = chance.random() < 0.9
        spans.append(hang(made, parent))
    return root


def deep_tree(chance: random.Random) -> Span:
    """A chain that runs behind many short spans, at whatever depth they are."""
    chain, number = [node("s0", 0, 120)], 0
    hang(node("last", 95, 120), chain[0])
    for number in range(1, chance.randrange(4, 40)):
        length = (chance.randrange(4), chance.choice((100, 99, 97, 95, 94, 90)))
        chain.append(hang(node(f"s{number}", *length), chain[-1]))
    for short in range(chance.randrange(30)):
        start = chance.randrange(100)
        made = node(f"short{short}", start, start + chance.choice((1, 2, 5, 5, 40)))
        made.observer = chance.random() < 0.1
        hang(made, chance.choice(chain))
    return chain[0]


def ugly_times(chance: random.Random, parent: Span) -> tuple[int, int]:
    other = chance.choice([parent, *parent.children])
    hair = chance.choice((-1, 0, 0, 1))
    length = chance.randrange(max(1, parent.end - parent.start) + 1)
    inside = parent.start + chance.randrange(max(1, parent.end - parent.start))
    start, end = chance.choice(
        [
            (other.start, other.end),
            (other.start + hair, other.end - hair),
            (other.end + hair, other.end + hair + length),
            (other.start - hair - length, other.start - hair),
            (other.start, other.start + length),
            (other.end - length, other.end),
            (inside, inside),
            (inside, inside + length),
            (inside, min(parent.end, inside + length)),
            (parent.start - length, parent.end + 1),
        ]
    )
    return start, end


def tidy_tree(chance: random.Random) -> Span:
    """A tree whose siblings neither touch nor overlap and lie in their parents."""
    level, number = [node("s0", 0, 10_000)], 0
    for parent in level:
        room = range(parent.start, parent.end + 1)
        edges = sorted(chance.sample(room, min(len(room), 2 * chance.randrange(4))))
        for start, end in zip(edges[::2], edges[1::2], strict=False):
            if len(level) < 40:
                number += 1
                level.append(hang(node(f"s{number}", start, end), parent))
    return level[0]
