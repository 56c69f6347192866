"""How busy the model servers were, and how a queue's wait would change with more room."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.replay.model import Ints

LEAST_CALLS: Final = 30
MOST_APART: Final = 3.0
"""The formula is used only where its wait is within this factor of the wait that was observed."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Load:
    """Calls as a queue: `slots` is how many were served at once when it was fullest (p99)."""

    calls: int
    slots: int
    utilisation: float
    arrival_variation: float  # squared coefficient of variation of the gaps between arrivals
    service_variation: float  # the same, of the service times
    service_ns: float
    observed_wait_ns: float

    def wait_ns(self, slots: float = 0, busier: float = 1.0) -> float:
        """The mean wait by Allen-Cunneen with this many slots (default: as observed).

        `busier` multiplies the arrivals. Infinite where the slots cannot carry them.
        """
        servers = max(round(slots or self.slots), 1)
        offered = self.utilisation * self.slots * busier
        variation = (self.arrival_variation + self.service_variation) / 2
        return markov_wait(servers, offered) * self.service_ns * variation

    @property
    def explains(self) -> bool:
        """Whether the formula gives about the wait that was observed."""
        predicted = self.wait_ns()
        if self.observed_wait_ns <= 0 or not 0 < predicted < math.inf:
            return False
        ratio = predicted / self.observed_wait_ns
        return self.calls >= LEAST_CALLS and 1 / MOST_APART <= ratio <= MOST_APART

    def ratio(self, slots: float, busier: float = 1.0) -> float:
        """The wait with so many slots over the wait today; 1 at most."""
        return min(self.wait_ns(slots, busier) / self.wait_ns(), 1.0)


def markov_wait(servers: int, offered: float) -> float:
    """The mean wait of M/M/c in service times; `offered` is arrivals times service time.

    Example: `markov_wait(4, 3.2)` is 0.75 (utilisation 0.8).
    """
    if offered >= servers:
        return math.inf
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = offered * blocked / (count + offered * blocked)
    utilisation = offered / servers
    waits = blocked / (1 - utilisation * (1 - blocked))
    return waits / (servers * (1 - utilisation))


def running(start_ns: Ints, end_ns: Ints) -> Ints:
    """For each call how many are being served when it begins, itself included."""
    begun = np.searchsorted(np.sort(start_ns), start_ns, side="right")
    ended = np.searchsorted(np.sort(end_ns), start_ns, side="right")
    return np.maximum(np.asarray(begun - ended, dtype=np.int64), 1)


def variation(values: Numbers) -> float:
    """The squared coefficient of variation: variance over squared mean."""
    mean = float(np.mean(values)) if len(values) else 0.0
    return float(np.var(values)) / mean**2 if mean > 0 else 0.0


def load(arrived_ns: Ints, wait_ns: Ints, end_ns: Ints) -> Load | None:
    """The load of calls that arrive, wait, are served and end (ns); None of fewer than two."""
    if len(arrived_ns) < 2:
        return None
    order = np.argsort(arrived_ns, kind="stable")
    arrived, wait, end = arrived_ns[order], wait_ns[order], end_ns[order]
    service = (end - arrived - wait).astype(np.float64)
    window = float(arrived[-1] - arrived[0])
    if window <= 0 or service.mean() <= 0:
        return None
    slots = int(np.percentile(running(arrived + wait, end), 99))  # clocks jitter: not the max
    offered = (len(arrived) - 1) / window * float(service.mean())
    return Load(
        calls=len(arrived),
        slots=slots,
        utilisation=offered / slots,
        arrival_variation=variation(np.diff(arrived).astype(np.float64)),
        service_variation=variation(service),
        service_ns=float(service.mean()),
        observed_wait_ns=float(wait.mean()),
    )
