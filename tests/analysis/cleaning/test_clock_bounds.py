"""Where a correction of clocks begins, where it ends, and on whom it acts."""

import pytest
from builders import MS
from cleaned import STREAM, cleaned, ms

MINUTES = 300_000  # the most that a clock may be off, in ms


@pytest.mark.parametrize(("off", "moved"), [(MINUTES, True), (MINUTES + 0.000001, False)])
def test_a_clock_may_be_off_by_exactly_five_minutes(off, moved):
    line = f"b a engine server {100 - 50 + off:.6f} {100 + off:.6f} y"
    found = cleaned("a . web client 0 100 x", line, f"c b engine internal {60 + off} {70 + off} z")
    assert ("skew_corrected" in found["b"].flags) is moved
    assert ("skew_over_limit" in found["b"].flags) is not moved
    assert ms(found["c"])[0] == pytest.approx(60 if moved else 60 + off, abs=1e-3)


@pytest.mark.parametrize("caller", ["client", "internal", "unspecified"])
@pytest.mark.parametrize("callee", ["server", "internal", "unspecified"])
def test_who_calls_and_is_waited_for_holds_the_other_whole(caller, callee):
    found = cleaned(f"a . web {caller} 0 100 x", f"b a engine {callee} 70 130 y")
    assert (ms(found["b"]), found["b"].flags) == ((40, 100), {"skew_corrected": -30_000_000})


@pytest.mark.parametrize(("caller", "callee"), [("server", "server"), ("client", "consumer")])
def test_between_other_kinds_a_late_end_is_no_error_of_a_clock(caller, callee):
    found = cleaned(f"a . web {caller} 0 100 x", f"b a engine {callee} 70 130 y")
    assert ms(found["b"]) == (70, 130)


def test_two_hosts_of_one_service_have_a_clock_each():
    lines = ("a . web client 0 100 x", "b a web internal 150 190 y", "c a web internal 20 60 z")
    hosts = {"a": {"host": "h1"}, "b": {"host": "h2"}, "c": {"host": "h3"}}
    found = cleaned(*lines, **hosts)
    assert (ms(found["b"]), ms(found["c"])) == ((60, 100), (20, 60))


def test_a_call_there_and_a_call_back_move_by_one_shift():
    lines = ("a . web client 0 100 x", "b a engine internal 140 220 y", "c b web internal 45 55 z")
    found = cleaned(*lines)
    assert ms(found["b"]) == (20, 100)
    assert ms(found["c"]) == (45, 55)


def test_two_calls_to_one_clock_move_alike_though_one_would_fit():
    lines = ("a . web client 0 100 x", "b a engine server 60 120 y", "c a engine server 30 40 z")
    found = cleaned(*lines)
    assert (ms(found["b"]), ms(found["c"])) == ((40, 100), (10, 20))


@pytest.mark.parametrize(("end", "moved"), [(101, False), (101.001, True)])
def test_a_child_that_sticks_out_by_a_millisecond_stays(end, moved):
    found = cleaned("a . web client 0 100 x", f"b a engine server 50 {end} y")
    assert ("skew_corrected" in found["b"].flags) is moved


def test_work_that_nobody_waits_for_says_nothing_of_clocks():
    link = {"trace_id": "5b8efff798038103d269b633813fc60c", "type": "follows_from"}
    parent = b"a".hex().rjust(16, "0")
    late = {"links": [link | {"span_id": parent}]}
    lines = ("a . web client 0 100 x", "b a engine server 300 360 y", "c a engine server 20 60 z")
    found = cleaned(*lines, b=late)
    assert (ms(found["b"]), ms(found["c"])) == ((300, 360), (20, 60))


@pytest.mark.parametrize(
    ("caller", "callee", "moves"),
    [("client", "server", True), ("internal", "server", False), ("client", "internal", False)],
)
def test_a_stream_cannot_begin_after_the_client_that_called_its_server_has_its_headers(
    caller, callee, moves
):
    lines = ("r . web server 0 60 chat", f"c r web {caller} 10 50 call")
    found = cleaned(*lines, f"s c engine {callee} 2020 2920 serve", s=STREAM)
    assert ("skew_corrected" in found["s"].flags) == moves
    if moves:
        assert found["s"].start == found["c"].start + 40 * MS - 1
        assert found["r"].end == found["s"].end
