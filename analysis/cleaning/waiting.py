"""Step 7: mark the children for which nobody waits, and those that stick out of their parent."""

from __future__ import annotations

from analysis.cleaning.forest import same_clock, tolerance
from analysis.tree import Span


def starts_inside(parent: Span, child: Span) -> bool:
    """Whether a child starts no earlier than its parent, but for what is clipped anyway."""
    return child.start >= parent.start - tolerance(parent)


def outlives(parent: Span, child: Span) -> bool:
    """Whether a child that started in its parent ran on after it, so that it was not waited for."""
    return (
        starts_inside(parent, child)
        and child.end - parent.end > tolerance(parent)
        and same_clock(parent, child)
    )


def release(child: Span) -> None:
    """Flag a child by how it lies in its parent; one that outlives it stops blocking."""
    parent = child.parent
    if parent is None or not child.blocking:
        return
    if outlives(parent, child):
        child.blocking = False
        child.flags["outlives_parent"] = child.end - parent.end
        return
    outside = max(0, parent.start - child.start) + max(0, child.end - parent.end)
    if outside:
        child.flags["outside_parent"] = outside
