"""The compiled partition against `critical_path.partition`, on trees as awkward as they come."""

import random

import numpy as np
import pytest

from analysis.critical_path import partition
from analysis.plain.owners import Forest, slices
from analysis.tree import Span


def node(key: str, start: int, end: int, parent: Span | None, blocking: bool = True) -> Span:
    made = Span(
        key=key, trace_id="t", span_id=key, parent_id=None, name="", service=None, host=None,
        kind="internal", status="unset", scope=None, raw_start=start, raw_end=end, start=start,
        end=end, parent=parent, blocking=blocking,
    )  # fmt: skip
    if parent is not None:
        parent.children.append(made)
    return made


def forest(trees: list[list[Span]]) -> Forest:
    spans = [span for tree in trees for span in tree]
    row = {id(span): number for number, span in enumerate(spans)}
    return Forest(
        np.cumsum([0] + [len(tree) for tree in trees]),
        np.array([row[id(span.parent)] if span.parent else -1 for span in spans]),
        np.array([span.start for span in spans]),
        np.array([span.end for span in spans]),
        np.array([int(span.key, 16) for span in spans]),
        np.array([span.blocking for span in spans]),
    )


def owned(trees: list[list[Span]]) -> list[list[tuple[Span, int, int]]]:
    spans, found = [span for tree in trees for span in tree], slices(forest(trees))
    assert found.walked.all()
    rows = [
        (spans[row], start, end)
        for row, start, end in zip(found.row, found.start, found.end, strict=True)
    ]
    return [rows[low:high] for low, high in zip(found.first, found.first[1:], strict=False)]


def grown(rng: random.Random, count: int, reach: int) -> list[Span]:
    """A tree whose spans stick out of each other, touch, tie and have no length."""
    tree = [node(f"{rng.randrange(1 << 62):016x}", 0, 100, None)]
    for number in range(1, count):
        start = rng.randrange(-5, 90)
        parent = tree[rng.randrange(max(0, number - reach), number)]
        key = f"{rng.randrange(1 << 62):016x}"
        tree.append(node(key, start, start + rng.randrange(40), parent, rng.random() < 0.9))
    return tree


@pytest.mark.parametrize("reach", [1, 3, 100])
def test_every_tree_has_the_owners_that_the_reference_finds(reach):
    rng = random.Random(reach)
    trees = [grown(rng, rng.randrange(1, 60), reach) for _tree in range(400)]
    assert owned(trees) == [[tuple(own) for own in partition(tree[0])] for tree in trees]


def test_a_fan_of_many_children_is_sorted_as_the_reference_sorts_it():
    tree = grown(random.Random(7), 3_000, 3_000)
    assert owned([tree]) == [[tuple(own) for own in partition(tree[0])]]


def test_a_tree_in_which_the_walk_would_not_end_soon_is_left_to_the_reference():
    root = node("0", 0, 40_000, None)
    tree, above = [root, node("fff", 35_000, 40_000, root)], root
    for number in range(1, 600):
        above = node(f"{number:x}", 0, 39_999 - number, above)
        tree.append(above)
    tree += [node(f"{n:x}", 20 * n, 20 * n + 1, root) for n in range(1_000, 1_600)]
    found = slices(forest([tree, [node("1", 0, 5, None)]]))
    assert found.walked.tolist() == [False, True]
    assert found.first.tolist() == [0, 0, 1]
