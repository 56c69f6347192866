from builders import MS, T0
from cleaned import STREAM, cleaned, link, ms

SKEWED = ("c . web client 0 100 call-engine", "s c engine server -200 -140 infer")


def test_a_server_before_its_client_moves_by_the_smallest_shift_that_fits():
    found = cleaned(*SKEWED)
    assert ms(found["s"]) == (0, 60)
    assert found["s"].flags == {"skew_corrected": 200 * MS}
    assert found["s"].raw_start == T0 - 200 * MS
    assert found["c"].flags == {}


def test_without_correction_the_server_lies_outside_its_parent():
    found = cleaned(*SKEWED, correct=False)
    assert ms(found["s"]) == (-200, -140)
    assert found["s"].flags == {"outside_parent": 200 * MS}
    assert found["s"].blocking
    late = cleaned("c . web client 0 100 x", "s c engine server 300 360 y", correct=False)
    assert late["s"].flags == {"outside_parent": 260 * MS}


def test_a_clock_that_runs_ahead_is_set_back_and_its_events_and_descendants_with_it():
    found = cleaned(
        "c . web client 0 100 call",
        "s c engine server 300 360 infer",
        "d s engine internal 310 320 step",
        s={"events": [{"name": "e", "time_ns": T0 + 305 * MS, "attributes": {}}]},
    )
    assert (ms(found["s"]), ms(found["d"])) == ((40, 100), (50, 60))
    assert found["s"].events[0].time_ns == T0 + 45 * MS
    assert found["d"].flags == {"skew_corrected": -260 * MS}


def test_an_overrun_of_a_millisecond_or_a_hundredth_is_clipped_and_not_shifted():
    found = cleaned("c . web client 0 10 call", "s c engine server -1 5 infer")
    assert found["s"].flags == {"outside_parent": MS}
    long = cleaned("c . web client 0 1000 call", "s c engine server 500 1010 infer")
    assert long["s"].flags == {"outside_parent": 10 * MS}
    more = cleaned("c . web client 0 1000 call", "s c engine server 500 1011 infer")
    assert more["s"].flags == {"skew_corrected": -11 * MS}


def test_one_shift_serves_all_calls_between_two_clocks():
    found = cleaned(
        "r . web server 0 1000 chat",
        "c r web client 10 100 one",
        "s c engine server -150 -100 one",
        "d r web client 200 260 two",
        "t d engine server 41 99 two",
        "e r web client 400 900 three",
        "u e engine server 300 310 three",
    )
    # alone they would move by 160, 159 and 100; all three fit from 160 to 161
    shifts = {found[name].flags["skew_corrected"] for name in "stu"}
    assert shifts == {160 * MS}


def test_where_no_shift_fits_all_calls_each_is_shifted_alone():
    found = cleaned(
        "r . web server 0 1000 chat",
        "c r web client 10 100 one",
        "s c engine server -150 -100 one",
        "d r web client 200 260 two",
        "t d engine server 250 300 two",
    )
    assert found["s"].flags == {"skew_corrected": 160 * MS}
    assert found["t"].flags == {"skew_corrected": -40 * MS}


def test_spans_of_one_host_share_a_clock_whatever_their_services():
    same = {"host": "node-1"}
    lines = ("c . web client 0 100 call", "s c engine server -200 -140 infer")
    found = cleaned(*lines, c=same, s=same)
    assert found["s"].flags == {"outside_parent": 200 * MS}
    other = cleaned(*lines, c=same, s={"host": "node-2"})
    assert other["s"].flags == {"skew_corrected": 200 * MS}


def test_spans_of_one_service_share_a_clock_where_one_names_no_host():
    lines = ("c . web client 0 100 call", "s c web server -200 -140 infer")
    assert "skew_corrected" not in cleaned(*lines, c={"host": "node-1"})["s"].flags
    hosts = {"c": {"host": "node-1"}, "s": {"host": "node-2"}}
    assert "skew_corrected" in cleaned(*lines, **hosts)["s"].flags


def test_a_child_that_would_not_fit_is_not_shifted():
    found = cleaned("c . web client 0 100 call", "s c engine server -200 -50 infer")
    assert found["s"].flags == {"outside_parent": 200 * MS}


def test_a_stream_longer_than_its_client_is_shifted_until_it_starts_inside():
    lines = ("c . web client 0 50 call", "s c engine server -20 830 infer")
    found = cleaned(*lines, s=STREAM)
    assert (ms(found["s"]), ms(found["c"])) == ((0, 850), (0, 850))
    assert found["c"].flags == {"root_ended_early": 800 * MS}


def test_more_than_five_minutes_is_no_clock_that_we_set():
    off = 300_001
    found = cleaned("c . web client 0 100 call", f"s c engine server -{off} -{off - 60} infer")
    assert found["s"].flags == {"skew_over_limit": off * MS, "outside_parent": off * MS}
    assert found["s"].parent is found["c"]
    limit = cleaned("c . web client 0 100 call", "s c engine server -300000 -299940 infer")
    assert limit["s"].flags == {"skew_corrected": 300_000 * MS}


def test_follows_from_work_is_not_shifted_to_fit():
    found = cleaned(
        "a . web server 0 100 chat", "b a audit internal 300 350 log", b=link("a", "follows_from")
    )
    assert found["b"].flags == {"follows_from": None}
    assert ms(found["b"]) == (300, 350)


def test_a_redirect_that_starts_after_its_server_ended_is_no_skew():
    found = cleaned(
        "a . web server 0 10 authorize",
        "b a login server 300 305 form",
        "c b login client 301 302 q",
    )
    assert found["b"].flags == {"no_ancestor_running": 290 * MS}
    assert not found["b"].blocking


def test_a_third_clock_that_agrees_with_a_moved_one_moves_along():
    found = cleaned(
        "a . browser client 0 100 fetch",
        "b a web server 200010 200090 chat",
        "c b web client 200020 200080 call",
        "d c engine server 200030 200070 infer",
    )
    shift = -199_990 * MS
    assert [found[name].flags for name in "bcd"] == [{"skew_corrected": shift}] * 3


def test_a_third_clock_that_is_right_stays_where_it_is():
    found = cleaned(
        "a . web server 0 100 chat",
        "b a gateway server -190 -110 route",
        "c b gateway client -180 -120 call",
        "d c engine server 20 60 infer",
    )
    assert found["b"].flags == {"skew_corrected": 190 * MS}
    assert ms(found["d"]) == (20, 60)
    assert found["d"].flags == {}


def test_an_orphan_moves_with_its_clock_before_it_finds_a_place():
    found = cleaned(
        "r . web server 0 100 chat",
        "c r web client 5 95 call",
        "s c engine server -990 -910 infer",
        "o lost engine internal -980 -970 step",
    )
    assert found["o"].parent is found["s"]
    assert ms(found["o"]) == (15, 25)
    assert found["o"].flags == {"skew_corrected": 995 * MS, "parent_missing": None}
