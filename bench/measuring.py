"""CPU seconds and resident memory of pieces of work."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROUNDS = 3
STATM = Path("/proc/self/statm")


def on_one_core() -> None:
    """Keep the process, and every thread that it starts, on one core where the system lets it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """The least CPU seconds of a few runs, all threads together, and the last answer."""
    times, answer = [], None
    for _round in range(ROUNDS):
        gc.collect()
        started = time.process_time()
        answer = work()
        times.append(time.process_time() - started)
    return min(times), answer


class Phases:
    """CPU seconds and the highest resident memory (MB) by phase; phases may lie in each other.

    Inside another phase a phase takes its time away from that one.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.megabytes: defaultdict[str, float] = defaultdict(float)
        self._open: list[str] = []
        self._since = time.process_time()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self._book()
        self._open.append(name)
        try:
            yield
        finally:
            self._book()
            self._open.pop()

    def _book(self) -> None:
        now = time.process_time()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look at the memory every few milliseconds (0 where the system does not tell)."""
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(done,), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def _watch(self, done: threading.Event) -> None:
        while not done.wait(0.02):
            used = resident()
            for name in list(self._open):
                self.megabytes[name] = max(self.megabytes[name], used)

    def timed(self, room: Any, name: str, phase: str) -> None:
        """Book every call of a function to a phase, under the name by which others call it."""
        function = getattr(room, name)

        def booked(*values: Any, **named: Any) -> Any:
            with self.phase(phase):
                return function(*values, **named)

        setattr(room, name, booked)


def resident() -> float:
    """Resident memory in MB, 0 where the system does not tell."""
    if not STATM.exists():
        return 0.0
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
