"""Work that outlives the page that began it: progress to look at, a button to cancel."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from analysis.errors import UserError
from services.progress import CancelledError, Progress, Step


@dataclass
class Job:
    """One piece of work in a thread; `result` or `error` is set when `done`.

    `kind` says what is worked on, "import" or "rules", and so which part of a page shows it.
    """

    id: int
    title: str
    kind: str = "import"
    step: Step | None = None
    result: Any = None
    error: str | None = None
    cancelled: bool = False
    finished: threading.Event = field(default_factory=threading.Event)
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def done(self) -> bool:
        """Whether the work has ended, in whatever way."""
        return self.finished.is_set()

    def cancel(self) -> None:
        """Ask the work to stop at its next step."""
        self._stop.set()

    def progress(self, step: Step) -> None:
        """Keep the newest step; raises `CancelledError` once `cancel` was called."""
        self.step = step
        if self._stop.is_set():
            raise CancelledError


class Jobs:
    """The jobs of one process, in order of their beginning."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._jobs: dict[int, Job] = {}

    def start(self, title: str, work: Callable[[Progress], Any], kind: str = "import") -> Job:
        """Begin work in a thread of its own and return its job at once."""
        job = Job(next(self._numbers), title, kind)
        self._jobs[job.id] = job
        threading.Thread(target=_run, args=(job, work), daemon=True, name=title).start()
        return job

    def all(self, kind: str = "import") -> list[Job]:
        """Every job of a kind that has not been dismissed, oldest first."""
        return [job for job in list(self._jobs.values()) if job.kind == kind]

    def find(self, job_id: int) -> Job | None:
        """A job by its number."""
        return self._jobs.get(job_id)

    def dismiss(self, job_id: int) -> None:
        """Forget a job that is done."""
        self._jobs.pop(job_id, None)


def _run(job: Job, work: Callable[[Progress], Any]) -> None:
    try:
        job.result = work(job.progress)
    except CancelledError:
        job.cancelled = True
    except UserError as error:
        job.error = str(error)
    except Exception as error:  # a bug must be seen by whoever looks at the job, and in the log
        job.error = f"{type(error).__name__}: {error}"
        raise
    finally:
        job.finished.set()
