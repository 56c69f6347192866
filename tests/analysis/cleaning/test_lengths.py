import pytest
from builders import MS, T0
from cleaned import cleaned, link, ms, roots_of


def test_a_missing_end_becomes_a_lower_bound_from_the_descendants():
    found = cleaned(
        "a . web server 0 - chat", "b a web internal 10 - agent", "c b web client 20 80 generate"
    )
    assert [ms(found[name]) for name in "abc"] == [(0, 80), (10, 80), (20, 80)]
    assert [found[name].flags for name in "abc"] == [{"incomplete": None}] * 2 + [{}]
    assert found["a"].raw_end is None


def test_an_end_of_zero_is_a_missing_end():
    (root,) = roots_of("a . web server 0 - chat", "b a web client 1 9 x", a={"end_ns": 0})
    assert (ms(root), root.flags) == ((0, 9), {"incomplete": None})


def test_a_start_of_zero_beside_a_date_is_a_missing_start():
    (root,) = roots_of("a . web server - 50 chat", "b a web client 10 40 x", a={"start_ns": 0})
    assert (ms(root), root.flags) == ((10, 50), {"incomplete": None})


def test_clocks_that_count_from_zero_are_clocks():
    (root,) = roots_of("a . web server - - x", a={"start_ns": 0, "end_ns": 7})
    assert (root.start, root.end, root.flags) == (0, 7, {})


def test_an_event_inside_shows_how_long_a_span_ran_at_least():
    event = {"events": [{"name": "first token", "time_ns": T0 + 30 * MS, "attributes": {}}]}
    (root,) = roots_of("a . web server 0 - chat", a=event)
    assert ms(root) == (0, 30)


def test_work_that_nobody_waits_for_bounds_nothing():
    found = cleaned(
        "a . web server 0 - chat", "b a web internal 10 900 log", b=link("a", "follows_from")
    )
    assert ms(found["a"]) == (0, 0)


def test_a_span_without_times_lies_where_its_descendants_or_its_parent_lie():
    found = cleaned(
        "a . web server 5 100 chat", "b a web internal - - agent", "c b web client 20 80 generate",
        "d a web internal - - nothing",
    )  # fmt: skip
    assert ms(found["b"]) == (20, 80)
    assert ms(found["d"]) == (5, 5)
    assert found["d"].flags == {"incomplete": None}


def test_an_end_before_the_start_is_a_span_without_length():
    found = cleaned(
        "a . web server 0 100 chat", "b a web client 10 50 retrieve", "c a web client 60 40 rerank"
    )
    assert ms(found["c"]) == (60, 60)
    assert found["c"].flags == {"negative_duration": -20 * MS}
    assert (found["c"].raw_start, found["c"].raw_end) == (T0 + 60 * MS, T0 + 40 * MS)
    assert found["c"].parent is found["a"]


def test_children_of_a_span_without_length_run_under_the_span_above():
    found = cleaned(
        "a . web server 0 100 chat", "b a web client 10 5 call", "c b web internal 20 60 work"
    )
    assert found["c"].parent is found["a"]
    assert found["c"].flags == {"parent_ended": 10 * MS}


def test_a_root_without_times_lies_where_its_events_lie():
    events = [{"name": "e", "time_ns": T0 + at * MS, "attributes": {}} for at in (30, 10)]
    (root,) = roots_of("a . web server - - chat", a={"events": events})
    assert (ms(root), root.flags) == ((10, 30), {"incomplete": None})


@pytest.mark.parametrize("parent", [".", "zz"])
def test_a_root_that_ends_before_it_starts_lasts_as_long_as_what_it_waited_for(parent):
    (root,) = roots_of(f"a {parent} web server 10 5 chat", "b a web internal 12 60 work")
    assert ms(root) == (10, 60)
    assert {"negative_duration", "incomplete"} <= root.flags.keys()
    assert root.flags["negative_duration"] == -5 * MS
