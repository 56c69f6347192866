"""The gaps between the tokens of a streamed answer, where its emitter writes an event for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from analysis.rules import TOKENS
from analysis.staging.marks import event_times
from analysis.tree import Span

TOKEN, CHUNK = TOKENS

UNKNOWN: Final[dict[str, int | str | None]] = {
    "token_gaps": None, "itl_unit": None,
    "itl_p50_ns": None, "itl_p99_ns": None, "itl_max_ns": None,
}  # fmt: skip
"""The columns of a call that tells no instants."""


class Gaps(NamedTuple):
    """Ns between one event and the next, ascending; what an event is, and which events they are."""

    ns: Sequence[int]
    unit: str  # token, or chunk: may hold several tokens
    mark: str
    key: str


def token_gaps(carriers: Iterable[Span], output_tokens: int | None) -> Gaps | None:
    """The gaps of the first span, and of its first mark, that has such events; None without any.

    A token that comes in fewer events than the answer has tokens is a chunk, whatever its name.
    """
    for span in carriers:
        if not span.events or span.rule is None:
            continue
        for mark in span.rule.marks:
            times = sorted(event_times(span, mark.key)) if mark.name in TOKENS else []
            if times:
                several = output_tokens is not None and output_tokens > len(times)
                unit = CHUNK if several else mark.name
                ns = sorted(after - before for before, after in pairwise(times))
                return Gaps(ns, unit, mark.name, mark.key)
    return None


def gap_columns(gaps: Gaps | None) -> dict[str, int | str | None]:
    """How many gaps, between what, their median, p99 and the largest in ns."""
    if gaps is None:
        return UNKNOWN
    if not gaps.ns:
        return UNKNOWN | {"token_gaps": 0, "itl_unit": gaps.unit}
    return {
        "token_gaps": len(gaps.ns),
        "itl_unit": gaps.unit,
        "itl_p50_ns": percentile(gaps.ns, 50),
        "itl_p99_ns": percentile(gaps.ns, 99),
        "itl_max_ns": gaps.ns[-1],
    }


def percentile(ascending: Sequence[int], percent: int) -> int:
    """A percentile by linear interpolation, rounded half up, all in integers.

    `percentile([10, 20, 40], 50)` is 20, `percentile([10, 20], 99)` also 20 (19.9 rounded).
    """
    at, rest = divmod(percent * (len(ascending) - 1), 100)
    low, high = ascending[at], ascending[min(at + 1, len(ascending) - 1)]
    return low + (rest * (high - low) + 50) // 100
