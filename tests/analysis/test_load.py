"""Queues: the textbook's table, and what calls tell of one."""

import math

import numpy as np
import pytest

from analysis.advice.load import load, markov_wait, running

S = 1_000_000_000


@pytest.mark.parametrize(
    ("servers", "utilisation", "waits"),
    [
        (1, 0.5, 1.0), (1, 0.8, 4.0), (2, 0.8, 1.78), (4, 0.8, 0.75), (8, 0.9, 0.88),
        (16, 0.95, 0.98),
    ],
)  # fmt: skip
def test_the_wait_in_service_times_is_that_of_the_textbook(servers, utilisation, waits):
    assert markov_wait(servers, servers * utilisation) == pytest.approx(waits, abs=0.006)


def test_more_work_than_slots_waits_for_ever():
    assert markov_wait(2, 2.0) == math.inf


def test_running_counts_those_begun_and_not_ended():
    start, end = np.asarray([0, 1, 2, 10]), np.asarray([3, 5, 4, 12])
    assert running(start, end).tolist() == [1, 2, 3, 1]


def simulated(slots, calls=4000, mean=0.25):
    """Calls that arrive at random in one queue before so many slots; utilisation 0.2 / mean."""
    rng = np.random.default_rng(3)
    arrived = np.cumsum(rng.exponential(mean * S / slots, calls)).astype(np.int64)
    service = rng.exponential(0.2 * S, calls).astype(np.int64) + 1
    free, begun = np.zeros(slots, np.int64), []
    for at, length in zip(arrived, service, strict=True):
        place = int(free.argmin())
        begun.append(max(at, free[place]))
        free[place] = begun[-1] + length
    return load(arrived, np.asarray(begun) - arrived, np.asarray(begun) + service)


def test_the_formula_explains_a_queue_of_its_own_kind_and_says_what_more_slots_bring():
    found = simulated(2)
    assert found.slots == 2
    assert found.utilisation == pytest.approx(0.8, abs=0.05)
    assert found.explains
    assert found.ratio(2) == pytest.approx(1.0)
    more = simulated(4, mean=0.5)  # the same arrivals, four slots
    measured = more.observed_wait_ns / found.observed_wait_ns
    assert found.ratio(4) == pytest.approx(measured, abs=0.05)


def test_it_does_not_claim_to_explain_what_it_cannot():
    rng = np.random.default_rng(1)
    arrived = np.sort(rng.integers(0, 100 * S, 100))
    found = load(arrived, np.full(100, 50 * S), arrived + 51 * S)
    assert not found.explains
    assert load(arrived[:1], arrived[:1], arrived[:1]) is None
