"""A request's spans as the tree that a waterfall draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Fact = dict[str, Any]
"""One span as `slowpath show --json` gives it."""


@dataclass(eq=False, slots=True)
class Node:
    """A span and the spans drawn under it, by start."""

    span: Fact
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The span's key, unique in its trace."""
        return str(self.span["key"])


def tree(spans: Iterable[Fact]) -> list[Node]:
    """The roots of the tree that `parent_key` draws; a span without its parent is a root."""
    nodes = {str(span["key"]): Node(span) for span in spans}
    roots: list[Node] = []
    for node in sorted(nodes.values(), key=lambda n: (n.span["start_ns"], n.key)):
        node.parent = nodes.get(str(node.span.get("parent_key") or ""))
        (node.parent.children if node.parent else roots).append(node)
    return roots


def subtree(nodes: Iterable[Node]) -> list[Node]:
    """The nodes and everything under them."""
    found, stack = [], list(nodes)
    while stack:
        node = stack.pop()
        found.append(node)
        stack += node.children
    return found


def with_ancestors(nodes: Iterable[Node]) -> set[str]:
    """The keys of the nodes and of everything above them."""
    keys: set[str] = set()
    for start in nodes:
        node: Node | None = start
        while node and node.key not in keys:
            keys.add(node.key)
            node = node.parent
    return keys
