"""The ranking: complete, in order, the same every time, with its reasons."""

import numpy as np
import pytest
from evidence_frames import MS, gathered, request
from technique_cases import call

from analysis.advice.ranking import rank, score
from analysis.errors import UserError
from analysis.techniques import TECHNIQUES

FIELDS = {
    "id", "applies", "not_because", "assumes", "n", "current_ns", "predicted_ns", "saving_ns",
    "requests_affected", "within_slo_gained", "effort_days", "risk", "score", "tie_with",
    "evidence",
}  # fmt: skip


def many(count=60, seed=5):
    """Requests that queue long at the tail and decode evenly."""
    rng = np.random.default_rng(seed)
    queues, arrivals = rng.exponential(60, count), np.cumsum(rng.exponential(300, count))
    return gathered(
        *(
            call(f"t{i}", queue=round(q) + 1, decode=50 + i % 7, at=round(at), output_tokens=80)
            for i, (q, at) in enumerate(zip(queues, arrivals, strict=True))
        )
    )


@pytest.fixture(scope="module")
def ev():
    return many()


@pytest.fixture(scope="module")
def found(ev):
    return rank(ev, slo_ns=150 * MS)


def by_id(findings):
    return {finding.id: finding for finding in findings}


def test_every_technique_is_there_once_under_every_objective(ev):
    for objective in ("e2e", "ttft", "tpot"):
        ids = [finding.id for finding in rank(ev, objective)]
        assert sorted(ids) == sorted(module.TECHNIQUE.id for module in TECHNIQUES)


def test_a_row_has_the_fields_that_scripts_rely_on(found):
    for finding in found:
        row = finding.as_row()
        assert row.keys() >= FIELDS
        assert set(row["saving_ns"]) == {"low", "typical", "high"}
        assert bool(row["not_because"]) != row["applies"]


def test_those_that_apply_come_first_by_their_typical_saving(found):
    applying = [f.saving_ns.typical for f in found if f.applies]
    assert applying == sorted(applying, reverse=True)
    assert [f.applies for f in found] == sorted((f.applies for f in found), reverse=True)


def test_the_queue_leads_where_the_tail_queues(found):
    assert found[0].technique.frees == "request_queue"
    assert found[0].saving_ns.typical > 0


def test_what_does_not_apply_saves_nothing_and_says_why(found):
    for finding in found:
        saving = finding.saving_ns
        assert saving.low <= saving.typical <= saving.high
        assert finding.current_ns - finding.predicted_ns == saving.typical
        if not finding.applies:
            assert (saving.low, saving.typical, saving.high) == (0, 0, 0)
            assert finding.not_because
            assert bool(finding.lacks) == (finding.not_because == "lacks")


def test_the_ranking_is_the_same_every_time_and_in_any_order_of_rows(ev, found):
    again = rank(ev, slo_ns=150 * MS)
    assert [f.as_row() for f in again] == [f.as_row() for f in found]
    turned = type(ev)(
        ev.requests, ev.spans[::-1].reset_index(drop=True), ev.calls[::-1].reset_index(drop=True),
        ev.segments, ev.metrics,
    )  # fmt: skip
    assert [f.as_row() for f in rank(turned, slo_ns=150 * MS)] == [f.as_row() for f in found]


def test_near_ties_name_one_another(found):
    findings = by_id(found)
    ties = {(f.id, other) for f in found for other in f.tie_with}
    assert all((b, a) in ties for a, b in ties)
    assert all(findings[a].saving_ns.typical > 0 for a, _ in ties)
    assert ("weight_fp8", "weight_int4") in ties


def test_an_own_assumption_takes_the_place_of_ours(ev):
    own = by_id(rank(ev, assume={"weight_int4.removed": 0.2}))["weight_int4"]
    ours = by_id(rank(ev))["weight_int4"]
    assert own.assumes == {"removed": 0.2}
    assert own.saving_ns.typical < ours.saving_ns.typical
    width = own.saving_ns.high - own.saving_ns.low
    assert width < ours.saving_ns.high - ours.saving_ns.low


def test_the_requests_that_come_within_the_slo_are_counted(ev, found):
    model = ev.model
    first = found[0]
    assert 0 < first.within_slo_gained <= (model.e2e_ns > 150 * MS).sum()
    assert rank(ev)[0].within_slo_gained is None


def test_requests_that_carry_a_finding_are_named_the_largest_saving_first(found):
    examples = found[0].evidence
    saved = [e.current_ns - e.predicted_ns for e in examples]
    assert len(examples) == 5
    assert saved == sorted(saved, reverse=True)
    assert saved[-1] > 0


def test_without_a_first_token_nothing_is_claimed_of_it():
    plain = gathered(request("t", "r . app_logic 0 100", "a r decode 10 90 call"))
    for finding in rank(plain, "ttft"):
        assert not finding.applies
        assert finding.n == 0
        assert finding.current_ns is None


def test_requests_left_out_of_percentiles_are_left_out_here():
    kept = call("t0", queue=80)
    left = call("t1", queue=5000)
    left["requests"][0]["excluded"] = True
    finding = by_id(rank(gathered(kept, left)))["autoscale_queue"]
    assert (finding.n, finding.current_ns) == (1, 170 * MS)


def test_off_the_path_a_technique_has_no_effect():
    ev = gathered(
        request(
            "t", "r . app_logic 0 100", "x r tools 0 99", "a r observability_export 0 90",
            observability_export_ns=1 * MS,
        )
    )  # fmt: skip
    finding = by_id(rank(ev))["async_observability"]
    assert (finding.applies, finding.not_because) == (False, "no_effect")


def test_the_score_is_ms_per_day_and_risk():
    technique = by_id(rank(many(3)))["spec_model"].technique  # 3 to 12 days, medium risk
    assert score(technique, 900 * MS) == pytest.approx(900 / (7.5 * 1.5))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"objective": "cost"}, "one of e2e"),
        ({"percentile": 100}, "a percentile"),
        ({"assume": {"nothing.here": 1.0}}, "an assumption"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(ev, arguments, expected):
    with pytest.raises(UserError, match=expected):
        rank(ev, **arguments)
