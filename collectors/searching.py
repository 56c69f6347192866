"""What sources share: searches whose limit hides nothing, and the way through the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from analysis.spans import MetricBatch, SpanBatch
from collectors.draft import Draft, Point
from collectors.fields import FieldError, hex_id
from collectors.gate import Gate
from collectors.report import ReadReport


def halved(
    window: tuple[int, int],
    shortest: int,
    limit: int,
    ask: Callable[[int, int], list[Any]],
    cut: Callable[[int, int], None],
) -> Iterator[Any]:
    """Everything that `ask` finds in a window of whole numbers, both ends included.

    A part whose answer reaches the limit is halved and asked again, without recursion, down to
    the shortest; what exceeds the limit in it is told to `cut`.
    """
    waiting = [window]
    while waiting:
        start, end = waiting.pop()
        found = ask(start, end)
        if len(found) >= limit:
            if end - start >= max(shortest, 1):
                middle = (start + end) // 2
                waiting += [(middle + 1, end), (start, middle)]
                continue
            cut(start, end)
        yield from found


def is_new(trace_id: object, seen: set[str]) -> bool:
    """Whether a trace did not come yet; it is remembered. One without a readable id is new."""
    try:
        known = hex_id(trace_id, "traceId", 32)
    except FieldError:
        return True
    if known is None or known not in seen:
        seen.add(known or "")
        return True
    return False


def gated(
    documents: Iterable[Iterable[Draft | Point]], report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """The batches of documents, each of which is the records of one answer or trace."""
    gate = Gate(report)
    for records in documents:
        for record in records:
            gate.add(record)
            yield from gate.batches()
        gate.end_document()
    yield from gate.batches(final=True)


def iso_of(time_ns: int) -> str:
    """An instant as RFC 3339 with nanoseconds.

    >>> iso_of(1_700_000_000_000_000_001)
    '2023-11-14T22:13:20.000000001Z'
    """
    seconds, rest = divmod(time_ns, 10**9)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"
