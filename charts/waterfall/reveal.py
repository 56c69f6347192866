"""Bringing one span into view: which folds hide it, and the row it stands in."""

from collections.abc import Sequence, Set
from typing import Final

from charts.waterfall.folds import View, entries
from charts.waterfall.rows import MOST
from charts.waterfall.tree import Fact, subtree, tree

ABOVE: Final = 12
"""Rows shown above a span that the window had to be moved to."""


def reveal(
    spans: Sequence[Fact], collapsed: Set[str], key: str, first: int = 0
) -> tuple[frozenset[str], int]:
    """The folds flipped so that the span is visible, and the first row of a window that holds it.

    Args:
        collapsed: row keys whose first state is flipped, as for `waterfall_rows`.
        first: the window's first row now; kept where the span is in it.
    """
    roots, flipped = tree(spans), frozenset(collapsed)
    while True:
        rows = entries(roots, View(flipped, set(), path_only=False, kept=None))
        for number, row in enumerate(rows):
            if len(row.nodes) == 1 and row.key == key:
                return flipped, first if first <= number < first + MOST else max(0, number - ABOVE)
        closed = (row for row in rows if row.state == "closed")
        hiding = [row.key for row in closed if any(n.key == key for n in subtree(row.nodes))]
        if not hiding:
            return frozenset(collapsed), first
        flipped ^= {hiding[0]}
