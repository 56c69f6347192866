"""Router and vLLM replicas as a discrete-event simulation: every wait comes from the load."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from data.samples.places import MS, SECOND
from data.samples.replica import Replica

MAX_ATTEMPTS: Final = 3
GATE_PER_REPLICA: Final = 7
"""Requests that the router lets through per replica that it knows; the rest wait in line."""

MAX_WAITING: Final = 5
"""A replica with so many waiting requests answers 503."""

SCALE_UP_WAITING: Final = 5
COLD_PENDING: Final = 2
QUIET_NS: Final = 200 * SECOND


@dataclass
class Attempt:
    """One try of the router at one replica."""

    replica: int
    start_ns: int
    end_ns: int = 0
    failed: bool = False


@dataclass
class Job:
    """A model call and, once `run` is over, when each of its steps happened (ns)."""

    at_ns: int
    seed: str
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    flakes: int = 0
    admitted_ns: int = 0
    attempts: list[Attempt] = field(default_factory=list)
    cold_ns: int = 0
    engine_ns: int = 0
    queued_ns: int = 0
    scheduled_ns: int = 0
    first_token_ns: int = 0
    last_token_ns: int = 0
    failed: bool = False
    rng: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(f"{self.seed}/model")  # noqa: S311 - a sample, not a secret

    @property
    def replica(self) -> int:
        """The number of the replica that answered."""
        return self.attempts[-1].replica


class Cluster:
    """Two replicas that always run and a third that is started when requests wait.

    The router deals requests round robin, blind to their length and to the replica's speed;
    the second replica's card is hot and clocks down, so that its line grows first.
    """

    def __init__(self) -> None:
        self.replicas = [Replica(1), Replica(2, slowness=1.34), Replica(3, ready=False)]
        self.line: list[Job] = []
        self.in_flight = 0
        self.turn = 0
        self.pressed_ns = 0
        self._events: list[tuple[int, int, str, object]] = []
        self._count = 0

    def run(self, jobs: list[Job]) -> None:
        """Fill in the times of every job."""
        for job in jobs:
            self._later(job.at_ns, "arrive", job)
        while self._events:
            now, _, kind, subject = heappop(self._events)
            getattr(self, f"_{kind}")(now, subject)

    def _later(self, at_ns: int, kind: str, subject: object) -> None:
        self._count += 1
        heappush(self._events, (at_ns, self._count, kind, subject))

    def _arrive(self, now: int, job: Job) -> None:
        self.line.append(job)
        self._admit(now)
        self._autoscale(now)

    def _admit(self, now: int) -> None:
        limit = GATE_PER_REPLICA * sum(replica.ready for replica in self.replicas)
        while self.line and self.in_flight < limit:
            job = self.line.pop(0)
            job.admitted_ns = now
            self.in_flight += 1
            self._later(now + job.rng.randrange(300_000, 900_000), "dispatch", job)

    def _dispatch(self, now: int, job: Job) -> None:
        replica = self._next_replica()
        attempt = Attempt(replica.number, now)
        job.attempts.append(attempt)
        if len(job.attempts) <= job.flakes:
            return self._fail(now, job, job.rng.randrange(180 * MS, 620 * MS))
        if len(replica.waiting) >= MAX_WAITING:
            return self._fail(now, job, job.rng.randrange(2 * MS, 9 * MS))
        replica.pending += 1
        arrival = now + job.rng.randrange(310_000, 1_400_000)
        job.cold_ns = max(0, replica.ready_ns - arrival)
        self._later(arrival + job.cold_ns, "engine", (job, replica))
        return None

    def _next_replica(self) -> Replica:
        while True:
            replica = self.replicas[self.turn % len(self.replicas)]
            self.turn += 1
            if replica.ready or (replica.loading and replica.pending < COLD_PENDING):
                return replica

    def _fail(self, now: int, job: Job, length_ns: int) -> None:
        attempt = job.attempts[-1]
        attempt.failed, attempt.end_ns = True, now + length_ns
        if len(job.attempts) < MAX_ATTEMPTS:
            backoff = (250 << (len(job.attempts) - 1)) * MS
            pause = backoff + job.rng.randrange(backoff // 2)
            self._later(attempt.end_ns + pause, "dispatch", job)
        else:
            job.failed = True
            self._later(attempt.end_ns, "leave", job)

    def _engine(self, now: int, subject: tuple[Job, Replica]) -> None:
        job = subject[0]
        job.engine_ns = now
        tokenizing = 1_600_000 + 1_150 * job.prompt_tokens + job.rng.randrange(900_000)
        self._later(now + tokenizing, "queued", subject)

    def _queued(self, now: int, subject: tuple[Job, Replica]) -> None:
        job, replica = subject
        job.queued_ns = now
        replica.waiting.append(job)
        self._step(now, replica)

    def _step(self, now: int, replica: Replica) -> None:
        """Let waiting work start and plan when this replica changes next."""
        replica.advance(now)
        begun = replica.begin(now)
        if begun is not None:
            self._later(now + replica.prefill_ns(begun), "prefilled", (begun, replica))
        replica.version += 1
        next_ns = replica.next_end_ns(now)
        if next_ns is not None:
            self._later(next_ns, "tick", (replica, replica.version))

    def _prefilled(self, now: int, subject: tuple[Job, Replica]) -> None:
        job, replica = subject
        replica.advance(now)
        job.first_token_ns = now
        replica.start_decode(job)
        self._step(now, replica)

    def _tick(self, now: int, subject: tuple[Replica, int]) -> None:
        replica, version = subject
        if version != replica.version:
            return
        replica.advance(now)
        for job in replica.finished():
            job.last_token_ns = now
            replica.pending -= 1
            self._later(now, "leave", job)
        self._step(now, replica)

    def _leave(self, now: int, job: Job) -> None:
        self.in_flight -= 1
        self._admit(now)
        self._autoscale(now)

    def _autoscale(self, now: int) -> None:
        spare = self.replicas[-1]
        waiting = len(self.line) + sum(len(replica.waiting) for replica in self.replicas)
        if waiting:
            self.pressed_ns = now
        if waiting >= SCALE_UP_WAITING and not spare.ready and not spare.loading:
            spare.loading, spare.ready_ns = True, now + 8 * SECOND + (now % 5_003) * MS
            self._later(spare.ready_ns, "ready", spare)
        elif spare.ready and not spare.pending and now - self.pressed_ns > QUIET_NS:
            spare.ready = False

    def _ready(self, now: int, spare: Replica) -> None:
        spare.ready, spare.loading = True, False
        self._admit(now)
