"""What a model call says of the gaps between its tokens."""

from words.token_words import gaps, reported

KNOWN = {
    "token_gaps": 85, "itl_unit": "token", "itl_p50_ns": 12_400_000, "itl_p99_ns": 81_000_000,
    "itl_max_ns": 212_000_000, "output_tokens": 86,
}  # fmt: skip


def said(text: str) -> str:
    return text.replace("\u202f", " ")


def test_gaps_between_tokens_are_itl():
    assert said(gaps(KNOWN)) == (
        "Gaps between tokens (ITL): median 12.4 ms, p99 81.0 ms, largest 212 ms, of 85 gaps"
    )


def test_gaps_between_chunks_say_so_and_why():
    chunks = KNOWN | {"itl_unit": "chunk", "output_tokens": 140}
    assert said(gaps(chunks)).endswith(
        "of 85 gaps; 86 chunks for 140 tokens, so a chunk may hold several or none"
    )
    assert "ITL" not in gaps(chunks)
    assert gaps(chunks | {"output_tokens": None}).endswith("a chunk may hold several tokens")


def test_no_gap_and_no_mean_say_nothing():
    assert gaps(KNOWN | {"token_gaps": None}) == gaps(KNOWN | {"token_gaps": 0}) == ""
    assert reported({"reported": {}}) == reported({"reported": {"time_per_token": 0}}) == ""


def test_a_mean_of_the_emitter_is_named_as_such():
    mean = {"reported": {"time_per_token": 19_000_000}}
    assert said(reported(mean)) == "The emitter reports a mean of 19.0 ms per token"
