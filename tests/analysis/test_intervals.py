"""The bootstrap is paired, seeded and honest about its sample and its assumption."""

import numpy as np
import pytest

from analysis.advice.intervals import (
    percentile,
    percentile_change,
    resampled_percentiles,
    resamples,
    tied,
)

RNG = np.random.default_rng(7)
TODAY = RNG.lognormal(20, 0.5, size=400).astype(np.int64)


def change(after, percent=95, low=None, high=None):
    low, high = after if low is None else low, after if high is None else high
    return percentile_change(TODAY, (low, after, high), percent)


def test_no_change_has_no_interval():
    found = change(TODAY)
    assert (found.low, found.typical, found.high) == (0, 0, 0)


def test_a_constant_saving_is_certain_since_the_resamples_are_paired():
    found = change(TODAY - 1_000)
    assert (found.low, found.typical, found.high) == pytest.approx((1_000, 1_000, 1_000))


def test_the_same_input_gives_the_same_interval():
    assert change(TODAY // 2) == change(TODAY // 2)


def test_the_interval_covers_the_truth_in_about_90_of_100_samples():
    truth = np.exp(20 + 0.5 * 1.6448536269514722)
    hits = 0
    for seed in range(100):
        sample = np.random.default_rng(seed).lognormal(20, 0.5, size=300)
        found = percentile_change(sample, (sample * 0.5,) * 3, 95)
        hits += found.low <= truth / 2 <= found.high
    assert 80 <= hits <= 98


def test_a_doubtful_assumption_widens_the_interval():
    sure = change(TODAY // 2)
    doubtful = change(TODAY // 2, low=TODAY, high=TODAY // 10)
    assert doubtful.low < sure.low
    assert sure.high < doubtful.high
    assert doubtful.typical == sure.typical


def test_a_saving_may_be_negative():
    assert change(TODAY + 500).high == pytest.approx(-500)


def test_resampled_percentiles_interpolate_like_the_percentile_itself():
    picks = resamples(37)
    values = TODAY[:37]
    expected = [percentile(values[row], 95) for row in picks]
    assert resampled_percentiles(values, picks, 95) == pytest.approx(expected)
    assert resampled_percentiles(values[:1], resamples(1), 50) == pytest.approx([values[0]] * 400)


def test_two_savings_tie_while_neither_wins_in_80_of_100_draws():
    first = np.arange(100.0)
    assert tied(first, np.full(100, 50.0))
    assert not tied(first, np.full(100, 10.0))
    assert tied(first, first)
