"""Which late end extends a parent, and what a second round of cleaning makes of it."""

import pytest
from cleaned import STREAM, cleaned, ms


def test_a_stream_counts_until_the_end_of_the_span_it_is_clipped_to():
    found = cleaned(
        "g . web server 0 60 x",
        "p g web internal 1 100 y",
        "c p web internal 40 50 z",
        "s c web client 10 90 w",  # began before c: it does not extend it
        s=STREAM,
    )
    assert (ms(found["g"]), ms(found["c"])) == ((0, 60), (40, 50))
    assert "outlives_parent" in found["p"].flags


def test_the_last_of_several_calls_counts_once_the_parent_has_been_made_longer():
    found = cleaned(
        "a . web server 0 100 x",
        "b a web client 10 200 chat",  # extends a to 200
        "c a web internal 20 300 y",
        "d c web client 120 150 chat",
        "e c web client 160 250 chat",
    )
    assert ms(found["a"]) == (0, 300)
    assert found["c"].blocking


def test_an_orphan_says_nothing_of_clocks_in_a_second_round_either():
    found = cleaned(
        "a . web client 0 100 x",
        "o lost engine internal 90 150 y",  # under the root that runs at its start
        "q . web server 1000 1100 x",
        "c q web client 1010 1300 z",  # makes a second round
        c=STREAM,
    )
    assert (ms(found["o"]), found["o"].parent) == ((90, 150), found["a"])


@pytest.mark.parametrize(("end", "runs"), [(100, False), (100.000001, True)])
def test_a_root_runs_until_its_end(end, runs):
    found = cleaned(f"a . web server 0 {end} x", "o lost web server 100 110 y")
    assert found["o"].parent is (found["a"] if runs else None)


def test_a_call_that_ended_with_its_extended_parent_extends_it_no_further():
    found = cleaned(
        "a . web server 0 100 x",
        "b a web client 10 200 y",  # streams: extends a to 200
        "c a web internal 20 300 z",
        "d c web client 110 200 chat",
        b=STREAM,
    )
    assert ms(found["a"]) == (0, 200)
    assert "outlives_parent" in found["c"].flags


def test_a_stream_on_its_parent_s_clock_extends_it_by_a_nanosecond_too():
    found = cleaned("a . web server 0 100 x", "b a web client 10 100.000001 y", b=STREAM)
    assert ms(found["a"]) == (0, 100.000001)


def test_streams_that_begin_in_what_the_one_before_added_all_extend_their_parent():
    lines = [f"s{n} a web client {10 * n + 4} {10 * n + 15} y" for n in range(40)]
    found = cleaned("a . web server 0 10 x", *lines, **{f"s{n}": STREAM for n in range(40)})
    assert ms(found["a"]) == (0, 405)
    assert all(span.flags == {} for name, span in found.items() if name != "a")
