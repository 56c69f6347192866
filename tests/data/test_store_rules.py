"""Other rules in an open store: only what they can touch is derived, with one outcome."""

from typing import Any

import pytest
from builders import TRACE, spans
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import bring, contents, trace
from strategies import trace_rows

from analysis.rules import Mark, Rule, RuleSet
from analysis.spans import SpanBatch
from data.rules_file import default_rules
from data.store import Store

OURS = default_rules()
CHUNK = Mark("first_chunk", "^e$", place="event")
RULES = tuple(
    Rule(f"r{number}", stage, **given)
    for number, (stage, given) in enumerate(
        [
            ("tools", {"name": "^work$"}),
            ("retrieval", {"name": "^work$", "service": "^web$"}),
            ("model", {"name": "^chat$", "role": "call", "marks": (CHUNK,)}),
            ("app_logic", {"role": "observer", "kind": "client"}),
            ("internal_network", {"kind": "client", "server_child": True}),
            ("guardrails", {"attributes": (("gen_ai.request.stream", "^true$"),)}),
            ("datastore", {"event": "^e$", "under_call": False}),
            ("decode", {"under_call": True}),
            ("routing", {"call_below": True, "service": "gateway"}),
            ("retries_backoff", {"role": "retry", "status": "error"}),
            ("mesh_sidecar", {"resource": (("zone", True),)}),
            ("request_queue", {"name": "^work$", "attributes": (("no|such", True),)}),
        ]
    )
)
SETS = st.lists(st.sampled_from(RULES), unique=True, max_size=5).map(tuple)


def numbered(rows: list[dict[str, Any]], number: int) -> SpanBatch:
    zone = '{"zone": "a"}' if number % 2 else "{}"
    return SpanBatch.from_rows(
        [{**row, "trace_id": f"{number:032x}", "resource": zone} for row in rows]
    )


def filled(rules: RuleSet, batches: list[SpanBatch]) -> Store:
    store = Store(":memory:", rules)
    bring(store, "one", *batches)
    return store


@settings(max_examples=25, deadline=None)
@given(st.lists(trace_rows(), min_size=1, max_size=4), SETS, SETS, st.booleans())
def test_changed_rules_leave_what_deriving_all_by_them_leaves(traces, before, after, with_ours):
    rest = OURS.rules if with_ours else ()
    one, other = RuleSet(before + rest, "one"), RuleSet(after + rest, "two")
    batches = [numbered(rows, number) for number, rows in enumerate(traces, 1)]
    store = filled(one, batches)
    wanted = filled(other, batches)
    trial = store.try_rules(other)
    touched = store.change_rules(other)
    assert contents(store) == contents(wanted)
    assert store.rules == other
    assert trial.tried == trial.traces == touched
    back = wanted.try_rules(one).moved
    assert {(b, a): n for (a, b), n in back.by_stage.items()} == trial.moved.by_stage


def test_a_rule_is_found_over_the_records_of_a_span_that_cleaning_joins():
    whole = ("a . web server 0 100 chat", "b a web internal 10 90 work")
    part = spans("b a web unspecified 10 - work", b={"attributes": {"k": "v"}})
    store = filled(OURS, [spans(*whole), part])
    mine = Rule("mine", "tools", kind="^internal$", attributes=(("k", "^v$"),))
    assert store.change_rules(RuleSet((mine, *OURS.rules), "two")) == 1
    assert store.query("latency")["tools_ns"].tolist() == [80_000_000]


NAMED = RuleSet((Rule("mine", "tools", name="^search$"), *OURS.rules), "two")


@pytest.fixture
def store():
    store = Store(":memory:", OURS)
    bring(store, "one", *(trace(n, f"a . web server {n} {n}00 chat") for n in range(1, 5)),
          trace(9, "a . web internal 0 50 search"))  # fmt: skip
    return store


def test_only_the_traces_that_a_rule_can_touch_are_derived_again(store):
    told = []
    revision = store.revision
    assert store.change_rules(NAMED, lambda *state: told.append(state)) == 1
    assert told == [(0, 1), (1, 1)]
    assert store.revision == revision + 1
    assert store.query("latency")["tools_ns"].sum() == 50_000_000


@pytest.mark.parametrize("fault", ["progress", "keep"])
def test_a_change_that_is_cancelled_or_cannot_be_kept_leaves_all_as_before(store, fault):
    before, revision = contents(store), store.revision

    def refuse(*_state):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        store.change_rules(NAMED, **{fault: refuse})
    assert contents(store) == before
    assert (store.rules, store.revision) == (OURS, revision)
    assert store.change_rules(NAMED) == 1


def test_a_trial_stores_nothing_and_counts_the_time_that_moves(store):
    before, revision = contents(store), store.revision
    trial = store.try_rules(NAMED)
    assert (trial.traces, trial.tried, trial.moved.requests) == (1, 1, 1)
    assert trial.moved.by_stage == {("unattributed", "tools"): 50_000_000}
    assert trial.takers == {"mine": 1}
    assert (contents(store), store.revision) == (before, revision)


def test_a_trial_of_many_records_tries_a_sample_and_says_so(store):
    every = RuleSet((Rule("mine", "tools"), *OURS.rules), "two")
    trial = store.try_rules(every, most=3)
    assert (trial.traces, trial.tried, trial.moved.requests) == (5, 3, 3)
    assert store.try_rules(every, most=3).moved == trial.moved
    assert store.try_rules(every, most=0).tried == 1


def test_a_trial_leaves_out_the_sample_while_it_is_hidden():
    store = Store(":memory:", OURS)
    bring(store, "sample", trace(9, "a . web internal 0 50 search"), sample=True)
    assert store.try_rules(NAMED).traces == 1
    bring(store, "mine", trace(1))
    assert store.try_rules(NAMED).traces == 0
    assert store.change_rules(NAMED) == 1


def test_what_is_imported_later_is_derived_by_the_new_rules(store):
    import_id = store.begin("two", "two")
    store.add(import_id, trace(8, "a . web internal 0 70 search"))
    store.change_rules(NAMED)
    store.settle(import_id, "x", [], {})
    assert store.query("latency")["tools_ns"].sum() == 120_000_000


def test_a_key_that_json_may_spell_in_several_ways_is_found():
    key = 'a"é/ b'
    batch = spans("a . web internal 0 50 x", a={"attributes": {key: "1"}})
    store = filled(OURS, [batch])
    mine = Rule("mine", "tools", attributes=((key, True),))
    assert store.change_rules(RuleSet((mine, *OURS.rules), "two")) == 1
    assert store.query("latency").trace_id.tolist() == [TRACE]
    assert store.query("latency")["tools_ns"].sum() == 50_000_000


ASKS = (
    {"event": "^e$"}, {"attributes": (("k", "^v$"),)}, {"resource": (("zone", True),)},
    {"name": "^work$", "server_child": False}, {"name": "^work$", "under_call": False},
    {"scope": "^lib$"},
)  # fmt: skip


@pytest.mark.parametrize("asks", ASKS, ids=" ".join)
def test_whatever_a_rule_asks_of_a_span_is_found(asks):
    columns = {
        "events": [{"name": "e", "time_ns": 1_700_000_000_020_000_000, "attributes": {}}],
        "attributes": {"k": "v"}, "resource": {"zone": "a"}, "scope": "lib",
    }  # fmt: skip
    batch = spans("a . web server 0 100 chat", "b a web internal 10 90 work", b=columns)
    store = filled(OURS, [batch, trace(2)])
    assert store.change_rules(RuleSet((Rule("mine", "tools", **asks), *OURS.rules), "two")) == 1
    assert store.query("latency")["tools_ns"].sum() == 80_000_000
