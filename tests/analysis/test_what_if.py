"""Re-timing: an empty scenario changes nothing; a change saves what the tree lets it save."""

import numpy as np
import pyarrow as pa
import pytest
from conftest import shared_files
from evidence_frames import MS, gathered, request
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.advice.evidence import evidence
from analysis.derive import derive
from analysis.errors import UserError
from analysis.replay.model import UNKNOWN
from analysis.replay.scenario import Delay, Deliver, Draft, Tokens
from analysis.replay.what_if import (
    Outcome,
    Scenario,
    _Replay,
    cap,
    detach,
    overlap,
    remove,
    replay,
    scale,
    scale_spans,
    shorten,
)
from analysis.spans import SpanBatch
from analysis.stages import STAGES


def retimed_from_scratch(model):
    """The outcome when every span of every request is timed again, changed or not."""
    run = _Replay(model, Draft(model.atom_ns.copy(), model.delivery_ns.copy()))
    roots = {root for root in model.roots if root >= 0}
    run.dirty = {n for n in range(model.nodes) if model.parent[n] >= 0} | roots
    run.propagate()
    return Outcome(run)


def e2e_ms(ev, scenario):
    return [ns / MS for ns in replay(ev.model, scenario).e2e_ns]


def node(ev, *keys):
    return ev.spans["key"].isin(keys).to_numpy(bool)


def place(ev, key):
    return int(np.nonzero(node(ev, key))[0][0])


SEQUENCE = request(
    "t", "root . app_logic 0 100", "a root tools 10 30", "b root decode 40 90", ttft=60
)
PARALLEL = request(
    "t", "root . app_logic 0 110", "a root tools 0 50", "b root retrieval 0 60",
    "c root decode 60 100",
)  # fmt: skip
TREES = st.lists(
    st.tuples(
        st.integers(0, 1_000_000), st.integers(-5, 120), st.integers(0, 60), st.booleans(),
        st.integers(0, 9),
    ),
    max_size=25,
)  # fmt: skip


def drawn(tree, first_token):
    lines, stages = ["s0 . app_logic 0 100"], ("tools", "decode", "retrieval", "prefill")
    for i, (parent, start, length, call, kind) in enumerate(tree, 1):
        words = "call" if call else "observer" if kind == 0 else "async" if kind == 1 else ""
        above = f"s{parent % i}"
        lines.append(f"s{i} {above} {stages[i % 4]} {start} {start + length} {words}")
    return gathered(request("t", *lines, ttft=first_token))


@settings(max_examples=150, deadline=None)
@given(TREES, st.integers(1, 100))
def test_timing_any_tree_again_without_a_change_gives_it_back_to_the_nanosecond(tree, first):
    model = drawn(tree, first).model
    again = retimed_from_scratch(model)
    assert again.e2e_ns.tolist() == model.e2e_ns.tolist()
    assert again.ttft_ns.tolist() == model.ttft_ns.tolist()


@settings(max_examples=100, deadline=None)
@given(TREES, st.integers(1, 100), st.floats(0, 1))
def test_a_quicker_stage_never_slows_a_request_and_never_saves_more_than_it_held(tree, first, f):
    ev = drawn(tree, first)
    model = ev.model
    saved = model.e2e_ns - replay(model, scale("decode", f)).e2e_ns
    lost = ev.lengths_ns[ev.in_stage("decode")].sum()
    assert 0 <= saved[0] <= lost + len(tree)
    assert 0 <= replay(model, scale("decode", f)).ttft_ns[0] <= model.ttft_ns[0]


@settings(max_examples=100, deadline=None)
@given(TREES)
def test_a_replay_of_what_changed_agrees_with_a_replay_of_everything(tree):
    model = drawn(tree, 50).model
    draft = Draft(model.atom_ns.copy(), model.delivery_ns.copy())
    for edit in scale(("tools", "prefill"), 0.5).edits:
        edit.apply(model, draft)
    run = _Replay(model, draft)
    run.dirty |= {n for n in range(model.nodes) if model.parent[n] >= 0}
    run.propagate()
    quick = replay(model, scale(("tools", "prefill"), 0.5))
    assert Outcome(run).e2e_ns.tolist() == quick.e2e_ns.tolist()


def real_evidence(path):
    from collectors import ReadReport, read
    from data.rules_file import default_rules

    try:
        with path.open("rb") as file:
            batches = list(read(file, str(path), ReadReport()))
    except UserError:
        return None
    spans = [batch.table for batch in batches if isinstance(batch, SpanBatch)]
    if not spans:
        return None
    found = derive(pa.concat_tables(spans), default_rules(None))
    tables = (found.requests, found.spans, found.calls, found.segments)
    return evidence(*(table.to_pandas() for table in tables))


REAL = [p for p in shared_files("real/*/*") + shared_files("cases/*") if p.is_file()]


@pytest.mark.skipif(not REAL, reason="the reference files beside the checkout are absent")
def test_every_real_request_keeps_its_times_when_nothing_is_changed():
    seen = 0
    for path in REAL:
        ev = real_evidence(path)
        if ev is None or ev.requests.empty:
            continue
        again = retimed_from_scratch(ev.model)
        for objective in ("e2e", "ttft", "tpot"):
            today = getattr(ev.model, f"{objective}_ns").tolist()
            assert again.of(objective).tolist() == today, path.name
        seen += len(ev.requests)
    assert seen > 100


@pytest.fixture(scope="session")
def sample(samples):
    return real_evidence(samples / "sample.json.gz")


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_saves_more_than_it_holds_on_the_path(sample, stage):
    model = sample.model
    saved = model.e2e_ns - replay(model, scale(stage, 0.0)).e2e_ns
    held = sample.total_ns(stage)
    assert (saved >= 0).all()
    assert (saved <= held + 1).all(), np.nonzero(saved > held + 1)[0][:5]


def test_half_of_a_sequential_stage_is_saved_whole():
    ev = gathered(SEQUENCE)
    assert e2e_ms(ev, scale("decode", 0.5)) == [75]
    assert e2e_ms(ev, scale("tools", 0.5)) == [90]
    assert replay(ev.model, scale("decode", 0.5)).ttft_ns[0] == 50 * MS


def test_a_gap_of_the_parent_is_scaled_with_the_parents_stage():
    assert e2e_ms(gathered(SEQUENCE), scale("app_logic", 0.0)) == [70]


def test_a_parallel_sibling_takes_over_where_it_must():
    ev = gathered(PARALLEL)
    assert e2e_ms(ev, scale("tools", 0.0)) == [110]
    assert e2e_ms(ev, scale("retrieval", 0.0)) == [100]


def test_removing_capping_shortening_and_detaching_take_what_they_say():
    ev = gathered(SEQUENCE)
    assert e2e_ms(ev, remove(node(ev, "a"))) == [80]
    assert e2e_ms(ev, detach(node(ev, "b"))) == [50]
    assert e2e_ms(ev, cap("decode", 30 * MS)) == [80]
    assert e2e_ms(ev, shorten("tools", 5 * MS)) == [95]
    assert e2e_ms(ev, shorten("tools", 500 * MS)) == [80]
    assert e2e_ms(ev, scale_spans(node(ev, "root"), 0.5)) == [50]
    assert e2e_ms(ev, Scenario((Delay(node(ev, "b"), 7 * MS),))) == [107]


def test_edits_follow_one_another_and_scenarios_add_up():
    assert e2e_ms(gathered(SEQUENCE), scale("decode", 0.5) + cap("decode", 10 * MS)) == [60]


def test_overlapped_siblings_both_hold_what_follows():
    ev = gathered(SEQUENCE)
    pair = [(place(ev, "a"), place(ev, "b"))]
    # b keeps the parent's gap of 10 before it, now from a's start: 10 + 10 to 70, then the tail
    assert e2e_ms(ev, overlap(pair)) == [80]
    assert replay(ev.model, overlap(pair)).ttft_ns[0] == 40 * MS


def test_an_answer_is_not_shown_before_the_check_beside_it_has_passed():
    ev = gathered(
        request(
            "t", "root . app_logic 0 100", "check root guardrails 0 50", "b root decode 50 100",
            ttft=52,
        )
    )  # fmt: skip
    after = replay(ev.model, overlap([(place(ev, "check"), place(ev, "b"))]))
    assert after.e2e_ns[0] == 50 * MS
    assert after.ttft_ns[0] == 50 * MS


def test_siblings_that_overlap_by_chance_do_not_move_one_another():
    ev = gathered(request("t", "r . app_logic 0 100", "b r tools 0 60", "c r retrieval 40 100"))
    assert e2e_ms(ev, scale("tools", 0.5)) == [100]
    assert e2e_ms(ev, scale("app_logic", 0.0)) == [100]


def test_a_reader_of_a_stream_starts_at_the_same_place_of_the_answer():
    answer = {"call": [("prefill", 20), ("decode", 80)]}
    ev = gathered(
        request(
            "t", "r . app_logic 0 110", "call r decode 0 100 call", "check r guardrails 60 110",
            pieces=answer,
        )
    )  # fmt: skip
    # 40 of the 80 ms of decode were written at 60: with half the decode that is at 40
    assert e2e_ms(ev, scale("decode", 0.5)) == [90]
    assert e2e_ms(ev, scale("prefill", 0.0)) == [90]


def test_a_stage_that_only_runs_beside_the_path_saves_nothing():
    ev = gathered(request("t", "r . app_logic 0 100", "x r tools 10 40 async", "y r decode 20 90"))
    assert e2e_ms(ev, scale("tools", 0.0)) == [100]


def test_what_sticks_out_is_clipped_as_the_partition_clips_it():
    ev = gathered(request("t", "r . app_logic 0 100", "x r decode 60 150"))
    assert e2e_ms(ev, scale("decode", 0.5)) == [80]


def test_a_chain_of_20_000_spans_is_timed_without_recursion():
    lines = ["s0 . app_logic 0 100"] + [f"s{i} s{i - 1} decode 0 100" for i in range(1, 20_000)]
    assert e2e_ms(gathered(request("t", *lines)), scale("decode", 0.5)) == [50]


CALL = request(
    "t", "r . app_logic 0 120", "c r decode 10 110 call", ttft=50, tpot=7, output_tokens=11,
    pieces={"c": [("request_queue", 10), ("prefill", 20), ("decode", 70)]},
    calls={"c": {"first_token_ns": 30, "answer": True}},
)  # fmt: skip


def test_delivery_keeps_its_length_while_decode_shrinks():
    ev = gathered(CALL)
    assert ev.model.delivery_ns.tolist() == [10 * MS]
    assert replay(ev.model, scale("decode", 0.5)).ttft_ns[0] == 50 * MS
    assert replay(ev.model, scale("prefill", 0.5)).ttft_ns[0] == 40 * MS
    assert replay(ev.model, Scenario((Deliver(np.zeros(1)),))).ttft_ns[0] == 40 * MS


def test_time_per_token_follows_decode_and_the_number_of_tokens():
    ev = gathered(CALL)
    assert replay(ev.model, scale("decode", 0.5)).tpot_ns[0] == round(3.5 * MS)
    fewer = scale("decode", 0.5) + Scenario((Tokens(np.asarray([6 / 11])),))
    assert replay(ev.model, fewer).tpot_ns[0] == 7 * MS
    assert replay(ev.model, scale("request_queue", 0.0)).tpot_ns[0] == 7 * MS


def test_a_request_without_spans_or_first_token_keeps_what_it_has():
    ev = gathered(SEQUENCE, request("u", "root . app_logic 0 40"))
    ev = evidence(ev.requests, ev.spans[ev.spans["trace_id"] == "t"], ev.calls)
    after = replay(ev.model, scale("app_logic", 0.0))
    assert after.e2e_ns[1] == 40 * MS
    assert after.ttft_ns[1] == UNKNOWN


def test_wrong_scenarios_are_refused():
    ev = gathered(SEQUENCE)
    with pytest.raises(UserError, match="a stage id"):
        scale("decoding", 0.5)
    with pytest.raises(ValueError, match="no siblings"):
        replay(ev.model, overlap([(place(ev, "root"), place(ev, "a"))]))
    with pytest.raises(ValueError, match="starts before"):
        replay(ev.model, overlap([(place(ev, "b"), place(ev, "a"))]))
