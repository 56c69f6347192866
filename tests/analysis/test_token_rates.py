"""A token's time is a median-based line, or refused."""

import numpy as np
import pytest

from analysis.advice.token_rates import rate

TOKENS = np.linspace(100, 1000, 60)


def test_a_line_is_found_through_outliers():
    lengths = 5_000 + 30 * TOKENS
    lengths[::6] *= 50
    found = rate(TOKENS, lengths)
    assert found.per_token_ns == pytest.approx(30, rel=0.02)
    assert found.base_ns == pytest.approx(5_000, rel=0.2)
    assert found.refusal == ""


@pytest.mark.parametrize(
    ("tokens", "lengths", "refusal"),
    [
        (TOKENS[:19], TOKENS[:19] * 30, "few"),
        (np.linspace(60, 64, 60), TOKENS, "narrow"),
        (TOKENS, TOKENS[::-1] * 30, "flat"),
        (np.full(60, np.nan), TOKENS, "few"),
    ],
)
def test_data_that_cannot_carry_a_line_are_refused(tokens, lengths, refusal):
    found = rate(tokens, lengths)
    assert found.refusal == refusal
    assert found.per_token_ns is None
