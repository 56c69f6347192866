"""Step 5: bring the clocks of one trace together by the smallest shifts that fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analysis.cleaning.evidence import streams
from analysis.cleaning.forest import Forest, order, same_clock, tolerance, walk
from analysis.tree import Span

LIMIT_NS = 300_000_000_000
CALLERS = ("client", "internal", "unspecified")
CALLEES = ("server", "internal", "unspecified")
_FAR = 1 << 62
_Clock = tuple[str, str | None]


@dataclass(slots=True)
class _Slack:
    """The shifts (ns) of a callee against its caller under which all spans of a pair fit.

    From `low` to `high` they fit exactly, from `soft_low` to `soft_high` within the tolerance.
    """

    low: int = -_FAR
    high: int = _FAR
    soft_low: int = -_FAR
    soft_high: int = _FAR

    def narrow(self, low: int, high: int, soft: int) -> None:
        self.low, self.high = max(self.low, low), min(self.high, high)
        self.soft_low = max(self.soft_low, low - soft)
        self.soft_high = min(self.soft_high, high + soft)

    def allows(self, shift: int) -> bool:
        return self.soft_low <= shift <= self.soft_high

    def shift(self, base: int) -> int | None:
        """None where nothing fits; first choice: stay (the caller moved by `base`), then follow."""
        for candidate in (-base, 0):
            if self.allows(candidate):
                return candidate
        return min(max(0, self.low), self.high) if self.low <= self.high else None


Known = Callable[[Span, Span], int | None]
"""(parent, child) -> the ns by which the child's clock is off against the parent's, as recorded."""


def shifts(forest: Forest, known: Known | None = None) -> dict[str, int]:
    """By how many ns to move each span that has to move, by key.

    What is `known` of two clocks stands in place of what this trace alone says of them, where the
    call fits so. Spans that would have to move by more than `LIMIT_NS` stay, flagged
    `skew_over_limit`.
    """
    for span in forest.spans:
        span.children.sort(key=order)
        span.flags.pop("skew_over_limit", None)
    tree = walk(sorted(forest.roots, key=order))
    lost = walk(sorted(forest.orphans, key=order))
    clocks = _Clocks(known)
    for span in tree + lost:
        clocks.observe(span)
    moved: dict[str, int] = {}
    for span in tree:
        moved[span.key] = clocks.shift(span, moved[span.parent.key] if span.parent else 0)
    agreed = _agreed(tree, moved)
    for span in lost:
        if span.parent is None:
            moved[span.key] = agreed.get(_clock(span), 0)
        else:
            moved[span.key] = clocks.shift(span, moved[span.parent.key])
    return {key: shift for key, shift in moved.items() if shift}


def move(forest: Forest, by_key: dict[str, int]) -> None:
    """Move spans and their events (`skew_corrected`: the ns to add to an absolute mark too)."""
    for span in forest.spans:
        shift = by_key.get(span.key, 0)
        if not shift:
            continue
        span.start, span.end = span.start + shift, span.end + shift
        total = (span.flags.pop("skew_corrected", 0) or 0) + shift
        if total:
            span.flags["skew_corrected"] = total
        for event in span.events:
            event.time_ns = None if event.time_ns is None else event.time_ns + shift


def _clock(span: Span) -> _Clock:
    return ("host", span.host) if span.host is not None else ("service", span.service)


def _agreed(tree: list[Span], moved: dict[str, int]) -> dict[_Clock, int]:
    """The shift of every clock whose spans all moved alike."""
    seen: dict[_Clock, set[int]] = {}
    for span in tree:
        seen.setdefault(_clock(span), set()).add(moved[span.key])
    return {clock: found.pop() for clock, found in seen.items() if len(found) == 1}


class _Clocks:
    """What the calls of one trace say about its pairs of clocks."""

    def __init__(self, known: Known | None) -> None:
        self._known = known
        self._slack: dict[tuple[_Clock, _Clock], _Slack] = {}
        self._joint: dict[tuple[_Clock, _Clock], int | None] = {}

    def observe(self, child: Span) -> None:
        parent = child.parent
        if parent is None or same_clock(parent, child) or not _tells(parent, child):
            return
        above, below = _clock(parent), _clock(child)
        low, high = _room(parent, child)
        soft = tolerance(parent)
        self._slack.setdefault((above, below), _Slack()).narrow(low, high, soft)
        self._slack.setdefault((below, above), _Slack()).narrow(-high, -low, soft)

    def shift(self, child: Span, base: int) -> int:
        """The ns by which `child` moves, its parent having moved by `base`."""
        parent = child.parent
        if parent is None or same_clock(parent, child):
            return base
        joint = self._told(parent, child)
        if joint is None:
            joint = self._of_pair(_clock(parent), _clock(child), base)
        own = _Slack()
        own.narrow(*_room(parent, child), tolerance(parent))
        if not _tells(parent, child):
            return _carried(own, base, joint)
        if joint is not None and own.allows(joint) and abs(base + joint) <= LIMIT_NS:
            return base + joint
        shift = base + (own.shift(base) or 0)
        if abs(shift) > LIMIT_NS:
            child.flags["skew_over_limit"] = shift
            return 0
        return shift

    def _told(self, parent: Span, child: Span) -> int | None:
        """What is left of the known shift after the moves of earlier rounds."""
        shift = None if self._known is None else self._known(parent, child)
        return None if shift is None else shift + _moved(parent) - _moved(child)

    def _of_pair(self, above: _Clock, below: _Clock, base: int) -> int | None:
        """The one shift between two clocks; None where no shift fits all their calls."""
        pair = (above, below)
        if pair not in self._joint:
            shift = self._slack[pair].shift(base) if pair in self._slack else None
            self._joint[pair] = shift
            self._joint[below, above] = None if shift is None else -shift
        return self._joint[pair]


def _moved(span: Span) -> int:
    return span.flags.get("skew_corrected") or 0


def _carried(own: _Slack, base: int, joint: int | None) -> int:
    """Where a child that would not fit goes: with its clock, else where it starts inside."""
    if joint is not None and abs(base + joint) <= LIMIT_NS:
        return base + joint
    return base if own.allows(0) and not own.allows(-base) else 0


def _tells(parent: Span, child: Span) -> bool:
    """Whether this call says something of the two clocks: it would fit if moved."""
    return child.blocking and (_would_fit(parent, child) or streams(child))


def _would_fit(parent: Span, child: Span) -> bool:
    return child.end - child.start <= parent.end - parent.start + tolerance(parent)


def room(parent: Span, child: Span) -> tuple[int | None, int | None] | None:
    """The shifts (ns) between which a call fits, None on a side that says nothing.

    None where the call says nothing of the two clocks at all.
    """
    if not _tells(parent, child):
        return None
    first, last = parent.start - child.start, parent.end - child.end
    if not _would_fit(parent, child):
        return first, parent.end - child.start
    if not _is_call(parent, child):
        return first, None
    return (first, last) if first <= last else None


def _room(parent: Span, child: Span) -> tuple[int, int]:
    """From which to which shift (ns) the child lies where it can lie.

    A call fits wholly. Any other child starts no earlier than its parent, but one that starts or
    ends after it may stay: redirects do, and parents end early. Only a server cannot begin to
    answer a client that has its headers already.
    """
    first, last = parent.start - child.start, parent.end - child.end
    if not _would_fit(parent, child):
        answers = (parent.kind, child.kind) == ("client", "server")
        late = parent.end - 1 - child.start
        return first, max(first, late if answers else max(late, 0))
    return (
        (min(first, last), max(first, last))
        if _is_call(parent, child)
        else (first, max(first, last, 0))
    )


def _is_call(parent: Span, child: Span) -> bool:
    """Whether the parent waits for the child, so that the child's end says something as well."""
    return parent.kind in CALLERS and child.kind in CALLEES
