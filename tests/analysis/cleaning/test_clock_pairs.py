"""What several calls between the same two clocks say together, and who moves with whom."""

import pytest
from builders import MS, rows
from cleaned import STREAM, by_name, cleaned, link, ms
from strategies import nodes
from trees import node

from analysis.cleaning import clean
from analysis.cleaning.clocks import room

A = "a . web client 0 100 x"


def test_of_two_early_calls_the_one_that_fits_moves_along():
    found = cleaned(A, "b a engine server -30 20 y", "c a engine server 40 60 z")
    assert (ms(found["b"]), ms(found["c"])) == ((0, 50), (70, 90))  # both by 30 to 40: by 30


def test_of_two_late_calls_the_one_that_fits_moves_along():
    found = cleaned(A, "b a engine server 60 120 y", "c a engine server 70 80 z")
    assert (ms(found["b"]), ms(found["c"])) == ((40, 100), (50, 60))


TWO = ("r . web client 0 1000 x", "c r web client 10 100 y", "s c engine server -150 -100 z")


def test_calls_that_ask_for_different_shifts_take_the_smallest_of_their_own():
    found = cleaned(*TWO, "d r web client 200 260 y", "t d engine server 180 230 z")
    assert (ms(found["s"]), ms(found["t"])) == ((10, 60), (200, 250))  # 160 to 200, 20 to 30


def test_a_single_shift_that_fits_both_calls_is_taken():
    found = cleaned(*TWO, "d r web client 200 300 y", "t d engine server 100 140 z")
    assert (ms(found["s"]), ms(found["t"])) == ((10, 60), (260, 300))  # 160 to 200, 100 to 160


def test_the_earliest_call_between_two_clocks_decides_for_the_later_ones():
    lines = [
        "r . web client 0 1000 x",
        "p r engine internal -100 50 y",  # by 100
        "q r engine internal 700 1020 y",  # by -20: no shift fits both
        "c p db server 0 10 z",  # may stay: by -100 against p
        "d q db server 850 900 z",  # by as much against q
    ]
    for order in (lines, lines[::-1]):
        found = cleaned(*order)
        assert (ms(found["p"]), ms(found["q"])) == ((0, 150), (680, 1000))
        assert (ms(found["c"]), ms(found["d"])) == ((0, 10), (730, 780))


def test_a_call_back_bounds_the_shift_of_the_call_there():
    found = cleaned(A, "b a engine internal -50 30 y", "c b web internal 60 90 z")
    assert (ms(found["b"]), ms(found["c"])) == ((10, 90), (60, 90))  # 50 to 70, 60 to 110
    assert found["c"].flags == {}


def test_calls_to_two_hosts_of_one_service_say_nothing_of_one_another():
    lines = (A, "b a engine server -30 20 y", "c a engine server 40 60 z")
    found = cleaned(*lines, b={"host": "h1"}, c={"host": "h2"})
    assert (ms(found["b"]), ms(found["c"])) == ((0, 50), (40, 60))


def test_calls_on_one_clock_say_nothing_of_two():
    lines = (
        "a . gateway client 0 100 x",
        "b a web server -30 20 y",
        "c a web client 40 100 y",
        "d c web internal 0 10 z",  # no host: shares the clock of c by its service
    )
    found = cleaned(*lines, a={"host": "h"}, c={"host": "h"})
    assert (ms(found["b"]), ms(found["d"])) == ((0, 50), (0, 10))


def test_an_orphan_of_a_clock_that_moved_in_two_ways_stays():
    lines = (*TWO, "d r web client 200 260 y", "t d engine server 250 300 z")
    found = cleaned(*lines, "o lost engine internal 500 510 w")
    assert (ms(found["s"]), ms(found["t"]), ms(found["o"])) == ((10, 60), (210, 260), (500, 510))


def test_what_hangs_under_an_orphan_moves_with_it():
    lines = (A, "b a engine server -990 -910 y", "o lost engine internal -980 -950 z")
    found = cleaned(*lines, "p o engine internal -975 -970 v", "q o db server -965 -960 w")
    assert [ms(found[name]) for name in "bopq"] == [(0, 80), (10, 40), (15, 20), (25, 30)]


LONG = (A, "b a engine internal 300 360 y")  # b moves by -260, to 40


def test_a_child_that_would_not_fit_moves_with_its_clock():
    found = cleaned(A, "b a engine server -200 -140 y", "c a engine server -190 -60 z")
    assert (ms(found["b"]), ms(found["c"])) == ((0, 60), (10, 140))


@pytest.mark.parametrize(
    ("off", "where"), [(300000, (10, 140)), (300000.5, (-299990.5, -299860.5))]
)
def test_a_child_that_would_not_fit_moves_no_further_than_clocks_are_off(off, where):
    line = f"b a engine server {-off} {60 - off} y"
    found = cleaned(A, line, f"c a engine server {10 - off} {140 - off} z")
    assert ms(found["c"]) == where


@pytest.mark.parametrize(("line", "where"), [
    ("c b db server 320 420 z", (60, 160)),  # starts inside b: goes along
    ("c b db server 299 400 z", (39, 140)),  # but for what is clipped anyway
    ("c b db server 298.999999 400 z", (298.999999, 400)),  # neither here nor there
])  # fmt: skip
def test_a_long_child_on_a_third_clock_goes_along_where_it_started_inside(line, where):
    assert ms(cleaned(*LONG, line)["c"]) == where


def test_a_long_child_on_a_third_clock_stays_where_it_starts_inside_anyway():
    found = cleaned(A, "b a engine internal 50 110 y", "c b db server 55 160 z")
    assert (ms(found["b"]), ms(found["c"])) == ((40, 100), (55, 160))


def test_a_clock_is_set_again_once_its_parent_has_been_made_longer():
    lines = (*LONG, "c b db server 320 420 z", "d b engine client 310 410 w")
    found = cleaned(*lines, d=STREAM)
    # d extends b to 150; c, 100 long, moved to 60 with b, now fits and moves by 10 more
    assert (ms(found["b"]), ms(found["c"])) == ((40, 150), (50, 150))
    assert found["c"].flags == {"skew_corrected": -270 * MS}


def test_a_clock_that_seemed_minutes_off_is_right_once_its_parent_has_been_made_longer():
    lines = (A, "b a engine server 350000 350050 y", "c a web client 10 400000 z")
    found = cleaned(*lines, c=STREAM)
    assert (ms(found["a"]), found["b"].flags) == ((0, 400000), {})
    assert found["b"].parent is found["a"]


def test_two_clocks_that_are_off_together_by_over_five_minutes_are_not_set():
    lines = ("a . web client 0 1000 x", "b a engine internal -200000 -199500 y")
    long = "d b db server -399990 -399400 z"
    found = cleaned(*lines, "c b db server -400000 -399900 z", long)
    assert (ms(found["b"]), ms(found["c"])) == ((0, 500), (-400000, -399900))
    assert ms(found["d"]) == (-399990, -399400)
    assert found["c"].flags["skew_over_limit"] == 400_000 * MS


def test_calls_may_be_off_together_by_exactly_five_minutes():
    lines = ("b a engine server -300000 -299940 y", "c a engine server -299980 -299960 z")
    found = cleaned(A, *lines)  # 300000 to 300040 ms, 299980 to 300060 ms
    assert (ms(found["b"]), ms(found["c"])) == ((0, 60), (20, 40))


def test_a_call_that_is_set_alone_may_be_off_by_exactly_five_minutes():
    lines = ("b a engine server -300000 -299940 y", "c a engine server 110 140 z")
    found = cleaned(A, *lines)  # 300000 to 300040 ms, -110 to -40 ms
    assert (ms(found["b"]), ms(found["c"])) == ((0, 60), (70, 100))


def test_below_a_span_that_is_not_set_clocks_are_set_against_it():
    found = cleaned(A, "b a engine internal -400000 -399900 y", "c b db server -400030 -399980 z")
    assert (ms(found["b"]), ms(found["c"])) == ((-400000, -399900), (-400000, -399950))


def test_a_clock_moves_alike_above_and_below_one_that_stays():
    found = cleaned(
        "a . browser client 0 1000 x",
        "b a web internal 200 1100 y",  # by -200 to -100
        "c b engine internal 300 900 z",  # fits where it is
        "d c web server 400 800 w",  # would fit as well, but b moved
    )
    assert [ms(found[name]) for name in "bcd"] == [(100, 1000), (300, 900), (300, 700)]


def test_without_correction_what_needs_none_finds_the_parent_that_runs():
    lines = ("a . web server 0 100 x", "b a web internal 10 20 y", "c b web internal 50 60 z")
    assert cleaned(*lines, correct=False)["c"].flags == {"parent_ended": 30 * MS}


def test_events_without_a_time_stay_without_one_when_their_span_moves():
    event = {"events": [{"name": "e", "time_ns": None, "attributes": {}}]}
    found = cleaned(A, "b a engine server 300 360 y", b=event)
    assert (ms(found["b"]), found["b"].events[0].time_ns) == ((40, 100), None)


@pytest.mark.parametrize(("line", "where"), [
    ("b a engine server -200 -99 y", -1),  # by 199 to 200
    ("b a engine server 200 301 y", 0),  # by -201 to -200
    ("b a engine server -200 -98.999999 y", -200),
])  # fmt: skip
def test_a_child_as_long_as_its_parent_and_the_tolerance_fits(line, where):
    assert ms(cleaned(A, line)["b"])[0] == where


@pytest.mark.parametrize(("early", "moved"), [(39.999999, True), (40, False)])
def test_a_stream_has_to_start_before_its_parent_ends(early, moved):
    lines = (A, "p a web client 0 50 y", "t p engine server 10 200 z")
    found = cleaned(*lines, f"s a engine server -{early} 0 w", t=STREAM)
    assert ms(found["s"])[0] == 0
    assert ms(found["t"])[0] == (10 + early if moved else 10)


def test_a_stream_under_a_parent_without_length_starts_with_it():
    found = cleaned("a . web client 0 0 x", "b a engine server -20 30 y", b=STREAM)
    assert ms(found["b"]) == (0, 50)


@pytest.mark.parametrize(("early", "moved"), [(50, True), (50.5, False)])
def test_a_server_under_a_server_may_be_moved_until_both_end(early, moved):
    lines = ("a . web server 0 100 x", "n a engine server 10 50 y", "p a web client 0 100 z")
    found = cleaned(*lines, f"s p engine server -{early} 0 w")
    assert ms(found["s"])[0] == 0
    assert ms(found["n"]) == ((60, 100) if moved else (10, 50))


def test_an_early_server_longer_than_the_server_above_it_starts_with_it():
    found = cleaned("a . web server 0 100 x", "b a engine server -20 80.5 y")
    assert ms(found["b"]) == (0, 100.5)


def known_to_be_off(shift, *lines):
    roots = clean(nodes(rows(*lines)), known=lambda parent, child: shift * MS)
    return by_name(roots)["b"]


def test_what_is_known_of_two_clocks_stands_in_place_of_the_smallest_shift():
    span = known_to_be_off(50, A, "b a engine server -30 20 y")
    assert (ms(span), span.flags) == ((20, 70), {"skew_corrected": 50 * MS})


def test_what_is_known_of_two_clocks_is_not_taken_where_the_call_does_not_fit_so():
    assert ms(known_to_be_off(90, A, "b a engine server -30 20 y")) == (0, 50)


def test_what_is_known_of_two_clocks_is_used_up_by_the_first_move():
    known = {("web", "engine"): 50 * MS, ("engine", "db"): 20 * MS}
    lines = ("a . web client 0 1000 x", "b a engine internal -30 570 y", "c b db server 300 310 z")
    records = rows(*lines, "d a web client 10 1500 w", d=STREAM)  # a second round
    found = by_name(
        clean(nodes(records), known=lambda up, down: known.get((up.service, down.service)))
    )
    assert [ms(found[name]) for name in "abc"] == [(0, 1500), (20, 620), (370, 380)]


def told(parent, child, **columns):
    return room(node("a", 0, 100, kind=parent), node("b", *child, **columns))


def test_a_call_tells_between_which_shifts_it_fits():
    assert told("client", (130, 190), kind="server") == (-130, -90)
    assert told("client", (130, 230), kind="server") == (-130, -130)
    assert told("client", (130, 190), kind="consumer") == (-130, None)
    assert told("client", (130, 190), kind="server", blocking=False) is None


def test_what_is_longer_than_its_parent_tells_only_as_a_stream_and_only_where_it_starts():
    length = 100 + MS
    assert told("client", (130, 131 + length), kind="server") is None
    stream = STREAM["attributes"]
    assert told("client", (130, 131 + length), kind="server", attributes=stream) == (-130, -30)
    assert (
        told("client", (130, 130 + length), kind="server") is None
    )  # fits but for what is clipped


def test_work_that_follows_its_parent_is_not_told_by_its_clock():
    lines = (A, "b a engine server -30 20 y")
    assert ms(cleaned(*lines, b=link("a", "follows_from"))["b"]) == (-30, 20)
