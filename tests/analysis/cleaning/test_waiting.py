from builders import MS
from cleaned import cleaned, link, ms


def test_follows_from_work_is_drawn_beside_and_not_waited_for():
    found = cleaned(
        "a . web server 0 100 chat",
        "b a web internal 10 40 generate",
        "c . web internal 90 400 write-audit-log",
        c=link("a", "follows_from"),
    )
    assert found["c"].parent is found["a"]
    assert (found["c"].blocking, found["c"].flags) == (False, {"follows_from": None})
    assert (ms(found["a"]), ms(found["c"])) == ((0, 100), (90, 400))
    assert found["b"].blocking


def test_a_follows_from_link_beside_the_same_parent_says_the_same():
    columns = link("a", "follows_from")
    found = cleaned("a . web server 0 100 chat", "c a web internal 20 30 log", c=columns)
    assert (found["c"].blocking, found["c"].flags) == (False, {"follows_from": None})


def test_a_follows_from_link_elsewhere_leaves_the_parent_waiting():
    columns = link("b", "follows_from")
    found = cleaned(
        "a . web server 0 100 chat", "b a web internal 10 20 x", "c a web internal 20 30 y",
        c=columns,
    )  # fmt: skip
    assert (found["c"].blocking, found["c"].flags) == (True, {})


def test_a_producer_does_not_wait_for_its_consumer():
    found = cleaned("a . web producer 0 10 send", "b a worker consumer 2 8 receive")
    assert (found["b"].blocking, found["b"].flags) == (False, {"messaging": None})
    other = cleaned("a . web internal 0 10 send", "b a worker consumer 2 8 receive")
    assert other["b"].blocking


def test_a_child_that_outlives_its_parent_was_not_waited_for():
    found = cleaned("a . web server 0 100 chat", "b a web internal 90 101.1 log")
    assert (found["b"].blocking, found["b"].flags) == (False, {"outlives_parent": 1_100_000})
    jitter = cleaned("a . web server 0 100 chat", "b a web internal 90 101 log")
    assert (jitter["b"].blocking, jitter["b"].flags) == (True, {"outside_parent": MS})
    long = cleaned("a . web server 0 1000 chat", "b a web internal 90 1010 log")
    assert (long["b"].blocking, long["b"].flags) == (True, {"outside_parent": 10 * MS})


def test_across_clocks_an_overrun_says_nothing_and_is_clipped():
    found = cleaned("a . web client 0 100 chat", "b a engine server 10 150 infer")
    assert (found["b"].blocking, found["b"].flags) == (True, {"outside_parent": 50 * MS})


def test_a_span_around_its_parent_on_one_clock_is_clipped_to_it():
    found = cleaned("a . web server 50 100 chat", "b a web internal 0 150 odd")
    assert (found["b"].blocking, found["b"].flags) == (True, {"outside_parent": 100 * MS})


def test_overlapping_siblings_are_all_waited_for():
    found = cleaned(
        "a . web server 0 100 handle", "b a web internal 0 60 B", "c a web internal 40 100 C"
    )
    assert all(span.blocking and not span.flags for span in found.values())
