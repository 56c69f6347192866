"""Siblings that are attempts of one call: which of them failed, and the gaps between them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import pairwise
from typing import Any, Final

from analysis.staging.marks import attribute
from analysis.tree import Span

RESEND_KEYS: Final = ("http.request.resend_count", "http.resend_count", "retry.count")

TARGET_KEYS: Final = (
    "url.full",
    "http.url",
    "url.path",
    "http.target",
    "db.query.text",
    "db.statement",
    "rpc.method",
)
STATUS_KEYS: Final = ("http.response.status_code", "http.status_code")
_PASSING = (408, 425, 429)  # of the 4xx answers, those that are worth another try
OVERLAP_NS = 1_000_000  # a failed attempt may be closed only once the next one runs


def retries(parent: Span) -> list[tuple[Span, Span]]:
    """Pairs of children: an attempt that failed, and the attempt that followed it."""
    if len(parent.children) < 2:
        return []
    children = sorted((c for c in parent.children if c.blocking), key=_by_start)
    starts = [child.start for child in children if child.start < child.end]
    alike: defaultdict[tuple[Any, ...], list[Span]] = defaultdict(list)
    for child in children:
        alike[child.name, child.service, child.kind, target(child)].append(child)
    again = [
        (first, then)
        for siblings in alike.values()
        for first, then in pairwise(siblings)
        if first.end <= then.start + OVERLAP_NS and _retried(first, then, starts)
    ]
    return again + _fallbacks(children, starts, {first.key for first, _then in again})


def _fallbacks(children: list[Span], starts: list[int], known: set[str]) -> list[tuple[Span, Span]]:
    """Model calls that failed, whatever the error, and the call of another model right after."""
    calls = [span for span in children if span.is_call and not span.observer]
    return [
        (first, then)
        for first, then in pairwise(calls)
        if (first.status == "error" or failed(first))
        and first.key not in known
        and (first.service, first.kind) == (then.service, then.kind)
        and (first.name, target(first)) != (then.name, target(then))
        and first.end <= then.start + OVERLAP_NS
        and _starts_between(first, then, starts) <= 0
    ]


def target(span: Span) -> str:
    """What a span asks for; "None" where it does not say."""
    return str(attribute(span, TARGET_KEYS))


def _by_start(span: Span) -> tuple[int, int, str]:
    return span.start, span.end, span.key


def _retried(first: Span, then: Span, starts: list[int]) -> bool:
    if resent(then):
        return True
    if _is_attempt(then) and (_is_attempt(first) or failed(first)):
        return True
    # an agent that works on between two tries of one tool decides anew: no backoff
    return failed(first) and _starts_between(first, then, starts) <= 0


def _starts_between(first: Span, then: Span, starts: list[int]) -> int:
    return bisect_left(starts, then.start) - bisect_left(starts, max(first.end, first.start + 1))


def _is_attempt(span: Span) -> bool:
    return span.rule is not None and span.rule.role == "retry"


def resent(span: Span) -> bool:
    """Whether a span says that it was sent again."""
    try:
        return int(attribute(span, RESEND_KEYS) or 0) > 0
    except (TypeError, ValueError):
        return False


def failed(span: Span) -> bool:
    """Whether a span says that it failed in a way that another try may mend."""
    try:
        code = int(attribute(span, STATUS_KEYS))
    except (TypeError, ValueError):
        return span.status == "error"
    return code >= 500 or code in _PASSING or (span.status == "error" and code < 400)
