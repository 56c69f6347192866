"""Every instant split over all spans at work: drawn trees, a slow reference, chosen-path beside."""

import random
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import every, hang, node, tree, trees

from analysis.critical_path import partition
from analysis.metrics import segments, stage_sums
from analysis.shared_path import apportioned, shared
from analysis.stages import STAGES
from analysis.tree import Piece

NAMED = {"a": "app_logic", "b": "retrieval", "c": "tools", "d": "guardrails", "e": "model"}


def staged(root):
    """Each span in the stage that its first letter names, one piece for all of it."""
    for span in every(root):
        span.stage = NAMED.get(span.key[0], STAGES[int(span.key[1:] or 0) % len(STAGES)])
        span.pieces = [Piece(span.stage, span.start, span.end)]
    return root


def parts(*lines, until=None, **columns):
    found = shared(staged(tree(*lines, **columns)), until)
    return {stage: ns for stage, ns in found.items() if ns}


DRAWN = {
    "two spans": (["a . 0 100", "b a 20 80"], {"app_logic": 40, "retrieval": 60}),
    "two at once": (
        ["a . 0 100", "b a 0 60", "c a 0 90"],
        {"app_logic": 10, "retrieval": 30, "tools": 60},
    ),
    "overlap in part": (["a . 0 100", "b a 0 60", "c a 40 100"], {"retrieval": 50, "tools": 50}),
    "a child takes its parent's part": (
        ["a . 0 100", "b a 0 100", "c a 0 100", "d c 20 80"],
        {"retrieval": 50, "tools": 20, "guardrails": 30},
    ),
    "three at once": (
        ["a . 0 90", "b a 0 90", "c a 0 90", "d a 0 90"],
        {"retrieval": 30, "tools": 30, "guardrails": 30},
    ),
    "thirds of a ns go by the order of stages": (
        ["a . 0 100", "b a 0 100", "c a 0 100", "d a 0 100"],
        {"guardrails": 34, "retrieval": 33, "tools": 33},
    ),
    "a child that sticks out": (["a . 10 20", "b a 0 30"], {"retrieval": 10}),
    "a zero-length child": (["a . 0 100", "b a 60 60"], {"app_logic": 100}),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawn_tree_has_the_answer_beside_it(name):
    lines, expected = DRAWN[name]
    assert parts(*lines) == expected


def test_work_that_nobody_waits_for_has_no_part():
    lines = ("a . 0 100", "b a 0 100", "c a 0 100")
    assert parts(*lines, b={"blocking": False}) == {"tools": 100}


def test_an_observer_has_a_part_only_where_nobody_else_works():
    lines = ("a . 0 100", "b a 5 95", "c a 10 50", "d b 40 90")
    found = parts(*lines, b={"observer": True})
    assert found == {"app_logic": 10, "retrieval": 10, "tools": 35, "guardrails": 45}


def test_a_span_that_changes_its_stage_changes_what_it_is_counted_for():
    root = staged(tree("a . 0 100", "b a 0 100", "c a 0 100"))
    root.children[0].pieces = [Piece("prefill", 0, 30), Piece("decode", 30, 100)]
    found = shared(root)
    assert (found["prefill"], found["decode"], found["tools"]) == (15, 35, 50)


def test_up_to_an_instant_only_what_lies_before_it_is_split():
    lines = ("a . 0 100", "b a 0 60", "c a 0 90")
    assert parts(*lines, until=70) == {"retrieval": 30, "tools": 40}
    assert parts(*lines, until=0) == {}


def at_work(span, at, start, end):
    """The spans at work at an instant, written as it is said."""
    pending, kids, watchers = list(span.children), [], []
    while pending:
        child = pending.pop()
        if not child.blocking:
            continue
        if child.observer:
            pending.extend(child.children)
        low, high = max(child.start, start), min(child.end, end)
        if low <= at < high:
            (watchers if child.observer else kids).append((child, low, high))
    if kids:
        return [leaf for child, low, high in kids for leaf in at_work(child, at, low, high)]
    smallest = min(watchers, key=lambda w: (w[2] - w[1], w[1], w[0].key), default=(span,))
    return [smallest[0]]


def exactly(root):
    found = dict.fromkeys(STAGES, Fraction(0))
    for at in range(root.start, root.end):
        leaves = at_work(root, at, root.start, root.end)
        for leaf in leaves:
            stage = next((p.stage for p in leaf.pieces if p.start <= at < p.end), leaf.stage)
            found[stage] += Fraction(1, len(leaves))
    return found


def cut(root, numbers):
    """Some spans change their stage half way."""
    for span in every(root):
        middle = (span.start + span.end) // 2
        if next(numbers) and span.start < middle < span.end:
            span.pieces = [Piece("prefill", span.start, middle), Piece("decode", middle, span.end)]
    return root


@settings(max_examples=300, deadline=None)
@given(trees(most=14), st.integers(0, 9))
def test_a_slow_reference_agrees_to_the_fraction(root, seed):
    rng = random.Random(seed)
    cut(staged(root), iter(lambda: rng.random() < 0.4, None))
    exact, found = exactly(root), shared(root)
    assert sum(found.values()) == root.end - root.start
    rounded_up = [exact[s] - int(exact[s]) for s in STAGES if found[s] > int(exact[s])]
    kept = [exact[s] - int(exact[s]) for s in STAGES if found[s] == int(exact[s])]
    assert len(rounded_up) + len(kept) == len(STAGES)
    assert not rounded_up or min(rounded_up) >= max(kept, default=0)


@st.composite
def sequential(draw):
    """Trees whose siblings never overlap."""
    root, number = node("s0", 0, 1000), 0
    for parent in (spans := [root]):
        edges = sorted(draw(st.lists(st.integers(parent.start, parent.end), max_size=6)))
        for low, high in zip(edges[::2], edges[1::2], strict=False):
            number += 1
            if low < high and number < 40:
                spans.append(hang(node(f"s{number}", low, high), parent))
    return root


@settings(max_examples=200, deadline=None)
@given(sequential())
def test_where_siblings_never_overlap_both_aggregates_agree(root):
    staged(root)
    assert shared(root) == stage_sums(segments(partition(root)))


@given(trees(most=10), st.integers(2, 9), st.integers(-(10**18), 10**18))
def test_moving_all_times_changes_nothing_and_scaling_scales(root, scale, move):
    found = shared(staged(root))
    for span in every(root):
        span.start, span.end = span.start * scale + move, span.end * scale + move
    larger = shared(staged(root))
    assert sum(larger.values()) == scale * sum(found.values())
    assert all(abs(larger[stage] - scale * found[stage]) < scale + 1 for stage in STAGES)


def wide(count):
    root = node("s0", 0, 10**9)
    for number in range(1, count):
        hang(node(f"s{number}", number, 10**9 - number), root)
    return staged(root)


def deep(count):
    root = below = node("s0", 0, 10**9)
    for number in range(1, count):
        below = hang(node(f"s{number}", number, 10**9 - number), below)
    return staged(root)


@pytest.mark.parametrize("make", [wide, deep])
def test_twenty_thousand_spans_are_ordinary(make):
    root = make(20_000)
    started = time.process_time()
    assert sum(shared(root).values()) == 10**9
    assert time.process_time() - started < 10


def test_remainders_go_to_the_largest_first():
    found = apportioned({3: {"tools": 5, "model": 1}}, 2)
    assert (found["tools"], found["model"]) == (2, 0)
