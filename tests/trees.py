"""Span trees by hand, as cleaning leaves them: `tree("a . 0 100", "b a 20 80")`, in plain ns.

A line is: key, parent (`.` for the root), start, end and, where wanted, a service and a kind.
"""

from typing import Any

from hypothesis import strategies as st

from analysis.critical_path import Owned
from analysis.tree import Span


def node(key: str, start: int, end: int, **columns: Any) -> Span:
    return Span(
        key=key, trace_id="t", span_id=key, parent_id=None, name=columns.pop("name", key),
        service=columns.pop("service", "app"), host=None, kind=columns.pop("kind", "internal"),
        status=columns.pop("status", "unset"), scope=None, raw_start=start, raw_end=end,
        start=start, end=end, **columns,
    )  # fmt: skip


def hang(child: Span, parent: Span) -> Span:
    child.parent = parent
    parent.children.append(child)
    return child


def tree(*lines: str, **columns: dict[str, Any]) -> Span:
    found: dict[str, Span] = {}
    for line in lines:
        key, parent, start, end, *rest = line.split()
        extra = dict(zip(("service", "kind"), rest, strict=False)) | columns.get(key, {})
        found[key] = node(key, int(start), int(end), **extra)
        if parent != ".":
            hang(found[key], found[parent])
    return next(iter(found.values()))


def every(root: Span) -> list[Span]:
    found = [root]
    for span in found:
        found.extend(span.children)
    return found


def shares(slices: list[Owned]) -> dict[str, int]:
    found: dict[str, int] = {}
    for span, start, end in slices:
        found[span.key] = found.get(span.key, 0) + end - start
    return found


@st.composite
def trees(draw: Any, most: int = 12, observers: bool = True, outside: bool = True) -> Span:
    """Trees on a coarse grid, so that touching, equal and zero-length siblings are common."""
    root = node("s0", 0, draw(st.integers(1, 40)))
    spans = [root]
    for number in range(1, draw(st.integers(1, most))):
        parent = draw(st.sampled_from(spans))
        low, high = (-5, 45) if outside else (parent.start, parent.end)
        start, end = sorted(draw(st.tuples(st.integers(low, high), st.integers(low, high))))
        watching = observers and draw(st.integers(0, 4)) == 0
        waited = draw(st.integers(0, 6)) > 0
        made = node(f"s{number}", start, end, observer=watching, blocking=waited)
        spans.append(hang(made, parent))
    return root
