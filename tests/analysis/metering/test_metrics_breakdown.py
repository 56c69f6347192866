"""A pie from metrics alone: sums over counts, nothing twice, and what cannot be told."""

import pytest
from metric_points import frame, point, times

from analysis.metering.breakdown import DOUBTS, metrics_breakdown
from analysis.metering.measuring import measured, percentile_bounds
from words import metric_words

MS = 1_000_000
VLLM = "vllm:{}_seconds"


def vllm(count=10, at=None, scale=1.0, labels=None, **others):
    sums = {"e2e_request_latency": 20, "request_queue_time": 2, "request_inference_time": 17,
            "request_prefill_time": 5, "request_decode_time": 12}  # fmt: skip
    return [
        times(VLLM.format(name), count, total * scale, at=at, labels=labels, **others)
        for name, total in sums.items()
    ]


def stages(found):
    return {row["stage"]: row["mean_ns"] for row in found["stages"] if row["mean_ns"]}


def told(*points):
    found = metrics_breakdown(frame(*points))
    assert sum(stages(found).values()) == found["mean_ns"]
    return found


def test_nested_families_are_added_once_and_the_rest_is_shown():
    found = told(*vllm())
    assert stages(found) == {
        "request_queue": 200 * MS, "prefill": 500 * MS, "decode": 1200 * MS,
        "unattributed": 100 * MS,
    }  # fmt: skip
    assert (found["mean_ns"], found["counted"]) == (2000 * MS, 10)
    assert {"per_request", "tail", "since_start", "remainder"} == set(found["cannot_tell"])


def test_the_inference_is_undivided_without_its_parts():
    found = told(*[p for p in vllm() if "prefill" not in p["name"] and "decode" not in p["name"]])
    assert stages(found)["model"] == 1700 * MS


def test_between_two_scrapes_only_their_growth_counts():
    found = told(*vllm(at=100), *vllm(count=14, at=160, scale=2.0))
    assert (found["counted"], found["mean_ns"]) == (4, 5000 * MS)
    assert found["window"] == {
        "first_ns": 100 * 10**9, "last_ns": 160 * 10**9, "since_start": False,
    }  # fmt: skip
    assert "since_start" not in found["cannot_tell"]


def test_after_a_restart_the_new_values_are_the_growth():
    found = told(*vllm(count=50, at=1, scale=9.0), *vllm(count=10, at=2))
    assert (found["counted"], found["mean_ns"]) == (10, 2000 * MS)
    assert "counter_reset" in found["cannot_tell"]


def test_two_scrapes_without_a_time_follow_their_imports():
    found = told(*vllm(count=14, scale=2.0, seen=9), *vllm(seen=5))
    assert (found["counted"], found["mean_ns"]) == (4, 5000 * MS)
    assert "counter_reset" not in found["cannot_tell"]
    assert found["window"]["first_ns"] is None


@pytest.mark.parametrize(
    ("one", "other", "counted"),
    [
        ({"instance": "a"}, {"instance": "b"}, 20),
        ({"instance": "a", "prometheus_replica": "0"},
         {"instance": "a", "prometheus_replica": "1"}, 10),
        ({"instance": "a", "job": "vllm", "model_name": "m"}, {"model_name": "m"}, 10),
        ({"instance": "a", "model_name": "m"}, {"model_name": "n"}, 20),
        ({}, {}, 10),
    ],
)  # fmt: skip
def test_a_process_counts_once_however_often_it_was_scraped(one, other, counted):
    found = told(*vllm(labels=one), *vllm(labels=other))
    assert (found["counted"], found["mean_ns"]) == (counted, 2000 * MS)
    assert ("copies" in found["cannot_tell"]) == (counted == 10 and one != {})


def test_parts_that_counted_other_requests_stand_apart():
    shifted = [p | {"count": 20} if "queue" in p["name"] else p for p in vllm()]
    found = told(*shifted)
    assert "request_queue" not in stages(found)
    assert [t["family"] for t in found["totals"] if t["role"] == "part" and t["count"] == 20] == [
        "vllm:request_queue_time_seconds"
    ]
    assert "counts_differ" in found["cannot_tell"]


def test_parts_longer_than_their_whole_are_said_and_not_negative():
    longer = [p | {"sum": 3} if "prefill" in p["name"] else p for p in vllm()]
    longer = [p | {"sum": 18} if "decode" in p["name"] else p for p in longer]
    found = told(*longer)
    assert "parts_exceed" in found["cannot_tell"]
    assert found["mean_ns"] == 2300 * MS


@pytest.mark.parametrize(
    ("unit", "scale"), [("s", 1), ("ms", 1_000), ("us", 1_000_000), ("ns", 1_000_000_000)]
)
def test_a_declared_unit_goes_before_the_familys(unit, scale):
    found = told(times("gen_ai.server.request.duration", 4, 2 * scale, unit=unit))
    assert stages(found) == {"model": 500 * MS}
    assert {"undivided", "measured_where"} <= set(found["cannot_tell"])


def test_tritons_sums_are_divided_by_its_counter_of_requests():
    sums = {"request": 900, "queue": 300, "compute_input": 50, "compute_infer": 500,
            "compute_output": 50}  # fmt: skip
    rows = [
        point(f"nv_inference_{n}_duration_us", "counter", value=v * 1e3) for n, v in sums.items()
    ]
    found = told(*rows, point("nv_inference_request_success", "counter", value=3))
    assert stages(found) == {
        "request_queue": 100 * MS, "pre_post_processing": 33_333_334, "model": 166_666_667,
    }  # fmt: skip


def test_a_first_token_divides_where_nothing_else_does():
    sums = {"e2e_request_latency": 10, "time_to_first_token": 4, "queue_time": 1}
    rows = [times(f"sglang:{name}_seconds", 5, total) for name, total in sums.items()]
    assert stages(told(*rows)) == {"request_queue": 200 * MS, "prefill": 600 * MS,
                                   "decode": 1200 * MS}  # fmt: skip
    without = told(*rows[:2])
    assert stages(without) == {"model": 800 * MS, "decode": 1200 * MS}
    assert "queue_in_first_token" in without["cannot_tell"]


def test_an_engine_lies_inside_the_gateway_that_counted_the_same_requests():
    gateway = [times("litellm_request_total_latency_metric", 10, 25),
               times("litellm_overhead_latency_metric", 10, 1),
               times("litellm_llm_api_latency_metric", 10, 23)]  # fmt: skip
    found = told(*gateway, *vllm())
    assert found["emitters"] == ["litellm", "vllm"]
    assert stages(found) == {
        "api_gateway": 100 * MS, "internal_network": 300 * MS, "request_queue": 200 * MS,
        "prefill": 500 * MS, "decode": 1200 * MS, "unattributed": 200 * MS,
    }  # fmt: skip
    assert "layers_by_count" in found["cannot_tell"]


def test_layers_with_other_counts_stay_separate():
    gateway = times("inference_objective_request_duration_seconds", 30, 75)
    found = told(gateway, *vllm())
    assert (found["emitters"], [o["emitters"] for o in found["others"]]) == (["vllm"], [["llm_d"]])
    assert "several" in found["cannot_tell"]


def test_istio_subtracts_what_the_called_proxy_saw_from_what_the_calling_one_saw():
    name = "istio_request_duration_milliseconds"
    found = told(*(times(name, 4, total, labels={"reporter": side})
                   for side, total in (("source", 400), ("destination", 360))))  # fmt: skip
    assert stages(found) == {"mesh_sidecar": 10 * MS, "unattributed": 90 * MS}


def test_a_percentile_is_the_bounds_of_its_bucket():
    buckets = [[0.3, 6], [0.5, 9], ["Infinity", 10]]
    found = told(*vllm(buckets=buckets))
    assert found["bounds"] == {
        "p50": [0, 300 * MS], "p95": [500 * MS, None], "p99": [500 * MS, None],
    }  # fmt: skip


def test_histograms_with_other_bounds_share_only_the_common_ones():
    one, other = {0.1: 5, 1.0: 10, float("inf"): 10}, {0.5: 5, 1.0: 10, float("inf"): 10}
    assert percentile_bounds([one, other], 10**9)["p50"] == (0, 10**9)


def test_a_series_that_ended_early_counts_and_is_said():
    one = {"instance": "a"}
    found = told(*vllm(at=0, labels=one), *vllm(count=20, at=60, scale=2.0, labels=one),
                 *vllm(at=0, labels={"instance": "b"}),
                 *vllm(count=20, at=900, scale=2.0, labels={"instance": "b"}))  # fmt: skip
    assert "stale" in found["cannot_tell"]


def test_a_series_of_one_point_beside_longer_ones_is_left_out_and_counted():
    one, other = {"instance": "a"}, {"instance": "b"}
    rows = [*vllm(at=0, labels=one), *vllm(count=20, at=60, scale=2.0, labels=one),
            *vllm(at=60, labels=other)]  # fmt: skip
    assert told(*rows)["counted"] == 10
    assert {row.single for row in measured(frame(*rows))} == {1}


def test_gauges_are_evidence_and_no_time():
    rows = [
        point("vllm:kv_cache_usage_perc", "gauge", at=t, value=v) for t, v in ((1, 0.5), (2, 1.0))
    ]
    (cause,) = told(*vllm(), *rows)["causes"]
    assert (cause["cause"], cause["mean"], cause["most"]) == ("kv_cache_use", 0.75, 1.0)


def test_metrics_that_time_no_request_make_no_pie():
    assert metrics_breakdown(frame(point("vllm:num_requests_running", "gauge", value=1.0))) is None
    assert metrics_breakdown(frame()) is None


def test_buckets_that_hold_another_number_than_was_counted_give_no_percentile():
    found = told(*vllm(buckets=[[0.3, 3], ["Infinity", 3]]))
    assert found["bounds"] == {}
    assert "buckets_disagree" in found["cannot_tell"]


def test_each_doubt_has_its_sentence():
    assert len(set(metric_words.cannot_tell(DOUBTS))) == len(DOUBTS)
