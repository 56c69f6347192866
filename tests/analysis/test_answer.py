"""The claim is the strongest that the figures carry."""

from test_attribution import frame

from analysis.answer import longest_stage, of_request, overview, unusual


def queueing(slow_share):
    rows = [(1_000 + i, {"decode": 900}) for i in range(90)]
    rows += [
        (4_000 + i, {"decode": 900, "request_queue": int(3000 * slow_share)}) for i in range(10)
    ]
    return frame(rows)


def test_a_stage_that_grows_in_the_tail_is_named_with_both_shares():
    said = overview(queueing(1.0))
    assert (said.id, said.figures["stage"]) == ("tail_differs", "request_queue")
    assert said.figures["base_share"] == 0
    assert 0.3 < said.figures["share"] < 0.8


def test_where_nothing_grows_the_longest_stage_is_named_at_both_ends():
    said = overview(frame([(1_000 + i, {"decode": 700, "prefill": 250}) for i in range(60)]))
    assert (said.id, said.figures["stage"]) == ("same_everywhere", "decode")
    assert said.figures["rest_share"] < said.figures["share"]


def test_mostly_unattributed_time_blames_nobody():
    assert overview(frame([(1_000 + i, {"decode": 300}) for i in range(60)])).id == "weak_data"


def test_under_twenty_requests_no_percentile_is_claimed():
    said = overview(frame([(100 * (i + 1), {"retrieval": 60 * (i + 1)}) for i in range(9)]))
    assert said.id == "too_few"
    assert said.figures == {"count": 9, "slowest_ns": 900, "stage": "retrieval", "stage_ns": 540}


def test_a_single_request_is_told_as_one():
    assert overview(frame([(100, {"decode": 80})])).id == "one_request"


def test_nothing_and_only_bounds_are_told_apart():
    assert overview(frame([(1, {})]).iloc[:0]).id == "nothing_matches"
    assert overview(frame([(1, {}, {"excluded": True})])).id == "all_left_out"


def test_without_a_first_token_ttft_is_refused():
    rows = frame([(100, {})] * 30).assign(ttft_ns=None)
    said = overview(rows, "ttft")
    assert (said.id, said.figures) == ("no_ttft", {"count": 30})


def test_a_request_is_told_by_the_stage_furthest_beyond_its_usual():
    usual = [
        {"stage": "request_queue", "p50_ns": 60, "p95_ns": 100, "n": 40},
        {"stage": "decode", "p50_ns": 900, "p95_ns": 1500, "n": 40},
    ]
    said = of_request(3000, {"request_queue": 1800, "decode": 1200}, usual)
    assert (said.id, said.figures["stage"], said.figures["ratio"]) == (
        "request_stage_unusual", "request_queue", 30,
    )  # fmt: skip
    said = of_request(1000, {"request_queue": 90, "decode": 910}, usual)
    assert (said.id, said.figures["stage"]) == ("request_stage", "decode")


def test_few_peers_make_no_usual():
    assert not unusual(500, {"p50_ns": 10, "p95_ns": 20, "n": 19})
    assert unusual(500, {"p50_ns": 10, "p95_ns": 20, "n": 20})


def test_the_longest_stage_of_a_request_is_found():
    assert longest_stage(frame([(100, {"tools": 70})]).iloc[0]) == ("tools", 70)
