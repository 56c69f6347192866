"""The stages of many requests by either aggregate."""

import pytest
from builders import MS, spans
from stores_of_files import empty_store, export, imported

from analysis.derive import derive
from analysis.errors import UserError
from analysis.shared_path import shared
from data.filters import Filters
from services.breakdown import break_down, largest_difference
from services.opening import SAMPLE
from services.trees import trees

BOTH = ("a . web server 0 100 chat", "b a web client 0 60 SELECT", "c a web client 40 100 GET")


@pytest.fixture(scope="module")
def store():
    from services.imports import Source

    opened = empty_store()
    imported(opened, Source(SAMPLE.name, SAMPLE))
    yield opened
    opened.close()


@pytest.fixture
def overlapping(tmp_path):
    opened = empty_store()
    queries = {"attributes": {"db.system.name": "postgresql"}}
    cache = {"attributes": {"url.full": "http://elsewhere.example.com/x"}}
    imported(opened, export(tmp_path, "one.json", spans(*BOTH, b=queries, c=cache)))
    yield opened
    opened.close()


def stages(answer):
    return {row["stage"]: row["mean_ns"] for row in answer["stages"] if row["mean_ns"]}


def test_the_two_aggregates_differ_where_siblings_overlap(overlapping):
    path = break_down(overlapping, Filters())
    split = break_down(overlapping, Filters(), aggregate="shared")
    assert (path["aggregate"], split["aggregate"]) == ("path", "shared")
    assert sorted(stages(path).values()) == [40 * MS, 60 * MS]
    assert sorted(stages(split).values()) == [50 * MS, 50 * MS]
    assert stages(path).keys() == stages(split).keys()


@pytest.mark.parametrize("objective", ["e2e", "ttft"])
@pytest.mark.parametrize("band", ["all", "p95", "slo"])
def test_both_aggregates_have_one_mean_and_add_up_to_it(store, objective, band):
    path, split = (
        break_down(store, Filters(), objective, band, slo_ns=4_000 * MS, aggregate=aggregate)
        for aggregate in ("path", "shared")
    )
    assert sum(stages(split).values()) == split["mean_ns"] == path["mean_ns"]
    assert (stages(split) != stages(path)) == (objective == "e2e")  # all in turn before the token
    for name in ("requests", "excluded", "band_requests", "p50_ns", "p95_ns", "low_ns", "high_ns"):
        assert split[name] == path[name]


def test_every_group_is_split_for_itself(store):
    groups = break_down(store, Filters(), band="p95", by="service", aggregate="shared")["groups"]
    assert len(groups) > 1
    for group in groups:
        alone = break_down(store, Filters(services=(group["key"],)), band="p95", aggregate="shared")
        assert stages(group) == stages(alone)


def test_stored_trees_give_what_freshly_derived_ones_give(store):
    roots = trees(store, Filters())
    answers = store.query("latency", Filters())
    assert set(roots) == set(zip(answers.trace_id, answers.root_key, strict=True))
    for row in answers.head(40).itertuples():
        split = shared(roots[row.trace_id, row.root_key])
        assert sum(split.values()) == row.e2e_ns
        again = derive(store.records(row.trace_id), store.rules).requests.to_pylist()
        assert row.e2e_ns in [request["e2e_ns"] for request in again]


def test_an_empty_store_has_no_stages_by_either_aggregate():
    opened = empty_store()
    for by in (None, "model"):
        answer = break_down(opened, Filters(), by=by, aggregate="shared")
        assert (answer["groups"] == []) if by else (answer["mean_ns"] is None)
    opened.close()


def test_an_unknown_aggregate_or_grouping_is_the_users_error(store):
    with pytest.raises(UserError, match="path, shared"):
        break_down(store, Filters(), aggregate="mean")
    with pytest.raises(UserError, match="minute"):
        break_down(store, Filters(), by="moon")


def test_the_largest_difference_names_its_stage_and_both_figures(overlapping):
    both = [break_down(overlapping, Filters(), aggregate=name) for name in ("path", "shared")]
    found = largest_difference(*both)
    assert abs(found["path_ns"] - found["shared_ns"]) == 10 * MS
    assert stages(both[0])[found["stage"]] == found["path_ns"]
    assert stages(both[1])[found["stage"]] == found["shared_ns"]
    nothing = [{"stages": []}, {"stages": []}]
    assert largest_difference(*nothing) is None


def test_hours_come_in_order_and_hold_the_minutes(store):
    hours, minutes = (break_down(store, Filters(), by=by)["groups"] for by in ("hour", "minute"))
    keys = [group["key"] for group in minutes]
    assert keys == sorted(keys)
    assert {key // 3_600_000_000_000 * 3_600_000_000_000 for key in keys} == {
        group["key"] for group in hours
    }
    assert sum(g["requests"] for g in hours) == sum(g["requests"] for g in minutes)
