"""Model calls cut at their marks, and first tokens that cannot be believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import node

from analysis.rules import Mark, Rule
from analysis.staging.model_calls import Call, read_call, reported, sources
from analysis.tree import Event

LENGTHS = ("gateway", "tokenize", "queue", "kv_transfer", "prefill", "decode", "processing")
INSTANTS = ("first_scheduled", "first_token", "first_chunk", "last_token")
MARKS = tuple(Mark(name, name, unit="ns") for name in LENGTHS) + tuple(
    Mark(name, name, unit="ns", meaning="offset") for name in INSTANTS
)
US = 1_000


def call(start=0, end=1_000, kind="client", stage="model", tokens=None, **marks) -> Call:
    """A call of `end - start` µs; marks in µs."""
    attributes = {name: us * US for name, us in marks.items()}
    if tokens is not None:
        attributes["output_tokens"] = tokens
    rule = Rule("r", stage, "call", marks=MARKS)
    span = node("c", start * US, end * US, kind=kind, rule=rule, attributes=attributes)
    return read_call(span, [], span)


def cut(found: Call) -> list[tuple[str, float]]:
    """Stage and length in µs."""
    return [(piece.stage, (piece.end - piece.start) / US) for piece in found.pieces]


T, Q, P, D = "tokenize_detokenize", "request_queue", "prefill", "decode"
CUTS = {
    "no mark": ({}, [("model", 1000)]),
    "first token alone": ({"first_token": 300}, [("model", 300), (D, 700)]),
    "first chunk alone": ({"first_chunk": 300}, [("model", 300), (D, 700)]),
    "all lengths and the first token": (
        {"queue": 50, "kv_transfer": 20, "prefill": 200, "decode": 600, "first_token": 300},
        [(T, 30), (Q, 50), ("kv_transfer", 20), (P, 200), (D, 600), (T, 100)],
    ),
    "lengths without a first token": (
        {"queue": 50, "kv_transfer": 20, "prefill": 200, "decode": 600},
        [(Q, 50), ("kv_transfer", 20), (P, 200), (D, 600), (T, 130)],
    ),
    "queue and prefill": ({"queue": 50, "prefill": 200}, [(Q, 50), (P, 200), (D, 750)]),
    "a queue and a first token": (
        {"queue": 50, "first_token": 300}, [(Q, 50), (P, 250), (D, 700)],
    ),
    "four instants": (
        {"first_scheduled": 100, "first_token": 300, "last_token": 900},
        [(Q, 100), (P, 200), (D, 600), (T, 100)],
    ),
    "scheduled with a length of queue": (
        {"first_scheduled": 100, "queue": 60, "first_token": 300},
        [(T, 40), (Q, 60), (P, 200), (D, 700)],
    ),
    "scheduled alone": ({"first_scheduled": 100}, [(Q, 100), ("model", 900)]),
    "a transfer after scheduling": (
        {"first_scheduled": 100, "kv_transfer": 50, "first_token": 300},
        [(Q, 100), ("kv_transfer", 50), (P, 150), (D, 700)],
    ),
    "decode alone": ({"decode": 600}, [("model", 400), (D, 600)]),
    "queue alone": ({"queue": 100}, [(Q, 100), ("model", 900)]),
    "a gateway in front": (
        {"gateway": 100, "first_token": 300}, [("api_gateway", 100), ("model", 200), (D, 700)],
    ),
    "a provider's own time": (
        {"processing": 900}, [("external_network", 100), ("model", 900)],
    ),
    "a provider's time to its first token": (
        {"processing": 250, "first_token": 300},
        [("external_network", 50), ("model", 250), (D, 700)],
    ),
    "an own engine's headers": (
        {"tokenize": 10, "queue": 40, "processing": 900},
        [(T, 10), (Q, 40), ("internal_network", 50), ("model", 900)],
    ),
    "a last token alone": ({"last_token": 800}, [("model", 800), (T, 200)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CUTS)
def test_a_call_is_cut_at_its_marks(name):
    marks, expected = CUTS[name]
    found = call(**marks)
    assert cut(found) == expected
    assert found.flags == {}


def test_an_engine_that_tells_its_whole_work_shows_the_rest_as_tokenizing():
    found = call(kind="internal", tokenize=10, queue=40, processing=900)
    assert cut(found) == [(T, 10), (Q, 40), ("model", 900), (T, 50)]


def test_a_call_whose_callee_is_traced_is_not_cut():
    found = call(stage="internal_network", first_chunk=300)
    assert cut(found) == [("internal_network", 1000)]
    assert found.first_token == 300 * US
    assert found.stage_ns == {"decode": 700 * US}


@pytest.mark.parametrize(
    ("first_token", "flag", "amount"),
    [
        (0, "first_token_invalid", 0),
        (1, "first_token_invalid", 1_000),
        (-1, "first_token_invalid", -1_000),
        (1_000, "first_token_at_end", 1_000_000),
        (4_200, "first_token_outside_span", 3_200_000),
    ],
)
def test_a_first_token_that_cannot_be_is_unknown(first_token, flag, amount):
    found = call(first_token=first_token)
    assert found.flags == {flag: amount}
    assert found.first_token is None
    assert cut(found) == [("model", 1000)]


def test_minus_one_second_means_unknown():
    rule = Rule("r", "model", "call", marks=(Mark("first_token", "t", unit="s", meaning="offset"),))
    span = node("c", 0, 10**9, rule=rule, attributes={"t": -1})
    assert read_call(span, [], span).flags == {"first_token_invalid": -(10**9)}


def test_a_one_token_answer_may_end_with_its_first_token():
    found = call(first_token=1_000, tokens=1)
    assert found.flags == {}
    assert cut(found) == [("model", 1000)]
    assert found.first_token == 1_000 * US


def test_the_end_rounded_to_milliseconds_is_still_the_end():
    mark = Mark("first_chunk", "t", unit="iso", meaning="absolute")
    rule = Rule("r", "model", "call", marks=(mark,))
    attributes = {"t": "1970-01-01T00:00:02.000Z"}
    span = node("c", 0, 2_000_345_678, rule=rule, attributes=attributes)
    assert "first_token_at_end" in read_call(span, [], span).flags


def test_a_second_source_speaks_where_the_first_cannot_be_believed():
    found = call(first_chunk=2_000, first_token=300)
    assert (found.first_token, found.first_name, found.flags) == (300 * US, "first_token", {})


@pytest.mark.parametrize(
    ("marks", "excess"),
    [
        ({"queue": 300, "prefill": 200, "first_token": 400}, 100),
        ({"queue": 300, "prefill": 200, "decode": 600}, 100),
        ({"decode": 800, "first_token": 400}, 200),
        ({"first_scheduled": 500, "first_token": 400}, 100),
        ({"first_token": 400, "last_token": 300}, 100),
    ],
)
def test_lengths_that_do_not_add_up_are_flagged_and_never_rescaled(marks, excess):
    found = call(**marks)
    assert found.flags == {"stage_sum_mismatch": excess * US}
    assert reported(found) == {name: us * US for name, us in sorted(marks.items())}
    assert sum(length for _, length in cut(found)) == 1000


def test_rounding_alone_is_no_mismatch():
    marks = (Mark("queue", "q", unit="ms"), Mark("decode", "d", unit="ms"))
    span = node(
        "c", 0, 1_000_400, rule=Rule("r", "model", "call", marks=marks), attributes={"q": 1, "d": 1}
    )
    assert read_call(span, [], span).flags == {}


def test_headers_of_the_transport_are_read_as_marks_of_the_call():
    rule = Rule("t", "unattributed", "observer", marks=MARKS)
    span = node("c", 0, 1_000, kind="client", rule=Rule("r", "model", "call"))
    transport = node("t", 10, 990, rule=rule, attributes={"processing": ["900"]})
    found = read_call(span, [transport], span)
    assert [piece.stage for piece in found.pieces] == ["external_network", "model"]
    assert sources(found) == {"processing": "processing"}


def test_a_first_token_event_cuts_like_a_number():
    mark = Mark("first_chunk", "^First Token", "event")
    events = [Event("First Token Stream Event", 250, {})]
    span = node("c", 0, 1_000_000, rule=Rule("r", "model", "call", marks=(mark,)), events=events)
    events[0].time_ns = 250_000
    assert [(p.stage, p.end) for p in read_call(span, [], span).pieces] == [
        ("model", 250_000), ("decode", 1_000_000),
    ]  # fmt: skip


numbers = st.integers(-2_000, 3_000)


@given(st.dictionaries(st.sampled_from(LENGTHS + INSTANTS), numbers), st.integers(0, 1_000))
def test_pieces_always_tile_the_call(marks, length):
    for kind in ("client", "server"):
        found = call(end=length, kind=kind, **marks)
        edge = 0
        for piece in found.pieces:
            assert piece.start == edge <= piece.end
            edge = piece.end
        assert edge == length * US
        assert all(ns >= 0 for ns in found.stage_ns.values())
