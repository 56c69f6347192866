"""Where spans go whose parent never arrived, against the plainest search for a place."""

import random

from builders import span_id
from cleaned import cleaned, ms, roots_of
from trees import node

from analysis.cleaning.orphans import Enclosures


def smallest(spans, span, until):
    """The rule as it is written: it encloses, its own service first, then the smallest."""
    around = [s for s in spans if s.start <= span.start and until <= s.end]
    own = [s for s in around if s.service == span.service is not None]
    return min(own or around, key=lambda s: (s.end - s.start, s.start, s.key), default=None)


def test_the_smallest_enclosing_span_is_found_among_any():
    for seed in range(400):
        chance = random.Random(seed)
        spans = []
        for number in range(chance.randrange(1, 20)):
            start = chance.randrange(12)
            made = node(f"s{number}", start, start + chance.randrange(12))
            made.service = chance.choice(("a", "b", None))
            spans.append(made)
        known = spans[: chance.randrange(len(spans) + 1)]
        enclosures = Enclosures(spans)
        enclosures.add(known)
        for span in spans:
            until = span.end + chance.randrange(2)
            assert enclosures.smallest(span, until) is smallest(known, span, until)


def under(found, name):
    return found[name].parent.span_id if found[name].parent else None


def test_an_orphan_that_nothing_encloses_goes_beside_the_last_root_before_it():
    lines = ("q . web server 50 60 y", "r . web server 0 40 x", "o lost web internal 200 300 z")
    found = cleaned(*lines)
    assert (under(found, "o"), found["o"].blocking) == (span_id("q"), False)
    early = cleaned(*lines[:2], "o lost web internal -30 -20 z")
    assert under(early, "o") == span_id("r")


def test_a_lone_server_that_nothing_encloses_is_a_request_and_one_of_two_is_not():
    root, lone = "r . web server 0 40 x", "o lost web server 200 300 z"
    assert len(roots_of(root, lone)) == 2
    assert len(roots_of(root, lone, "p lost web server 400 500 z")) == 1
    assert len(roots_of(root, "o lost web internal 200 300 z")) == 1


def test_children_of_two_absent_ids_make_two_requests_even_where_one_encloses_the_other():
    lines = ("a lost web internal 0 100 x", "b lost web internal 20 90 y")
    roots = roots_of(*lines, "c gone web internal 30 40 z")
    assert [[child.name for child in root.children] for root in roots] == [["x", "y"], ["z"]]
    assert [(root.kind, root.status, root.name, root.placeholder) for root in roots] == [
        ("unspecified", "unset", "", True)
    ] * 2
    assert [ms(root) for root in roots] == [(0, 100), (30, 40)]


def test_a_smaller_orphan_may_land_in_a_larger_one():
    lines = ("r . web server 0 100 x", "a lost web internal 10 60 y", "b gone web internal 20 30 z")
    found = cleaned(*lines)
    assert (under(found, "a"), under(found, "b")) == (span_id("r"), span_id("a"))


def test_an_orphan_may_land_in_one_that_became_a_request_or_hangs_under_a_remote_root():
    lines = (
        "r . web server 0 40 x",
        "o lost web server 200 300 y",
        "p gone web internal 220 230 z",
    )
    assert under(cleaned(*lines), "p") == span_id("o")
    remote = ("q away web server 0 100 x", "a lost web internal 10 60 y")
    found = cleaned(*remote, "b gone web internal 20 30 z")
    assert (under(found, "a"), under(found, "b")) == (span_id("q"), span_id("a"))
