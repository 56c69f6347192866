"""Numbers are written as the house's table says, row by row and at every border."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from words import fmt

S = 1_000_000_000


def spaced(text: str) -> str:
    """The expected text with plain spaces, for reading."""
    assert " \u202f" not in text
    return text.replace("\u202f", " ")


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0"), (1, "<0.01 ms"), (5_000, "0.01 ms"), (420_000, "0.42 ms"),
        (994_999, "0.99 ms"), (995_000, "1.0 ms"), (4_200_000, "4.2 ms"), (9_949_999, "9.9 ms"),
        (9_950_000, "10 ms"), (842_000_000, "842 ms"), (999_499_999, "999 ms"),
        (999_600_000, "1.00 s"), (6_400_000_000, "6.40 s"), (9_994_999_999, "9.99 s"),
        (9_995_000_000, "10.0 s"), (11_200_000_000, "11.2 s"), (59_949_999_999, "59.9 s"),
        (59_950_000_000, "1 min 00 s"), (72 * S, "1 min 12 s"), (3_599 * S, "59 min 59 s"),
        (3_599_600_000_000, "1 h 00 min"), (3_840 * S, "1 h 04 min"), (90_000 * S, "25 h 00 min"),
        (-64_000_000, "−64 ms"), (None, "–"), (float("nan"), "–"),
    ],
)  # fmt: skip
def test_a_length_takes_the_row_of_its_rounded_value(ns, text):
    assert spaced(fmt.ms(ns)) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (fmt.ms_delta(1_780_000_000), "+1.78 s"), (fmt.ms_delta(-410_000_000), "−410 ms"),
        (fmt.ms_delta(0), "0"), (fmt.ms_delta(None), "–"),
        (fmt.share(0.29), "29 %"), (fmt.share(0.067), "6.7 %"), (fmt.share(0.0003), "<0.1 %"),
        (fmt.share(0), "0 %"), (fmt.share(0.0995), "10 %"), (fmt.share(0.09949), "9.9 %"),
        (fmt.share(1), "100 %"), (fmt.share(None), "–"),
        (fmt.attainment(0.861), "86.1 %"), (fmt.attainment(0.9999), ">99.9 %"),
        (fmt.attainment(1.0), "100 %"), (fmt.attainment(0.0001), "<0.1 %"),
        (fmt.points(-0.072), "−7.2 pt"), (fmt.points(0.091), "+9.1 pt"), (fmt.points(0), "0 pt"),
        (fmt.ratio(30.2), "30×"), (fmt.ratio(3.1), "3.1×"), (fmt.ratio(9.96), "10×"),
        (fmt.ratio(1_234), "1,234×"), (fmt.ratio(0.01), "<0.1×"),
        (fmt.count(4_118), "4,118"), (fmt.count(999_999), "999,999"),
        (fmt.count(1_240_000), "1.24 million"), (fmt.count(12_345_678), "12.3 million"),
        (fmt.count(999_600_000), "1.00 billion"), (fmt.count(None), "–"),
        (fmt.tokens(2_140), "2,140 tokens"), (fmt.tokens(1), "1 token"),
        (fmt.per_token(23_500_000), "23.5 ms per token"),
        (fmt.per_1000_tokens(118_000_000), "118 ms per 1,000 tokens"),
        (fmt.per_second(41), "41 requests/s"), (fmt.per_second(0.31), "0.3 requests/s"),
        (fmt.at_least(6_400_000_000), "≥ 6.40 s"), (fmt.at_least(None), "–"),
        (fmt.plain(4 * S), "4 s"), (fmt.plain(500_000_000), "500 ms"), (fmt.plain(0), "0"),
        (fmt.bytes_(512), "512 B"), (fmt.bytes_(29_000), "29 kB"),
        (fmt.bytes_(1_200_000), "1.2 MB"),
        (fmt.bytes_(999_600), "1.0 MB"), (fmt.bytes_(3_000_000_000), "3.0 GB"),
    ],
)  # fmt: skip
def test_each_kind_of_number_has_one_form(written, text):
    assert spaced(written) == text


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        ((-420, -610, -250), "−420 ms (−610 to −250)"),
        ((-1190, -830, -1420), "−1.19 s (−1.42 to −0.83)"),
        ((12, -31, 55), "+12 ms (−31 to 55)"),
        ((882, 740, 1040), "+882 ms (1,040 to 740)"),
        ((0, 0, 0), "0"),
        ((0, -3, 4), "0 ms (−3.0 to 4.0)"),
        ((72_000, 70_000, 74_000), "+1 min 12 s (1 min 14 s to 1 min 10 s)"),
        ((5, None, None), "+5.0 ms"),
    ],
)
def test_an_interval_has_one_unit_and_the_larger_effect_first(figures, text):
    ns = [None if value is None else value * 1_000_000 for value in figures]
    assert spaced(fmt.interval(*ns)) == text


def test_the_interval_of_a_level_runs_from_low_to_high():
    assert fmt.between(6_400_000_000, 6_740_000_000, 6_110_000_000) == "6.11 to 6.74"
    assert fmt.between(2_100_000_000, None, None) == "–"


def test_ticks_share_a_unit_near_a_second_and_never_mix_across_decades():
    assert [spaced(t) for t in fmt.ticks([0, S // 2, 2 * S])] == ["0", "0.5 s", "2 s"]
    assert [spaced(t) for t in fmt.ticks([S // 100, S])] == ["10 ms", "1 s"]


@given(st.integers(-(10**16), 10**16))
def test_a_length_never_breaks_and_never_shows_a_hyphen_for_a_minus(ns):
    text = fmt.ms(ns)
    assert " " not in text
    assert "-" not in text
    assert text.startswith(fmt.MINUS) == (ns < 0)


@given(st.integers(0, 10**14), st.integers(0, 10**14))
def test_the_longer_of_two_lengths_never_reads_shorter(first, second):
    def read(text: str) -> float:
        units = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600}
        parts = text.replace("<", "").replace(",", "").split(fmt.THIN)
        return sum(float(n) * units[u] for n, u in zip(parts[::2], parts[1::2], strict=False))

    short, long = sorted((first, second))
    assert read(fmt.ms(short)) <= read(fmt.ms(long)) + 1e-9
    assert abs(read(fmt.ms(long)) * S - long) <= max(long * 0.051, 10_000)


@given(st.floats(0, 1))
def test_a_share_is_zero_only_where_nothing_is_there(x):
    assert (fmt.share(x) == "0\u202f%") == (x == 0)
    assert (fmt.attainment(x) == "100\u202f%") == (x == 1)


@given(*[st.integers(-(10**12), 10**12)] * 3)
def test_an_interval_does_not_depend_on_the_order_of_its_bounds(typical, low, high):
    assert fmt.interval(typical, low, high) == fmt.interval(typical, high, low)
    assert ("(" in fmt.interval(typical, low, high)) != (typical == low == high)
