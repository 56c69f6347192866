"""A store of metrics alone answers a breakdown with means, and says what that leaves open."""

import json

import pytest
from builders import spans
from stores_of_files import empty_store, export, imported

from data.filters import Filters
from reports.metered_text import breakdown_text
from services.breakdown import break_down
from services.imports import Source
from services.ranking import rank_all
from services.scope import Scope

VLLM = """# TYPE vllm:{0} histogram
vllm:{0}_bucket{{engine="0",le="1"}} {3}
vllm:{0}_bucket{{engine="0",le="+Inf"}} {1}
vllm:{0}_sum{{engine="0"}} {2}
vllm:{0}_count{{engine="0"}} {1}
"""
SUMS = {
    "e2e_request_latency_seconds": (40, 80, 30),
    "request_queue_time_seconds": (40, 20, 38),
    "request_prefill_time_seconds": (40, 10, 40),
    "request_decode_time_seconds": (40, 46, 31),
    "time_to_first_token_seconds": (44, 35, 40),
}


@pytest.fixture
def store(tmp_path):
    text = "".join(VLLM.format(name, *held) for name, held in SUMS.items())
    (tmp_path / "scrape.txt").write_text(text)
    opened = empty_store()
    imported(opened, Source("scrape.txt", tmp_path / "scrape.txt"))
    yield opened
    opened.close()


def stages(answer):
    return {row["stage"]: row["mean_ns"] for row in answer["stages"] if row["mean_ns"]}


def test_metrics_alone_answer_with_means_and_no_request(store):
    found = break_down(store, Filters())
    assert json.loads(json.dumps(found)) == found
    assert (found["basis"], found["what"], found["requests"]) == ("metrics", "means", 0)
    assert found["mean_ns"] == sum(stages(found).values()) == 2_000_000_000
    assert stages(found)["request_queue"] == 500_000_000
    assert (found["p95_ns"], found["bounds"]["p95"]) == (None, [1_000_000_000, None])


def test_a_first_token_that_more_requests_reached_stands_beside_the_pie(store):
    (first,) = [t for t in break_down(store, Filters())["totals"] if t["role"] == "ttft"]
    assert (first["count"], first["mean_ns"]) == (44, round(35 / 44 * 1e9))


def test_a_request_that_comes_takes_the_place_of_the_means(store, tmp_path):
    imported(store, export(tmp_path, "one.json", spans("a . web server 0 100 chat")))
    found = break_down(store, Filters())
    assert (found["basis"], found["requests"]) == ("traces", 1)
    assert break_down(store, Filters(routes=("none",)))["basis"] == "traces"


@pytest.mark.parametrize("asked", [{"band": "p95"}, {"objective": "ttft"}])
def test_what_means_do_not_hold_stays_empty(store, asked):
    assert break_down(store, Filters(), **asked)["mean_ns"] is None


def test_the_terminal_says_the_basis_and_what_cannot_be_told(store):
    said = breakdown_text(break_down(store, Filters()))
    assert said.startswith("means from metrics, no per-request detail")
    assert "Mean of 40 requests that vLLM counted · adds up to 2.00" in said
    assert "metrics hold no single request" in said
    assert "p95 over 1" in said


def test_the_ranking_carries_the_gauges_of_the_stage_that_is_freed(store, tmp_path):
    (tmp_path / "gauge.txt").write_text("# TYPE vllm:num_requests_waiting gauge\n"
                                        "vllm:num_requests_waiting 38\n")  # fmt: skip
    imported(store, Source("gauge.txt", tmp_path / "gauge.txt"))
    imported(store, export(tmp_path, "one.json", spans("a . web server 0 100 chat")))
    rows = {row["id"]: row for row in rank_all(store, Scope())}
    (sign,) = rows["autoscale_queue"]["signs"]
    assert (sign["cause"], sign["mean"], sign["most"]) == ("waiting", 38, 38)
    assert rows["prompt_trim"]["signs"] == []


def test_a_loaded_engine_leaves_its_running_requests_out(shared):
    opened = empty_store()
    path = shared / "real" / "prometheus" / "vllm_0.25.1_loaded.txt"
    imported(opened, Source(path.name, path))
    found = break_down(opened, Filters())
    held = {stage: round(ns / 1e6) for stage, ns in stages(found).items()}
    assert held == {"request_queue": 31, "prefill": 61, "decode": 1548, "unattributed": 26}
    assert (found["counted"], found["mean_ns"]) == (600, round(999.2306158542633 / 600 * 1e9))
    (first,) = [t for t in found["totals"] if t["role"] == "ttft"]
    assert first["count"] == 664
