"""The partition against an oracle written from its definition, and against Jaeger's rule."""

import os
import random
from itertools import pairwise

from oracle import jaeger, owners, tidy_tree, ugly_tree
from trees import every, hang, node, shares, tree

from analysis.critical_path import partition

TREES = int(os.environ.get("SLOWPATH_ORACLE_TREES", "1500"))


def by_interval(root, edges):
    """The owners that `partition` names, cut at the oracle's boundaries."""
    slices = iter(partition(root))
    owned, found = None, {}
    for start, end in sorted(edges):
        while owned is None or owned.end <= start:
            owned = next(slices)
        assert owned.start <= start
        assert end <= owned.end
        found[start, end] = owned.span.key
    return found


WATCHING = ("small", "large", "inner", "outer")


def test_neighbouring_slices_belong_to_different_spans():
    lines = ("s . 0 100", "small s 10 50", "large s 30 95", "call s 60 70", "inner s 72 80")
    root = tree(*lines, "outer s 76 94", **{key: {"observer": True} for key in WATCHING})
    assert [(o.span.key, o.start, o.end) for o in partition(root)] == [
        ("s", 0, 10), ("small", 10, 50), ("large", 50, 60), ("call", 60, 70), ("large", 70, 72),
        ("inner", 72, 80), ("outer", 80, 94), ("large", 94, 95), ("s", 95, 100),
    ]  # fmt: skip
    for seed in range(300):
        slices = partition(ugly_tree(random.Random(seed)))
        assert all(one.span is not then.span for one, then in pairwise(slices))


def drawn(root):
    return [
        (s.key, s.parent.key if s.parent else ".", s.start, s.end, s.blocking, s.observer)
        for s in every(root)
    ]


def test_ugly_trees_have_the_owners_that_the_definition_gives_them():
    for seed in range(TREES):
        root = ugly_tree(random.Random(seed))
        expected = owners(root)
        assert by_interval(root, expected) == expected, (seed, drawn(root))


def test_the_oracle_s_trees_are_as_ugly_as_they_should_be():
    seen = dict.fromkeys(("touch", "cross", "zero", "out", "async", "nested", "ends"), 0)
    for seed in range(300):
        for span in every(ugly_tree(random.Random(seed)))[1:]:
            parent, rest = span.parent, [s for s in span.parent.children if s is not span]
            seen["touch"] += any(s.start == span.end for s in rest)
            seen["cross"] += any(s.start == span.end - 1 and s.end > span.end for s in rest)
            seen["zero"] += span.start == span.end
            seen["out"] += span.start < parent.start or span.end > parent.end
            seen["async"] += not span.blocking and bool(span.children)
            seen["nested"] += span.observer and parent.observer
            seen["ends"] += any((s.start, s.end) == (span.start, span.end) for s in rest)
    assert min(seen.values()) > 50, seen


def test_where_siblings_keep_apart_the_result_is_jaeger_s():
    for seed in range(TREES // 3):
        root = tidy_tree(random.Random(seed))
        expected = jaeger(root)
        assert shares(partition(root)) == expected, drawn(root)
        by_oracle: dict[str, int] = {}
        for (start, end), key in owners(root).items():
            by_oracle[key] = by_oracle.get(key, 0) + end - start
        assert by_oracle == expected


def test_where_siblings_touch_jaeger_s_rule_loses_one_and_the_partition_does_not():
    lines = ("a . 0 100", "b a 0 50", "c a 50 100")
    assert jaeger(tree(*lines)) == {"a": 50, "c": 50}
    assert shares(partition(tree(*lines))) == {"b": 50, "c": 50}


def test_the_oracle_itself_agrees_with_trees_drawn_by_hand():
    root = tree("h . 0 4500", "profile h 0 900", "docs h 0 1800", "generate h 1801 4500")
    assert set(owners(root).values()) == {"docs", "h", "generate"}
    watched = tree("in . 0 100", "watch in 5 95", "call in 10 90", watch={"observer": True})
    assert owners(watched) == {
        (0, 5): "in", (5, 10): "watch", (10, 90): "call", (90, 95): "watch", (95, 100): "in"
    }  # fmt: skip
    late = hang(node("audit", 90, 100, blocking=False), watched)
    hang(node("row", 90, 100), late)
    assert owners(watched)[95, 100] == "in"
