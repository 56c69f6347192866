"""Each technique is tried where it helps, with the saving worked out by hand, and where not."""

import dataclasses
from pathlib import Path

import pytest
from conftest import ROOT
from evidence_frames import MS, gathered
from hypothesis import given, settings
from hypothesis import strategies as st
from technique_cases import (
    ALL,
    APPLIES,
    FAILS,
    call,
    calls,
    crowd,
    held_back,
    replicas,
    stage,
    unstreamed,
)

from analysis.advice.ranking import levels_of, rank
from analysis.advice.technique import GRADES, LAYERS, RISK_FACTOR, Applies, Lacks, Not
from analysis.replay.what_if import replay
from analysis.stages import STAGES
from analysis.techniques import TECHNIQUES

BY_ID = {module.TECHNIQUE.id: module for module in TECHNIQUES}
IDS = list(BY_ID)


def typical(name):
    return {**levels_of(BY_ID[name].TECHNIQUE, {})[1], **ALL.get(name, {})}


def saved_ms(name, ev, objective="e2e", level=None):
    after = replay(ev.model, BY_ID[name].scenario(ev, level or typical(name))).of(objective)
    return (getattr(ev.model, f"{objective}_ns")[0] - after[0]) / MS


@pytest.mark.parametrize("name", IDS)
def test_it_applies_where_its_sign_shows_and_saves_what_the_hand_says(name):
    make, reason, saved = APPLIES[name]
    ev = make()
    verdict = BY_ID[name].applies(ev)
    assert isinstance(verdict, Applies), verdict
    assert verdict.reason == reason
    assert saved_ms(name, ev) == pytest.approx(saved, abs=1e-4)


@pytest.mark.parametrize("name", IDS)
def test_it_does_not_apply_where_the_data_speak_against_it(name):
    make, why = FAILS[name]
    verdict = BY_ID[name].applies(make())
    assert isinstance(verdict, Not | Lacks), verdict
    assert (verdict.what if isinstance(verdict, Lacks) else verdict.reason) == why


@pytest.mark.parametrize("name", IDS)
def test_its_row_of_the_catalogue_is_complete(name):
    technique = BY_ID[name].TECHNIQUE
    assert technique.layer in LAYERS
    assert technique.frees in STAGES
    assert technique.risk in RISK_FACTOR
    assert 0 < technique.effort_days[0] <= technique.effort_days[1]
    assert technique.sources
    assert set(technique.conflicts + technique.subsumes) <= set(IDS)
    assert all(name in BY_ID[other].TECHNIQUE.conflicts for other in technique.conflicts)
    assert all(a.grade in GRADES for a in technique.assumes)


def test_every_file_of_the_folder_is_tried():
    files = {path.stem for path in (ROOT / "analysis" / "techniques").glob("*.py")} - {"__init__"}
    assert {Path(module.__file__).stem for module in TECHNIQUES} == files == set(IDS)
    assert set(APPLIES) == set(FAILS) == set(IDS)
    assert len(TECHNIQUES) >= 22


@pytest.mark.parametrize("name", IDS)
def test_more_of_its_assumption_never_saves_less(name):
    ev = APPLIES[name][0]()
    low, mid, high = (
        saved_ms(name, ev, level=level) for level in levels_of(BY_ID[name].TECHNIQUE, {})
    )
    if name != "priority_admission":  # its assumption is how busy the engine is
        assert low <= mid + 1e-6 <= high + 2e-6


def test_a_proxy_that_holds_the_stream_back_gives_up_all_but_the_wire():
    # 300 late, the quickest 10: 90 % of the 290 between
    assert saved_ms("sse_buffer_off", held_back(), "ttft") == pytest.approx(261)


def test_a_crowded_replica_decodes_faster_and_makes_calls_wait():
    ev = crowd(2, 0)
    verdict = BY_ID["batch_cap_tuning"].applies(ev)
    assert verdict.reason == "tokens_slow_in_crowd"
    # decode of 18 loses 2 x 25 % of the half it owes to the crowd, 60 % of that is waited for
    assert saved_ms("batch_cap_tuning", ev) == pytest.approx(4.5 - 2.7)


def test_streaming_is_counted_up_to_the_first_token_only():
    finding = next(f for f in rank(gathered(*_unstreamed(10)), "ttft") if f.id == "stream_tokens")
    assert finding.applies
    assert finding.current_ns == 100 * MS
    assert finding.saving_ns.typical == pytest.approx(0.99 * 50 * MS)


def _unstreamed(count):
    ev = unstreamed()
    for i in range(count):
        yield {
            name: [r | {"trace_id": f"t{i}"} for r in frame.to_dict("records")]
            for name, frame in (("requests", ev.requests), ("spans", ev.spans), ("calls", ev.calls))
        }


def test_a_program_that_reads_the_answer_needs_no_stream():
    ev = unstreamed(**{"gen_ai.output.type": "json"})
    assert BY_ID["stream_tokens"].applies(ev) == Not("machine_reads")


def test_a_queue_is_pooled_by_the_formula_where_that_explains_the_wait():
    alone = calls(queue=80)
    assert alone.load is None
    assert replicas(5, 40).load.explains is False


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(STAGES), st.integers(0, 90), st.integers(1, 90))
def test_no_technique_fails_on_odd_evidence(name, start, length):
    for ev in (stage(name, start, start + length), gathered(call(queue=0, prefill=0))):
        assert len(rank(ev)) == len(TECHNIQUES)


def test_a_technique_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        TECHNIQUES[0].TECHNIQUE.risk = "none"
