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


class _Node:
    """A span clipped to its ancestors, and its children, used up from the latest to the earliest.

    The cursor of a whole walk only falls, so each child is sorted in once and its place is never
    sought again. `leaf` owns every instant above `quiet` that falls to this node.
    """

    __slots__ = (
        "children", "end", "key", "leaf", "next", "observers", "quiet", "running", "span", "start",
    )  # fmt: skip

    def __init__(self, span: Span, start: int, end: int) -> None:
        self.span, self.start, self.end, self.key = span, start, end, span.key
        self.children: list[_Node] | None = None
        self.observers: list[_Node] = []
        self.running: list[tuple[int, int, str, int]] = []
        self.next = 0
        self.leaf: _Node | None = None
        self.quiet = 0

    def open(self) -> list[_Node]:
        """The children that count, latest end first, those of observers among them."""
        found: list[_Node] = []
        pending = list(self.span.children)
        while pending:
            span = pending.pop()
            if not span.blocking:
                continue
            node = _Node(span, max(span.start, self.start), min(span.end, self.end))
            if span.observer:
                pending.extend(span.children)
            if node.start < node.end:
                (self.observers if span.observer else found).append(node)
        found.sort(key=lambda node: (-node.end, node.start, node.key))
        self.children = found
        return found

    def choose(self, t: int) -> tuple[_Node | None, int, bool]:
        """Who has the instants up to `t`, down to where, and whether by a choice that lasts.

        None is the node itself. The choice of a child that ends at `t` does not last: were the
        walk to leave it and come back, another running child might end sooner.
        """
        children = self.open() if self.children is None else self.children
        while self.next < len(children) and children[self.next].end > t:
            child = children[self.next]
            heappush(self.running, (child.end, child.start, child.key, self.next))
            self.next += 1
        floor = self.start
        if self.next < len(children):
            last = children[self.next]
            if last.end == t:
                return last, last.start, False
            floor = last.end
        while self.running and self.running[0][1] >= t:
            heappop(self.running)
        if not self.running:
            return None, floor, True
        child = children[self.running[0][3]]
        return child, max(child.start, floor), True


def partition(root: Span) -> list[Owned]:
    """The owners of `[root.start, root.end]` in time order; they tile it without gap or overlap.

    Walks back from the end: the last child to have ended was waited for, and before it whoever
    was running then. A span owns an instant when none of its blocking children runs.
    O(n log n) on ordinary trees, O(n * depth) at worst.
    """
    top = _Node(root, root.start, root.end)
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
    trail: list[tuple[_Node, int]] = []  # choices that last, made since the last slice
    t = top.end
    while stack:
        node, low = stack[-1]
        if t <= low:
            stack.pop()
            continue
        fresh = node.children is None
        child, floor, lasts = node.choose(t)
        if fresh and node.observers:
            watched.append(node)
        if child is not None and not lasts:
            trail.clear()
        else:
            trail.append((node, floor))
        until = max(floor, low)
        if child is None:
            leaf, quiet = node, floor
        elif child.leaf is not None and child.quiet < t:
            leaf, quiet = child.leaf, child.quiet
        else:
            stack.append((child, until))
            continue
        until = max(until, quiet)
        slices.append(Owned(leaf.span, until, t))
        _remember(trail, leaf, quiet)
        t = until
    return slices, watched


def _remember(trail: list[tuple[_Node, int]], leaf: _Node, quiet: int) -> None:
    """Lets the next visit to a node of the trail go straight to the leaf."""
    for node, floor in reversed(trail):
        quiet = max(quiet, floor)
        node.leaf, node.quiet = leaf, quiet
    trail.clear()


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
