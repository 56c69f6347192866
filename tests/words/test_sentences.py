"""Answers read as the six examples of the design, and stay short."""

import pytest

from words.sentences import SENTENCES, sentence

S, MS = 1_000_000_000, 1_000_000
FIX = {
    "title": "Cap concurrency per replica", "percentile": 95, "current_ns": 6_400 * MS,
    "predicted_ns": 5_210 * MS, "low": 830 * MS, "typical": 1_190 * MS, "high": 1_420 * MS,
    "effort_days": [0.5, 2], "risk": "low",
}  # fmt: skip
EXAMPLES = [
    ("tail_differs", {"stage": "request_queue", "share": 0.29, "percentile": 95,
                      "base_share": 0.034},
     "Slow requests wait: 29 % of p95 is the request queue, against 3.4 % of the median."),
    ("tail_differs", {"stage": "retrieval", "share": 0.29, "percentile": "p99", "base_share": 0.1},
     "29 % of p99 is retrieval, against 10 % of the median."),
    ("same_everywhere", {"stage": "decode", "median_share": 0.62, "percentile": 95, "share": 0.6,
                         "rest_share": 0.08},
     "Decode takes 62 % at the median and 60 % at p95; nothing else reaches 10 %."),
    ("same_everywhere", {"stage": "autoscale_cold_start", "median_share": 0.5, "percentile": 95,
                         "share": 0.6, "rest_share": 0.21},
     "The cold start takes 50 % at the median and 60 % at p95; the next stage takes 21 %."),
    ("recent", {"clock": "15:15", "added_ns": 1_210 * MS, "stage": "request_queue", "share": 0.73},
     "Since 15:15 requests take 1.21 s longer; the request queue explains 73 % of it."),
    ("good_news", {"share": 0.992, "slo_ns": 4 * S, "step_ns": 200 * MS, "percentile": 95},
     "99.2 % of requests end within 4 s; no single stage adds more than 200 ms to p95."),
    ("weak_data", {"share": 0.38},
     "38 % of the time is unattributed, so no stage can be blamed yet."),
    ("too_few", {"count": 9, "slowest_ns": 8_200 * MS, "stage": "retrieval",
                 "stage_ns": 5_100 * MS},
     "9 requests: too few for a p95. The slowest took 8.20 s, 5.10 s of it in retrieval."),
    ("no_ttft", {"count": 4_118}, "No TTFT: none of 4,118 requests marks its first token."),
    ("all_left_out", {"count": 31},
     "All 31 requests lack a usable length, so there is no percentile."),
    ("nothing_matches", {}, "No request matches these filters."),
    ("fix_first", FIX, "Fix first: cap concurrency per replica · p95 6.40 s → 5.21 s, "
     "−1.19 s (−1.42 to −0.83) · 0.5 to 2 days, low risk"),
    ("request_stage_unusual", {"e2e_ns": 6_410 * MS, "stage": "request_queue",
                               "stage_ns": 1_850 * MS, "ratio": 29.8, "usual_ns": 62 * MS},
     "6.41 s: the request queue took 1.85 s, 30× its usual 62 ms."),
    ("request_stage", {"e2e_ns": 6_410 * MS, "stage": "decode", "stage_ns": 1_850 * MS},
     "6.41 s: decode took 1.85 s."),
    ("retry_cost", {"ns": 486 * MS}, "A failed first attempt cost another 486 ms."),
    ("one_request", {"e2e_ns": 6_410 * MS, "stage": "decode", "stage_ns": 1_850 * MS},
     "One request of 6.41 s: 1.85 s of it in decode."),
    ("nothing_to_fix", {"step_ns": 20 * MS, "percentile": 95},
     "Nothing in the catalogue saves more than 20 ms at p95."),
    ("requests_listed", {"count": 4_118, "slowest_ns": 20_660 * MS},
     "4,118 requests; the slowest took 20.7 s."),
    ("fix", FIX,
     "Cap concurrency per replica first: p95 6.40 s → 5.21 s for 0.5 to 2 days of work."),
    ("compare_same", {"ns": 12 * MS, "low": -31 * MS, "high": 55 * MS},
     "A and B do not differ: +12 ms (−31 to 55)."),
    ("explain", {"value": "vllm-3", "share": 0.61, "rest_share": 0.22},
     "Slow requests sit on vllm-3: 61 % of the slow ones, 22 % of the rest."),
    ("explain_nothing", {"count": 214},
     "Nothing sets the slow requests apart: 214 values were tried."),
    ("tokens_floor", {"stage": "decode", "share": 0.78, "hardware": "an A10",
                      "per_token_ns": 34_400_000},
     "Decode runs at 78 % of what an A10 can do: 34.4 ms per token."),
    ("tokens_fit", {"per_token_ns": 34_400_000, "per_1000_tokens_ns": 164 * MS},
     "Each output token takes 34.4 ms, each 1,000 input tokens 164 ms."),
    ("tokens_narrow", {"low": 60, "high": 64},
     "No fit: output counts lie between 60 and 64, too narrow to see a slope."),
    ("what_if", {"percentile": 95, "current_ns": 6 * S, "predicted_ns": 4_120 * MS},
     "With these changes, p95 falls to 4.12 s."),
    ("what_if_unchanged", {"percentile": 95, "current_ns": 6_400 * MS},
     "Nothing changed yet: p95 is 6.40 s."),
]  # fmt: skip


@pytest.mark.parametrize(("answer_id", "figures", "text"), EXAMPLES)
def test_an_answer_reads_as_designed(answer_id, figures, text):
    assert sentence(answer_id, figures).replace("\u202f", " ") == text


def test_no_answer_is_longer_than_a_line_except_the_next_step():
    for answer_id, figures, text in EXAMPLES:
        assert answer_id == "fix_first" or len(text) <= 100, (answer_id, figures)


def test_one_request_is_singular():
    assert "It took" in sentence(
        "too_few", {"count": 1, "slowest_ns": S, "stage": "decode", "stage_ns": MS}
    )
    assert "one request" in sentence("no_ttft", {"count": 1})


def test_the_title_of_a_fix_can_stand_out():
    assert "**cap concurrency per replica**" in sentence("fix_first", {**FIX, "bold": True})
    acronym = sentence("fix_first", {**FIX, "title": "KV cache offload"})
    assert "KV cache offload" in acronym


def test_every_template_is_a_sentence_without_a_shout():
    assert len(SENTENCES) >= 30
    assert all("!" not in text for _, _, text in EXAMPLES)
