"""The partition of a request: hand-drawn trees, a slow reference and the promised properties."""

import copy
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import every, hang, node, shares, tree, trees

from analysis import critical_path
from analysis.critical_path import Owned, partition
from analysis.tree import Span

DRAWN = {
    "two spans": (["a . 0 100", "b a 20 80"], {"a": 40, "b": 60}),
    "a duplicate that was merged": (["a . 0 100", "b a 20 80"], {"a": 40, "b": 60}),
    "touching siblings": (["a . 0 100", "b a 0 50", "c a 50 100"], {"b": 50, "c": 50}),
    "overlap of one": (["a . 0 100", "b a 0 51", "c a 50 100"], {"b": 50, "c": 50}),
    "overlap of twenty": (["h . 0 100", "b h 0 60", "c h 40 100"], {"b": 40, "c": 60}),
    "inferred order": (
        ["h . 0 4500", "profile h 0 900", "docs h 0 1800", "generate h 1801 4500"],
        {"h": 1, "docs": 1800, "generate": 2699},
    ),
    "a gap owned by the sibling that runs": (
        ["a . 0 100", "long a 10 70", "short a 50 60", "last a 80 100"],
        {"a": 20, "long": 60, "last": 20},
    ),
    "a running sibling fills the gap": (
        ["a . 0 100", "b a 60 80", "c a 20 90", "d a 85 100"],
        {"a": 20, "b": 20, "c": 45, "d": 15},
    ),
    "a zero-length child": (["a . 0 100", "b a 20 60", "c a 60 60"], {"a": 60, "b": 40}),
    "a negative child": (["a . 0 100", "b a 20 60", "c a 90 70"], {"a": 60, "b": 40}),
    "a child on both sides": (["a . 10 20", "b a 0 30"], {"b": 10}),
    "a streamed call": (["post . 0 900", "call post 10 900"], {"post": 10, "call": 890}),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawn_tree_has_the_answer_beside_it(name):
    lines, expected = DRAWN[name]
    assert shares(partition(tree(*lines))) == expected


def test_work_that_nobody_waits_for_owns_nothing():
    root = tree(
        "chat . 0 100", "generate chat 10 40", "audit chat 90 100", audit={"blocking": False}
    )
    assert shares(partition(root)) == {"chat": 70, "generate": 30}


def test_an_observer_hides_no_sibling_that_works():
    root = tree("in . 0 100", "watch in 5 95", "call in 10 90", watch={"observer": True})
    assert shares(partition(root)) == {"in": 10, "watch": 10, "call": 80}


def test_children_of_an_observer_count_as_its_parents():
    lines = ("in . 0 100", "watch in 20 40", "call watch 10 90", "watch2 in 0 100")
    root = tree(*lines, watch={"observer": True}, watch2={"observer": True})
    assert shares(partition(root)) == {"watch2": 20, "call": 80}


def test_the_smallest_observer_gets_the_instant_back():
    root = tree("in . 0 100", "wide in 10 90", "narrow in 30 50", "inner narrow 35 40")
    for span in every(root)[1:]:
        span.observer = True
    assert shares(partition(root)) == {"in": 20, "wide": 60, "narrow": 15, "inner": 5}


def test_a_window_without_length_has_no_slices():
    assert partition(tree("a . 5 5", "b a 5 5")) == []


def own(span, lo, hi, start, end):
    """The rule as it is written, with recursion and plain lists."""
    kids, t, found = effective(span, start, end), hi, []
    while t > lo:
        ended = [k for k in kids if lo < k[1] <= t]
        last = min(ended, key=lambda k: (-k[1], k[0], k[2].key), default=None)
        gap = max(last[1], lo) if last else lo
        while t > gap:
            running = [k for k in kids if k[0] < t < k[1]]
            if not running:
                found.append(Owned(span, gap, t))
                t = gap
                break
            s, e, child = min(running, key=lambda k: (k[1], k[0], k[2].key))
            found += own(child, max(s, gap), t, s, e)
            t = max(s, gap)
        if last:
            found += own(last[2], max(last[0], lo), last[1], last[0], last[1])
            t = max(last[0], lo)
    return found


def effective(span, start, end):
    found = []
    for child in span.children:
        if child.blocking and child.observer:
            found += effective(child, start, end)
        elif child.blocking and max(child.start, start) < min(child.end, end):
            found.append((max(child.start, start), min(child.end, end), child))
    return found


def watchers(span):
    seen = [c for c in span.children if c.blocking and c.observer]
    return seen + [deeper for c in seen for deeper in watchers(c)]


def instants(root):
    """Each unit instant's owner by the slow way."""
    found = {}
    for span, start, end in own(root, root.start, root.end, root.start, root.end):
        for instant in range(start, end):
            over = [w for w in watchers(span) if w.start <= instant < w.end]
            size = min(over, key=lambda w: (clipped(w, span), w.start, w.key), default=span)
            found[instant] = size.key
    return found


def clipped(watcher, span):
    return min(watcher.end, span.end) - max(watcher.start, span.start)


@settings(max_examples=400, deadline=None)
@given(trees())
def test_the_fast_walk_agrees_with_the_rule_as_written(root):
    found = {i: s.key for s, start, end in partition(root) for i in range(start, end)}
    assert found == instants(root)


@settings(max_examples=200, deadline=None)
@given(trees(most=40, observers=False))
def test_the_fast_walk_agrees_on_larger_trees(root):
    found = {i: s.key for s, start, end in partition(root) for i in range(start, end)}
    assert found == instants(root)


def check_tiles(root: Span, slices: list[Owned]) -> None:
    edge = root.start
    for span, start, end in slices:
        assert start == edge < end
        edge = end
        assert span is root or span.start <= start <= end <= span.end
    assert edge == max(root.start, root.end)


@given(trees())
def test_slices_tile_the_window(root):
    check_tiles(root, partition(root))


@given(trees())
def test_nobody_owns_more_than_its_length(root):
    length = {span.key: span.end - span.start for span in every(root)}
    for key, owned in shares(partition(root)).items():
        assert owned <= length[key]


@given(trees(observers=False, outside=False))
def test_an_owner_has_no_child_that_runs(root):
    for span, start, end in partition(root):
        for child in span.children:
            runs = child.blocking and max(child.start, start) < min(child.end, end)
            assert not runs


@given(trees(), st.randoms(use_true_random=False))
def test_the_order_of_spans_does_not_matter(root, chance):
    before = shares(partition(root))
    for span in every(root):
        chance.shuffle(span.children)
    assert shares(partition(root)) == before


@given(trees(), st.integers(-(10**18), 10**18), st.integers(1, 1000))
def test_shifting_changes_nothing_and_scaling_scales(root, shift, factor):
    before = shares(partition(root))
    for span in every(root):
        span.start, span.end = span.start * factor + shift, span.end * factor + shift
    assert shares(partition(root)) == {key: ns * factor for key, ns in before.items()}


@given(trees(), st.data())
def test_a_zero_length_or_asynchronous_child_changes_nothing(root, data):
    before = shares(partition(root))
    at = data.draw(st.integers(root.start, root.end))
    hang(node("zero", at, at), data.draw(st.sampled_from(every(root))))
    hang(node("async", 0, 40, blocking=False), data.draw(st.sampled_from(every(root))))
    assert shares(partition(root)) == before


@given(trees(observers=False, outside=False), st.data())
def test_two_touching_halves_keep_their_sum(root, data):
    alone = [s for s in every(root)[1:] if not s.children and s.end - s.start > 1 and free(s)]
    if not alone:
        return
    span = data.draw(st.sampled_from(alone))
    before = shares(partition(root))
    cut = data.draw(st.integers(span.start + 1, span.end - 1))
    hang(node("half", cut, span.end), span.parent)
    span.end = cut
    after = shares(partition(root))
    assert before.get(span.key, 0) == after.get(span.key, 0) + after.get("half", 0)


def free(span: Span) -> bool:
    rest = [s for s in span.parent.children if s is not span]
    return span.blocking and all(s.end <= span.start or s.start >= span.end for s in rest)


@given(st.lists(st.integers(10, 1000), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_jitter_of_a_microsecond_moves_shares_by_microseconds(lengths, chance):
    root, t = node("root", 0, (sum(lengths) + 2) * 1000), 1000
    for number, length in enumerate(lengths):
        hang(node(f"c{number}", t, t + length * 1000), root)
        t += length * 1000
    before = shares(partition(root))
    for child in root.children:
        child.start += chance.choice((-1000, 0, 1000))
        child.end += chance.choice((-1000, 0, 1000))
    after = shares(partition(root))
    for key in {*before, *after} - {"root"}:
        assert abs(after.get(key, 0) - before.get(key, 0)) <= 2000
    assert abs(after.get("root", 0) - before["root"]) <= 2000 * len(lengths) + 2000


@given(st.integers(0, 10**18), st.integers(1, 10**12))
def test_a_lone_span_owns_everything(start, length):
    root = node("a", start, start + length)
    assert partition(root) == [Owned(root, start, start + length)]


@given(trees())
def test_partitioning_twice_gives_the_same_and_touches_no_span(root):
    kept = copy.deepcopy([(s.key, s.start, s.end, len(s.children)) for s in every(root)])
    assert partition(root) == partition(root)
    assert kept == [(s.key, s.start, s.end, len(s.children)) for s in every(root)]


class Counter:
    """How often a node was asked whom it chooses, and how often a chain was followed."""

    def __init__(self, monkeypatch):
        self.asked = 0
        for name in ("choose", "follow"):
            monkeypatch.setattr(critical_path._Node, name, self.counted(name))

    def counted(self, name):
        method = getattr(critical_path._Node, name)

        def count(*arguments):
            self.asked += 1
            return method(*arguments)

        return count


def test_a_chain_of_20000_ends(monkeypatch):
    counter = Counter(monkeypatch)
    root = at = node("s0", 0, 100_000)
    for number in range(1, 20_000):
        at = hang(node(f"s{number}", number, 100_000 - number), at)
    slices = partition(root)
    check_tiles(root, slices)
    assert len(slices) == 39_999
    assert counter.asked < 5 * 20_000


def test_a_fan_of_20000_ends(monkeypatch):
    counter = Counter(monkeypatch)
    root = node("root", 0, 1_000_000)
    chance = random.Random(1)
    for number in range(20_000):
        start = chance.randrange(1_000_000)
        hang(node(f"s{number}", start, min(1_000_000, start + chance.randrange(9_999))), root)
    check_tiles(root, partition(root))
    assert counter.asked < 5 * 20_000


def comb(depth: int, pairs: int, low: bool) -> Span:
    """A deep chain that runs behind many short siblings at its top, and at its bottom too."""
    root = at = node("root", 0, 100 * pairs + 20)
    hang(node("last", 100 * pairs - 5, 100 * pairs + 20), root)
    for number in range(depth):
        at = hang(node(f"deep{number}", 0, 100 * pairs), at)
    for number in range(pairs):
        hang(node(f"high{number}", 100 * number + 10, 100 * number + 20), root)
        if low:
            hang(node(f"low{number}", 100 * number + 60, 100 * number + 70), at)
    return root


@pytest.mark.parametrize(("depth", "pairs", "low"), [(10_000, 9_998, False), (10_000, 4_999, True)])
def test_a_deep_chain_beside_many_siblings_costs_one_question_per_edge(
    monkeypatch, depth, pairs, low
):
    counter, root = Counter(monkeypatch), comb(depth, pairs, low)
    slices = partition(root)
    check_tiles(root, slices)
    owned = shares(slices)
    assert {owned[f"high{number}"] for number in range(pairs)} == {10}
    assert not low or {owned[f"low{number}"] for number in range(pairs)} == {10}
    assert counter.asked < 5 * 20_000


def test_short_spans_at_every_depth_of_a_chain_cost_one_question_per_edge(monkeypatch):
    counter, root, places = Counter(monkeypatch), node("root", 0, 10_000_020), list(range(9_999))
    random.Random(7).shuffle(places)
    at = hang(node("last", 9_999_995, 10_000_020), root) and root
    for number, place in enumerate(places):
        at = hang(node(f"deep{number}", 0, 10_000_000), at)
        hang(node(f"short{number}", 1_000 * place + 10, 1_000 * place + 20), at)
    slices = partition(root)
    check_tiles(root, slices)
    assert sum(ns for key, ns in shares(slices).items() if key[:5] == "short") == 99_990
    assert counter.asked < 5 * 20_000


@given(st.integers(0, 10**9))
def test_leaps_down_deep_trees_agree_with_the_rule_as_written(seed):
    chance = random.Random(seed)
    spans = [node("s0", 0, 90)]
    for number in range(1, chance.randrange(2, 70)):
        start = chance.randrange(10 if number % 2 else 85)
        end = 90 - chance.randrange(10) if number % 2 else start + chance.randrange(1, 6)
        parent = spans[-1] if chance.random() < 0.8 else chance.choice(spans)
        made = hang(node(f"s{number}", start, end), parent)
        spans.extend([made] if number % 2 else [])
    found = {i: s.key for s, start, end in partition(spans[0]) for i in range(start, end)}
    assert found == instants(spans[0])


def simple(root: Span) -> dict[str, int]:
    """The rule of the tracing UIs: the latest child that ended before the last one began."""
    found, pending = {}, [(root, root.end)]
    while pending:
        span, _ = pending.pop()
        cursor, owned = span.end, 0
        for child in sorted(span.children, key=lambda c: c.end, reverse=True):
            if child.blocking and child.start < child.end < cursor:
                owned += cursor - child.end
                cursor = child.start
                pending.append((child, child.end))
        found[span.key] = owned + cursor - span.start
    return {key: ns for key, ns in found.items() if ns}


@given(st.data())
def test_the_simple_rule_agrees_where_siblings_keep_apart(data):
    root, number = node("s0", 0, 10_000), 0
    level = [root]
    for span in level:
        edges = sorted(data.draw(st.sets(st.integers(span.start + 1, span.end - 1), max_size=6)))
        for start, end in zip(edges[::2], edges[1::2], strict=False):
            if end - start > 8 and len(level) < 40:
                number += 1
                level.append(hang(node(f"s{number}", start, end), span))
    assert shares(partition(root)) == simple(root)


def crisp(path) -> Span:
    trace = json.loads(path.read_text())["data"][0]
    made = {}
    for span in trace["spans"]:
        start = span["startTime"]
        made[span["spanID"]] = node(span["spanID"], start, start + span["duration"])
    for span in trace["spans"]:
        for reference in span["references"]:
            hang(made[span["spanID"]], made[reference["spanID"]])
    return next(s for s in made.values() if s.parent is None)


CRISP = {
    "crisp_case15": dict.fromkeys("BCDEF", 10) | {"A": 35, "G": 15},
    "crisp_case18": {
        "A": 50,
        "B": 70,
        "C": 10,
        "D": 10,
        "E": 10,
        "F": 40,
        "G": 30,
        "H": 20,
        "I": 10,
    },
    "crisp_case24": dict.fromkeys("CDEGHI", 50) | {"A": 100, "B": 150, "F": 150},
}


@pytest.mark.parametrize("case", CRISP)
def test_published_traces_have_their_answers(shared, case):
    root = crisp(shared / "real" / "jaeger" / f"{case}.json")
    slices = partition(root)
    check_tiles(root, slices)
    assert shares(slices) == CRISP[case]
