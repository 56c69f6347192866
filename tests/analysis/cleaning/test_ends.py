from builders import MS, span_id
from cleaned import STREAM, cleaned, ms


def test_a_root_that_ended_at_its_headers_is_extended_to_the_end_of_the_stream():
    found = cleaned("p . web server 0 50 POST", "c p web client 10 900 model", c=STREAM)
    assert ms(found["p"]) == (0, 900)
    assert found["p"].flags == {"root_ended_early": 850 * MS}
    assert found["p"].raw_end - found["p"].raw_start == 50 * MS
    assert (found["c"].flags, found["c"].blocking) == ({}, True)


def test_every_ancestor_of_the_stream_is_extended():
    found = cleaned(
        "p . web server 0 50 POST",
        "q p web internal 5 40 handler",
        "r q web internal 8 30 proxy",
        "c r web client 10 900 stream",
        c=STREAM,
    )
    assert [ms(found[name])[1] for name in "pqrc"] == [900] * 4
    assert found["q"].flags == {"ended_at_headers": 860 * MS}
    assert found["r"].flags == {"ended_at_headers": 870 * MS}


def test_a_model_call_extends_where_no_other_call_ended_inside():
    found = cleaned("p . web server 0 50 POST", "c p web client 10 900 chat")
    assert found["p"].flags == {"root_ended_early": 850 * MS}
    both = cleaned(
        "p . web server 0 50 POST", "c p web client 10 900 chat", "d p web client 10 800 chat"
    )
    assert ms(both["p"]) == (0, 900)
    answered = cleaned(
        "p . web server 0 50 POST", "c p web client 5 40 chat", "d p web client 45 900 chat"
    )
    assert ms(answered["p"]) == (0, 50)
    assert answered["d"].flags == {"outlives_parent": 850 * MS}
    nested = cleaned(
        "p . web server 0 50 POST",
        "q p web internal 1 45 agent",
        "c q web client 5 40 chat",
        "d p web client 45 900 chat",
    )
    assert not nested["d"].blocking


def test_a_wrapper_around_a_stream_extends_like_the_stream():
    found = cleaned(
        "p . web server 0 50 POST", "w p web internal 5 905 body", "c w web client 10 900 x",
        c=STREAM,
    )  # fmt: skip
    assert ms(found["p"]) == (0, 905)
    early = cleaned(
        "p . web server 0 50 POST", "w p web internal 5 905 body", "c w web client 10 40 x",
        c=STREAM,
    )  # fmt: skip
    assert ms(early["p"]) == (0, 50)
    assert early["w"].flags == {"outlives_parent": 855 * MS}


def test_a_stream_that_starts_after_its_parent_ended_extends_the_span_above():
    found = cleaned(
        "p . web server 0 50 POST", "q p web internal 1 5 queue.wait", "c q web client 20 900 x",
        c=STREAM,
    )  # fmt: skip
    assert found["c"].parent is found["p"]
    assert found["c"].parent_id == span_id("q")
    assert found["c"].flags == {"parent_ended": 15 * MS}
    assert (ms(found["p"]), ms(found["q"])) == ((0, 900), (1, 5))


def test_an_extended_parent_takes_what_starts_after_its_recorded_end():
    found = cleaned(
        "p . web server 0 50 POST", "c p web client 10 900 x", "d p web internal 300 400 tool",
        c=STREAM,
    )  # fmt: skip
    assert found["d"].parent is found["p"]
    assert (found["d"].blocking, found["d"].flags) == (True, {})


def test_a_child_that_starts_as_its_parent_ends_belongs_to_the_nearest_running_ancestor():
    found = cleaned(
        "a . web server 0 100 chat",
        "b a web internal 0 80 agent",
        "c b web internal 10 20 plan",
        "d c web internal 20 60 act",
    )
    assert found["d"].parent is found["b"]
    assert found["d"].flags == {"parent_ended": 0}


def test_an_instant_at_its_parents_end_stays_there():
    found = cleaned("a . web server 0 100 chat", "b a web internal 100 100 done")
    assert (found["b"].parent, found["b"].flags) == (found["a"], {})


def test_a_child_for_which_no_ancestor_was_running_is_not_waited_for():
    found = cleaned("a . web server 0 100 chat", "b a web internal 120 150 flush")
    assert (found["b"].parent, found["b"].blocking) == (found["a"], False)
    assert found["b"].flags == {"no_ancestor_running": 20 * MS}
    assert ms(found["a"]) == (0, 100)


def test_a_stream_nobody_waits_for_extends_nothing():
    found = cleaned(
        "p . web producer 0 50 send", "c p worker consumer 10 40 receive",
        "s c worker client 20 900 x", s=STREAM,
    )  # fmt: skip
    assert ms(found["p"]) == (0, 50)
    assert ms(found["c"]) == (10, 900)
    assert found["c"].flags == {"messaging": None, "ended_at_headers": 860 * MS}


def test_between_clocks_a_small_overrun_of_a_stream_is_clipped():
    found = cleaned("p . web client 0 50 POST", "c p engine server 10 50.5 x", c=STREAM)
    assert ms(found["p"]) == (0, 50)
    assert found["c"].flags == {"outside_parent": MS // 2}


def test_an_orphaned_stream_extends_the_root_it_started_in():
    found = cleaned("p . web server 0 50 POST", "c lost web client 10 900 x", c=STREAM)
    assert ms(found["p"]) == (0, 900)
    assert found["c"].parent is found["p"]
