"""A band's slices are means of whole requests and add up."""

import numpy as np
import pandas as pd
import pytest

from analysis.attribution import (
    apportioned,
    band_slice,
    breakdown,
    grouped,
    members,
    percentile_ns,
    share_within,
)
from analysis.errors import UserError
from analysis.stages import stage_columns


def frame(rows):
    """(e2e, {stage: ns}, other columns) per request; the rest of e2e is unattributed."""
    made = []
    for i, (total, stages, *more) in enumerate(rows):
        row = dict.fromkeys(stage_columns(), 0) | {"unattributed_ns": total - sum(stages.values())}
        row |= {f"{stage}_ns": ns for stage, ns in stages.items()}
        row |= {"trace_id": f"{i:04}", "root_key": "r", "start_ns": i, "e2e_ns": total}
        made.append(row | {"excluded": False, "model": "m"} | (more[0] if more else {}))
    return pd.DataFrame(made)


def by_stage(parts):
    return {s.stage: s.mean_ns for s in parts.stages if s.mean_ns}


def test_the_slices_of_a_band_add_up_to_its_mean_to_the_nanosecond():
    rng = np.random.default_rng(3)
    rows = []
    for total in rng.integers(1_000, 9_000_000_000, 203):
        decode = int(rng.integers(0, total))
        rows.append((int(total), {"decode": decode, "prefill": (int(total) - decode) // 3}))
    for band in ("all", "p50", "p95", "p99", "tail"):
        parts = breakdown(frame(rows), band=band)
        assert sum(s.mean_ns for s in parts.stages) == parts.mean_ns
        assert sum(s.share for s in parts.stages) == pytest.approx(1)


def test_a_band_is_the_mean_of_its_requests_not_a_mean_of_ratios():
    parts = breakdown(frame([(100, {"decode": 100}), (300, {"prefill": 300})]))
    assert parts.mean_ns == 200
    assert by_stage(parts) == {"decode": 50, "prefill": 150}
    assert {s.stage: s.share for s in parts.stages if s.share} == {"decode": 0.25, "prefill": 0.75}


def test_a_percentile_band_is_widened_to_twenty_requests():
    assert band_slice(1000, "p95") == (940, 960)
    assert band_slice(100, "p95") == (80, 100)
    assert band_slice(100, "p50") == (40, 60)
    assert band_slice(7, "p99") == (0, 7)
    assert band_slice(1000, "tail") == (900, 1000)


def test_the_width_that_a_band_really_has_is_told():
    parts = breakdown(frame([(i + 1, {}) for i in range(100)]), band="p95")
    assert (parts.band_requests, parts.low, parts.high) == (20, 0.8, 1.0)
    assert (parts.low_ns, parts.high_ns) == (81, 100)


def test_excluded_requests_count_beside_and_not_in():
    rows = [(100, {}), (900, {}, {"excluded": True})]
    parts = breakdown(frame(rows))
    assert (parts.requests, parts.excluded, parts.mean_ns, parts.p99_ns) == (1, 1, 100, 100)


def test_nothing_left_gives_no_figure_rather_than_zero():
    parts = breakdown(frame([(900, {}, {"excluded": True})]))
    assert (parts.requests, parts.mean_ns, parts.p50_ns, parts.stages) == (0, None, None, ())


def test_percentiles_interpolate_between_neighbours():
    assert percentile_ns(np.array([10, 20, 30, 40]), 50) == 25
    assert percentile_ns(np.array([]), 50) is None


def test_the_ttft_breakdown_leaves_out_requests_without_a_first_token():
    rows = frame([(100, {"decode": 60}), (200, {})])
    ttft = {name: [0, None] for name in stage_columns("ttft_")} | {"ttft_prefill_ns": [40, None]}
    rows = rows.assign(ttft_ns=pd.array([40, None], dtype="Int64"), **ttft)
    parts = breakdown(rows, "ttft")
    assert (parts.requests, parts.excluded, by_stage(parts)) == (1, 1, {"prefill": 40})


def test_the_slo_band_holds_what_lies_over_the_slo():
    rows = frame([(i, {}) for i in (10, 20, 30)])
    assert list(members(rows, "e2e", "slo", 20)["e2e_ns"]) == [30]
    assert share_within(rows, "e2e", 20) == pytest.approx(2 / 3)
    with pytest.raises(UserError, match="an SLO"):
        members(rows, "e2e", "slo", None)


@pytest.mark.parametrize(("objective", "band"), [("latency", "all"), ("e2e", "p42")])
def test_an_unknown_objective_or_band_is_the_users_fault(objective, band):
    with pytest.raises(UserError, match="expected"):
        breakdown(frame([(1, {})]), objective, band)


def test_groups_stand_largest_first_and_missing_values_are_a_group():
    rows = [(10, {}, {"model": "a"}), (20, {}, {"model": None}), (30, {}, {"model": "a"})]
    groups = grouped(frame(rows), "model", "e2e", "all", None)
    assert [(key, parts.mean_ns) for key, parts in groups] == [("a", 20), (None, 20)]


def test_rounding_is_given_to_the_largest_remainders():
    assert apportioned([1, 1, 1], 2) == [1, 1, 0]
    assert apportioned([10, 20], 10) == [1, 2]
    assert sum(apportioned([7, 7, 7, 7], 3)) == round(28 / 3)
