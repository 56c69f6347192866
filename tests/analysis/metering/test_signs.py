"""Gauges and counters stand beside a stage as evidence, never as time."""

import pytest
from metric_points import frame, point

from analysis.metering.measuring import measured
from analysis.metering.signs import CAUSES_OF, of_stage, signs
from analysis.stages import STAGES
from words import metric_words


def shown(*points):
    return [
        metric_words.sign(row).replace("\u202f", " ") for row in signs(measured(frame(*points)))
    ]


@pytest.mark.parametrize("end", ["", "_total"])
def test_a_counter_shows_what_it_grew_by_over_a_restart(end):
    name = f"vllm:num_preemptions{end}"
    rows = [point(name, "counter", at=t, value=v) for t, v in ((1, 5), (2, 9), (3, 2))]
    assert shown(*rows) == ["vllm:num_preemptions: 6 more over the points"]
    assert shown(rows[0]) == ["vllm:num_preemptions: 5 since the process began"]


def test_hits_are_shown_as_a_share_of_the_queries():
    rows = [point("vllm:prefix_cache_queries_total", "counter", value=400.0),
            point("vllm:prefix_cache_hits_total", "counter", value=100.0)]  # fmt: skip
    assert shown(*rows) == ["vllm:prefix_cache_hits: 25 % of vllm:prefix_cache_queries"]


def test_a_gauge_shows_its_mean_and_its_highest_point():
    rows = [
        point("vllm:kv_cache_usage_perc", "gauge", at=t, value=v) for t, v in ((1, 0.5), (2, 0.9))
    ]
    assert shown(*rows) == ["vllm:kv_cache_usage_perc: 70 % in the mean, at most 90 %"]


def test_each_stage_gets_the_signs_that_speak_of_it():
    assert set(CAUSES_OF) <= set(STAGES)
    found = signs(measured(frame(point("vllm:num_requests_waiting", "gauge", value=3.0))))
    assert len(of_stage(found, "request_queue")) == 1
    assert of_stage(found, "prefill") == []
    assert of_stage(found, "app_logic") == []


def test_one_value_is_said_once():
    assert shown(point("vllm:num_requests_waiting", "gauge", value=38.0)) == [
        "vllm:num_requests_waiting: 38"
    ]
    assert shown(point("vllm:num_requests_waiting", "gauge", value=0.4)) == [
        "vllm:num_requests_waiting: 0.4"
    ]
