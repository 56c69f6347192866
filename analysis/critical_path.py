"""Which span owns each nanosecond of a request."""

from __future__ import annotations

from bisect import bisect_right
from heapq import heappop, heappush
from typing import NamedTuple

from analysis.tree import Span


class Owned(NamedTuple):
    """A slice of a request and the span that owns it, in ns since the epoch."""

    span: Span
    start: int
    end: int


_Leap = tuple["_Node", int]


class _Node:
    """A span clipped to its ancestors, and its children, used up from the latest to the earliest.

    The cursor of a whole walk only falls, so each child is sorted in once and its place is never
    sought again. `pick` owns what falls to this node (None: the node itself) down to `floor`; a
    choice that `lasts` stands until then, even when the walk leaves the node and comes back.
    """

    __slots__ = (
        "children", "depth", "end", "floor", "key", "lasts", "leaps", "next", "observers", "pick",
        "running", "span", "start",
    )  # fmt: skip

    def __init__(self, span: Span, start: int, end: int, depth: int) -> None:
        self.span, self.start, self.end, self.key, self.depth = span, start, end, span.key, depth
        self.children: list[_Node] | None = None
        self.observers: list[_Node] = []
        self.running: list[tuple[int, int, str, int]] = []
        self.next = 0
        self.pick: _Node | None = None
        self.floor, self.lasts = start, False
        self.leaps: list[_Leap] = []

    def open(self) -> list[_Node]:
        """The children that count, latest end first, those of observers among them."""
        found: list[_Node] = []
        pending = list(self.span.children)
        while pending:
            span = pending.pop()
            if not span.blocking:
                continue
            start, end = max(span.start, self.start), min(span.end, self.end)
            node = _Node(span, start, end, self.depth + 1)
            if span.observer:
                pending.extend(span.children)
            if node.start < node.end:
                (self.observers if span.observer else found).append(node)
        found.sort(key=lambda node: (-node.end, node.start, node.key))
        self.children = found
        return found

    def choose(self, t: int) -> None:
        """Set `pick`, `floor` and `lasts`: who has the instants up to `t`.

        The choice of a child that ends at `t` does not last: were the walk to leave it and come
        back, another running child might end sooner.
        """
        children = self.open() if self.children is None else self.children
        while self.next < len(children) and children[self.next].end > t:
            child = children[self.next]
            heappush(self.running, (child.end, child.start, child.key, self.next))
            self.next += 1
        self.pick, self.floor, self.lasts = None, self.start, True
        if self.next < len(children):
            last = children[self.next]
            if last.end == t:
                self.pick, self.floor, self.lasts = last, last.start, False
                return
            self.floor = last.end
        while self.running and self.running[0][1] >= t:
            heappop(self.running)
        if self.running:
            self.pick = children[self.running[0][3]]
            self.floor = max(self.pick.start, self.floor)

    def leap(self, level: int, t: int) -> _Leap | None:
        """The node 2**level lasting choices below, and how far down all of them stand at `t`."""
        if level == 0:
            stands = self.lasts and self.pick is not None and self.floor < t
            return (self.pick, self.floor) if stands and self.pick is not None else None
        if len(self.leaps) >= level and self.leaps[level - 1][1] < t:
            return self.leaps[level - 1]
        half = self.leap(level - 1, t)
        rest = half[0].leap(level - 1, t) if half is not None else None
        if half is None or rest is None:
            return None
        del self.leaps[level - 1 :]
        self.leaps.append((rest[0], max(half[1], rest[1])))
        return self.leaps[-1]

    def follow(self, floor: int, t: int) -> _Leap:
        """The last node that lasting choices lead to from here, and how far down they stand."""
        node = self
        while True:
            best: _Leap | None = None
            for level in range((node.depth & -node.depth).bit_length()):
                found = node.leap(level, t)
                if found is None:
                    break
                best = found
            if best is None:
                return node, floor
            node, floor = best[0], max(floor, best[1])


def partition(root: Span) -> list[Owned]:
    """The owners of `[root.start, root.end]` in time order; they tile it without gap or overlap.

    Walks back from the end: the last child to have ended was waited for, and before it whoever
    was running then. A span owns an instant when none of its blocking children runs.
    Where a chain of spans runs behind many short ones, the walk leaps down the chain: lasting
    choices are kept at distances of powers of two, so that no tree costs O(n * depth).
    """
    top = _Node(root, root.start, root.end, 0)
    slices, watched = _walk(top)
    slices.reverse()
    if watched:
        slices = _give_back(slices, watched)
    return _joined(slices)


def _walk(top: _Node) -> tuple[list[Owned], list[_Node]]:
    """Slices from the latest to the earliest, and the nodes that have observers."""
    slices: list[Owned] = []
    watched: list[_Node] = []
    stack = [(top, top.start)]
    t = top.end
    while stack:
        node, low = stack[-1]
        if t <= low:
            stack.pop()
            continue
        if not node.lasts or node.floor >= t:
            fresh = node.children is None
            node.choose(t)
            if fresh and node.observers:
                watched.append(node)
        child, floor = node.pick, node.floor
        if child is None:
            slices.append(Owned(node.span, max(floor, low), t))
            t = max(floor, low)
            continue
        if node.lasts:
            child, floor = child.follow(floor, t)
        stack.append((child, max(floor, low)))
    return slices, watched


def _give_back(slices: list[Owned], watched: list[_Node]) -> list[Owned]:
    """Instants that a span owns inside one of its observers, handed to the smallest of those."""
    maps = {node.key: _smallest_observers(node) for node in watched}
    found: list[Owned] = []
    for owned in slices:
        if owned.span.key not in maps:
            found.append(owned)
            continue
        edges, owners = maps[owned.span.key]
        start, place = owned.start, bisect_right(edges, owned.start)
        while start < owned.end:
            end = min(edges[place], owned.end) if place < len(edges) else owned.end
            owner = owners[place]
            found.append(Owned(owned.span if owner is None else owner, start, end))
            start, place = end, place + 1
    return found


def _smallest_observers(node: _Node) -> tuple[list[int], list[Span | None]]:
    """Edges in time order and, before each of them (and after the last), the observer there."""
    edges = sorted({edge for watcher in node.observers for edge in (watcher.start, watcher.end)})
    waiting = sorted(node.observers, key=lambda watcher: watcher.start, reverse=True)
    owners: list[Span | None] = [None]
    open_now: list[tuple[int, int, str, int, Span]] = []
    for edge in edges:
        while waiting and waiting[-1].start <= edge:
            watcher = waiting.pop()
            rank = (watcher.end - watcher.start, watcher.start, watcher.key, watcher.end)
            heappush(open_now, (*rank, watcher.span))
        while open_now and open_now[0][3] <= edge:
            heappop(open_now)
        owners.append(open_now[0][4] if open_now else None)
    return edges, owners


def _joined(slices: list[Owned]) -> list[Owned]:
    """Neighbouring slices of one span as one."""
    found: list[Owned] = []
    for owned in slices:
        if found and found[-1].span is owned.span and found[-1].end == owned.start:
            found[-1] = Owned(owned.span, found[-1].start, owned.end)
        else:
            found.append(owned)
    return found
