"""One vLLM replica: one prefill at a time, decodes share the card and slow each other down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from data.samples.places import MS

if TYPE_CHECKING:
    from data.samples.engine import Job

MAX_NUM_SEQS: Final = 2
"""A setting left over from a smaller card: the memory would hold many more sequences."""

ALPHA_NS: Final = 68_000
"""Prefill per uncached prompt token: 8B parameters in bf16 on an L40S at two thirds of its peak."""

BETA_NS: Final = 11_700_000
"""One decode step at batch 1: 8 GB of 8-bit weights at 0.8 of 864 GB/s."""

BETA_EXTRA_NS: Final = 1_900_000
"""What each further sequence adds to a step."""

STALL: Final = 1.55
"""A decode step that shares the card with a prefill chunk takes so much longer."""


class Replica:
    """The state of one engine; times are ns, `slowness` scales every step."""

    def __init__(self, number: int, slowness: float = 1.0, ready: bool = True) -> None:
        self.number, self.slowness, self.ready = number, slowness, ready
        self.loading = False
        self.ready_ns = 0
        self.pending = 0
        self.waiting: list[Job] = []
        self.prefilling: Job | None = None
        self.decoding: list[tuple[Job, float]] = []
        self.version = 0
        self._seen_ns = 0

    @property
    def _step_ns(self) -> float:
        extra = BETA_EXTRA_NS * (len(self.decoding) - 1)
        stall = STALL if self.prefilling is not None else 1.0
        return (BETA_NS + extra) * self.slowness * stall

    def advance(self, now: int) -> None:
        """Bring every decode up to this instant."""
        made = (now - self._seen_ns) / self._step_ns if self.decoding else 0.0
        self.decoding = [(job, left - made) for job, left in self.decoding]
        self._seen_ns = now

    def begin(self, now: int) -> Job | None:
        """Schedule the next waiting job where there is room for it."""
        running = len(self.decoding) + (self.prefilling is not None)
        if self.prefilling is not None or not self.waiting or running >= MAX_NUM_SEQS:
            return None
        job = self.prefilling = self.waiting.pop(0)
        job.scheduled_ns = now
        return job

    def prefill_ns(self, job: Job) -> int:
        """How long the prompt takes, a little different each time."""
        tokens = job.prompt_tokens - job.cached_tokens
        length = (11 * MS + ALPHA_NS * tokens) * self.slowness
        return round(length * (0.96 + 0.1 * job.rng.random()))

    def start_decode(self, job: Job) -> None:
        """The first token is out; the others follow one step each."""
        self.prefilling = None
        self.decoding.append((job, float(max(1, job.output_tokens - 1))))

    def next_end_ns(self, now: int) -> int | None:
        """When the next decode ends if nothing changes until then."""
        if not self.decoding:
            return None
        return now + 1 + int(min(left for _, left in self.decoding) * self._step_ns)

    def finished(self) -> list[Job]:
        """The jobs whose last token is out; they leave the batch."""
        done = [job for job, left in self.decoding if left <= 0]
        self.decoding = [(job, left) for job, left in self.decoding if left > 0]
        return done
