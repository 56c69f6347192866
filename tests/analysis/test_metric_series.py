import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.metric_series import metric_rows, quantile

SECOND = 10**9


def point(time_s=None, name="m", kind="gauge", labels="{}", buckets=(), flags=(), **numbers):
    columns = {"value": None, "count": None, "sum": None, **numbers}
    return {
        "name": name,
        "labels": labels,
        "kind": kind,
        "unit": "s",
        "time_ns": None if time_s is None else time_s * SECOND,
        "buckets": json.dumps(buckets),
        "flags": list(flags),
        **columns,
    }


def one(*points):
    (row,) = metric_rows(pd.DataFrame(points))
    return row


def test_a_histogram_without_inf_bucket_gives_median_mean_and_a_bound():
    buckets = [[0.1, 2], [0.5, 6], [1, 8], ["+Inf", 10]]
    row = one(
        point(kind="histogram", count=10, sum=9.5, buckets=buckets, flags=["inf_bucket_missing"])
    )
    assert row["p50"] == pytest.approx(0.4)
    assert row["p90"] == 1
    assert row["mean"] == 0.95
    assert row["overflow"] is True
    assert row["over"] == ["p90", "p99"]
    assert row["flags"] == ["inf_bucket_missing", "overflow"]
    assert row["rate"] is None


def counter(*values, step=15):
    return [point(step * at, kind="counter", value=value) for at, value in enumerate(values)]


def test_a_counter_that_restarts_never_falls():
    row = one(*counter(100, 130, 160, 10, 40, 70))
    assert row["increase"] == 130
    assert row["rate"] == pytest.approx(130 / 75)
    assert row["flags"] == ["counter_reset"]


def test_points_in_any_order_and_twice_say_the_same():
    points = counter(1, 3, 7)
    assert one(*points[::-1], *points) == one(*points)
    assert one(*points)["points"] == 3


def test_a_single_counter_point_has_no_rate():
    assert [one(*counter(42, 43))[name] for name in ("first", "last")] == [42, 43]
    row = one(*counter(42))
    assert (row["points"], row["increase"], row["rate"]) == (1, None, None)


def test_delta_counters_are_summed():
    points = [point(at, kind="counter", value=5, flags=["delta"]) for at in range(3)]
    assert one(*points)["increase"] == 10


def test_series_are_told_apart_by_name_and_labels():
    points = [point(0, value=1), point(0, labels='{"a":"1"}', value=2), point(0, name="n", value=3)]
    rows = metric_rows(pd.DataFrame(points))
    found = [(row["name"], row["labels"], row["mean"]) for row in rows]
    assert found == [("m", {"a": "1"}, 2), ("m", {}, 1), ("n", {}, 3)]


def test_a_gauge_is_described_over_its_points():
    row = one(*(point(at, value=value) for at, value in enumerate([0, 10, 20])))
    assert (row["mean"], row["p50"], row["p90"]) == (10, 10, 18)
    assert one(point(0, kind="unknown", value=None))["mean"] is None


def histogram(time_s, small, count, total):
    buckets = [[1, small], [2, count], ["+Inf", count]]
    return point(time_s, kind="histogram", count=count, sum=total, buckets=buckets)


def test_several_points_of_a_histogram_speak_of_what_came_between():
    row = one(histogram(0, 100, 100, 50), histogram(10, 100, 110, 65))
    assert (row["mean"], row["increase"], row["rate"]) == (1.5, 10, 1)
    assert row["p50"] == pytest.approx(1.5)


def test_a_histogram_that_restarts_counts_from_its_new_beginning():
    row = one(histogram(0, 90, 100, 50), histogram(10, 4, 4, 2), histogram(20, 6, 6, 3))
    assert (row["increase"], row["mean"]) == (6, 0.5)
    assert row["flags"] == ["counter_reset"]


def test_nothing_observed_is_null_and_not_zero():
    row = one(histogram(0, 5, 5, 5), histogram(10, 5, 5, 5))
    assert (row["mean"], row["p50"], row["rate"]) == (None, None, 0)


def test_summaries_give_the_quantiles_that_they_carry():
    row = one(point(kind="summary", count=4, sum=8, buckets=[[0.5, 1.5], [0.99, 9]]))
    assert (row["mean"], row["p50"], row["p90"], row["p99"]) == (2, 1.5, None, 9)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.floats(0.01, 0.99))
def test_a_quantile_lies_within_its_buckets_or_says_so(counts, share):
    buckets, total = {}, 0
    for bound, count in enumerate(counts, 1):
        total += count
        buckets[float(bound)] = float(total)
    buckets[float("inf")] = float(total + 1)
    value, over = quantile(buckets, share)
    assert 0 <= value <= len(counts)
    assert over == (share * (total + 1) > total)
