"""What is said of rules and of what they move."""

import pytest

from words import rule_words

THIN = "\u202f"


def found(*moves, requests=412, traces=9, tried=9, **more):
    pairs = [{"from": one, "to": other, "ns": ns} for one, other, ns in moves]
    return {
        "requests": requests, "moves": pairs, "moved_ns": sum(ns for *_, ns in moves),
        "traces": traces, "tried": tried, **more,
    }  # fmt: skip


def test_one_pair_of_stages_is_one_sentence():
    said = rule_words.moves(found(("unattributed", "retrieval", 38_200_000_000)))
    assert said == f"412 requests · 38.2{THIN}s move from Unattributed to Retrieval"


def test_several_pairs_are_named_and_the_rest_is_summed():
    pairs = [(stage, "tools", 1_000_000_000) for stage in ("decode", "model", "routing", "prefill")]
    said = rule_words.moves(found(*pairs, (None, "tools", 500_000_000)))
    assert said.startswith(f"412 requests · 4.50{THIN}s move: 1.00{THIN}s from Decode to Tools, ")
    assert said.endswith(f"1.50{THIN}s between other stages")


def test_a_sample_says_of_how_many_it_is():
    said = rule_words.moves(found(("tools", None, 1), traces=41_000, tried=2_000))
    assert said.endswith(
        "to no request (in a sample: 2,000 of the 41,000 traces that it can touch)"
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"matching": 0, "spans": 0}, "No span is like this, so nothing moves."),
        ({"matching": 3, "spans": 3}, "3 spans like this hold no other time"),
        ({"matching": 3, "spans": 0, "taken_by": {"x": 3}}, "a rule above takes them: x."),
        ({}, "No time moves."),
    ],
)
def test_where_nothing_moves_the_reason_is_said(given, says):
    assert says in rule_words.moves(found(requests=0, **given))


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ({}, "every span"), ({"name": "^a$", "service": "b"}, "name ^a$ · service b"),
        ({"under_call": True, "call_below": False}, "under a model call · not model call below"),
        ({"attributes": {"k": True, "l": "v"}, "resource": {"r": "x"}}, "k · l = v · r = x"),
    ],
)  # fmt: skip
def test_what_a_rule_asks_for_is_said(conditions, said):
    assert rule_words.matches(conditions) == said
