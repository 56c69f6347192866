"""Several techniques together: marginal savings, conflicts, and no more than there is."""

import pytest
from evidence_frames import MS, gathered
from technique_cases import call

from analysis.advice.plan import plan
from analysis.advice.ranking import rank
from analysis.errors import UserError


@pytest.fixture(scope="module")
def ev():
    return gathered(*(call(f"t{i}", queue=60, decode=100, output_tokens=80) for i in range(30)))


def test_changes_of_one_stage_multiply(ev):
    # 200 ms each: decode of 100 loses half, then 30 % of the half that is left
    found = plan(ev, ["weight_int4", "output_length"])
    assert [step.predicted_ns / MS for step in found.steps] == [150, 135]
    assert [step.saving_ns.typical / MS for step in found.steps] == [50, 15]
    assert found.saving_ns.typical == found.current_ns - found.predicted_ns == 65 * MS


def test_the_first_of_a_conflicting_pair_stays_and_what_is_contained_is_left_out(ev):
    found = plan(
        ev, ["weight_fp8", "weight_int4", "smaller_model", "model_routing", "mesh_ambient"]
    )
    assert [step.id for step in found.steps] == ["weight_fp8", "smaller_model"]
    assert [(r.id, r.reason, r.other) for r in found.refused] == [
        ("weight_int4", "conflicts", "weight_fp8"),
        ("model_routing", "subsumed", "smaller_model"),
        ("mesh_ambient", "stage_absent", ""),
    ]


def test_a_plan_of_one_saves_what_its_finding_saves(ev):
    finding = next(f for f in rank(ev) if f.id == "weight_fp8")
    assert plan(ev, ["weight_fp8"]).saving_ns.typical == finding.saving_ns.typical


def test_an_empty_plan_changes_nothing(ev):
    found = plan(ev, [])
    assert found.current_ns == found.predicted_ns == 200 * MS
    assert found.steps == ()


def test_an_unknown_technique_is_refused(ev):
    with pytest.raises(UserError, match="technique's id"):
        plan(ev, ["nothing"])
