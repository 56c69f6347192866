"""Which rows of a waterfall are visible: folds of identical siblings, closed parts, filters."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from charts.waterfall.tree import Node, subtree

RUN: Final = 4
"""From this many identical siblings on they fold into one row."""

DEEP: Final = 12
"""Spans below this depth are folded."""


@dataclass(slots=True)
class Entry:
    """One visible row: a span, or a run of siblings (`nodes` has several); state open/closed/""."""

    key: str
    nodes: list[Node]
    depth: int
    state: str


@dataclass(slots=True)
class View:
    """What a user chose: keys whose default state is flipped, the path only, a search."""

    flipped: Set[str]
    path: set[str]
    path_only: bool
    kept: set[str] | None


def entries(roots: Sequence[Node], view: View) -> list[Entry]:
    """The visible rows from top to bottom."""
    rows: list[Entry] = []
    stack: list[Entry | tuple[list[Node], int]] = [(list(roots), 0)]
    while stack:
        top = stack.pop()
        if isinstance(top, tuple):
            stack += reversed(_runs(top[0], top[1], view))
            continue
        rows.append(top)
        if top.state == "open" and len(top.nodes) > 1:
            stack += [_entry(node, top.depth + 1, view) for node in reversed(top.nodes)]
        elif top.state == "open":
            stack.append((top.nodes[0].children, top.depth + 1))
    return rows


def _runs(nodes: list[Node], depth: int, view: View) -> list[Entry]:
    shown = [node for node in nodes if view.kept is None or node.key in view.kept]
    rows, i = [], 0
    while i < len(shown):
        last = i + 1
        while last < len(shown) and _same(shown[i], shown[last]):
            last += 1
        if last - i >= RUN:
            key = f"fold:{shown[i].key}"
            rows.append(Entry(key, shown[i:last], depth, _state(key, shown[i:last], True, view)))
        else:
            rows += [_entry(node, depth, view) for node in shown[i:last]]
        i = last
    return rows


def _same(one: Node, other: Node) -> bool:
    return all(one.span.get(name) == other.span.get(name) for name in ("name", "service"))


def _entry(node: Node, depth: int, view: View) -> Entry:
    inner = any(view.kept is None or child.key in view.kept for child in node.children)
    state = _state(node.key, [node], depth >= DEEP, view) if inner else ""
    return Entry(node.key, [node], depth, state)


def _state(key: str, nodes: list[Node], closed: bool, view: View) -> str:
    """Folds start closed, except where a search or the path alone is shown."""
    wanted = view.path_only and any(node.key in view.path for node in subtree(nodes))
    if wanted or (view.kept is not None and not view.path_only):
        closed = False
    return "closed" if closed != (key in view.flipped) else "open"
