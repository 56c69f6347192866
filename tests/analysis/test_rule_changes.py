"""What a change of rules can touch, and what time it moves."""

import pyarrow as pa
import pytest
from builders import T0
from hypothesis import given
from hypothesis import strategies as st

from analysis.derived import SEGMENTS_SCHEMA
from analysis.rule_changes import Moved, Reach, changed, rows
from analysis.rules import Rule, RuleSet

A, B, C, D = (Rule(name, "tools", name=f"^{name}$") for name in "abcd")


def ids(found):
    return sorted({rule.id for rule in found})


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ((A, B), (A, B), ""), ((A, B), (C, A, B), "c"), ((A, B, C), (A, C), "b"),
        ((), (A,), "a"), ((A,), (), "a"),
    ],
)  # fmt: skip
def test_a_rule_that_came_or_went_is_what_changed(before, after, wanted):
    assert ids(changed(RuleSet(before), RuleSet(after))) == list(wanted)


def test_a_rule_with_other_conditions_counts_as_both_of_them():
    other = Rule("a", "tools", name="^z$")
    found = changed(RuleSet((A, B)), RuleSet((other, B)))
    assert [rule.name for rule in found] == ["^a$", "^z$"]


def test_other_digests_of_the_same_rules_change_nothing():
    assert changed(RuleSet((A, B), "one"), RuleSet((A, B), "two")) == ()


@given(st.lists(st.sampled_from([A, B, C, D]), unique=True),
       st.lists(st.sampled_from([A, B, C, D]), unique=True))  # fmt: skip
def test_without_what_changed_both_lists_are_the_same(before, after):
    found = changed(RuleSet(tuple(before)), RuleSet(tuple(after)))
    kept = [[rule for rule in rules if rule not in found] for rules in (before, after)]
    assert kept[0] == kept[1]


def test_conditions_on_neighbours_are_taken_to_hold():
    reach = Reach([Rule("x", "tools", kind="client", server_child=True, call_below=False)])
    held = reach.matcher.shape_bits(("any", None, "client", "ok", None))
    assert [needs & ~held for needs in reach.needs] == [0]
    assert not reach.everything


def test_a_rule_without_conditions_reaches_everything():
    assert Reach([Rule("x", "tools")]).everything
    assert Reach([Rule("x", "tools", under_call=True)]).everything


def test_the_keys_that_a_rule_reads_are_known():
    reach = Reach([Rule("x", "tools", attributes=(("b|a", True),), resource=(("r", "1"),))])
    assert (reach.attribute_keys, reach.resource_keys, reach.events) == (["a", "b"], ["r"], False)


def partition(*slices, root="r"):
    made = [
        {"trace_id": "t", "root_key": root, "key": "k", "span_id": "k", "stage": stage,
         "start_ns": T0 + low, "end_ns": T0 + high}
        for low, high, stage in slices
    ]  # fmt: skip
    return pa.Table.from_pylist(made, schema=SEGMENTS_SCHEMA)


def moved(before, after):
    found = Moved()
    found.add(before, after)
    return found


def test_time_is_moved_where_the_stage_differs():
    before = partition((0, 10, "app_logic"), (10, 40, "unattributed"), (40, 50, "app_logic"))
    after = partition((0, 10, "app_logic"), (10, 30, "tools"), (30, 50, "app_logic"))
    found = moved(before, after)
    assert rows(found) == [
        {"from": "unattributed", "to": "tools", "ns": 20},
        {"from": "unattributed", "to": "app_logic", "ns": 10},
    ]
    assert (found.requests, found.total_ns) == (1, 30)


def test_the_same_stages_in_other_slices_move_nothing():
    before = partition((0, 10, "tools"), (10, 40, "tools"))
    assert moved(before, partition((0, 40, "tools"))).requests == 0


def test_a_window_that_changes_is_counted_as_time_of_no_request():
    found = moved(partition((0, 10, "tools")), partition((0, 12, "tools")))
    assert rows(found) == [{"from": None, "to": "tools", "ns": 2}]
    found = moved(partition((0, 10, "tools")), partition((0, 10, "tools"), root="other"))
    assert found.requests == 2


STAGES = st.sampled_from(["tools", "retrieval", "model"])


@given(st.lists(STAGES, min_size=1, max_size=20), st.data())
def test_what_is_counted_is_what_an_instant_by_instant_look_finds(before, data):
    after = data.draw(st.lists(STAGES, min_size=len(before), max_size=len(before)))
    tables = [partition(*((n, n + 1, s) for n, s in enumerate(one))) for one in (before, after)]
    wanted = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    found = moved(*tables)
    assert found.by_stage == {pair: wanted.count(pair) for pair in set(wanted)}
