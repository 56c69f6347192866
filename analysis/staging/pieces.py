"""Which stage owns each part of every span of a request, on the path or off it."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from analysis.rules import FIRST_TOKEN
from analysis.staging.attempts import retries
from analysis.staging.marks import read_marks
from analysis.staging.matching import Matcher
from analysis.staging.model_calls import CUTTING, Call, first_token_doubt, read_call
from analysis.staging.nesting import nest_servers
from analysis.staging.phases import tell_phases
from analysis.staging.usage import Usage, usage
from analysis.staging.watching import watched_calls
from analysis.tree import Piece, Span

RETRIES: Final = "retries_backoff"

_HAIR_NS = 1_000  # what rounding to microseconds makes of siblings that touch
OTHER_CLIENTS: Final = ("db.system", "db.system.name", "messaging.system")


@dataclass
class Staged:
    """The spans of a request, parents first, and what staging found out about them, by key."""

    spans: list[Span]
    calls: dict[str, Call] = field(default_factory=dict)
    wasted: set[str] = field(default_factory=set)  # failed attempts, with all that lies under them
    sightings: dict[str, dict[str, int]] = field(default_factory=dict)
    """When a first token or byte was seen by a span (ns since the epoch), by source."""


def stage(root: Span, matcher: Matcher) -> Staged:
    """Fill `stage`, `observer`, `pieces` and the call flags of every span of a clean request."""
    adopt_servers(root)
    matcher.reassign(root)
    staged = Staged(preorder(root))
    for span in staged.spans:
        span.observer = span.parent is not None and span is not root and _observes(span)
        if len(span.children) > 1:
            _note_overlaps(span.children)
    watched = watched_calls(staged.spans)
    for span in watched:
        span.observer = True
    gaps = _find_retries(staged)
    lines = _alone(staged.spans)
    for span in staged.spans:
        if span.is_call and not span.observer:
            staged.calls[span.key] = _call(span, staged.wasted, lines[span.key])
        if span.rule is not None and span.rule.marks:
            note_sightings(span, staged)
    tell_phases(staged.spans, staged.calls, staged.wasted)
    heirs: dict[str, Span] = {}
    for span in staged.spans:
        _fill(span, staged, heirs, gaps.get(span.key, []))
    return staged


def preorder(root: Span) -> list[Span]:
    """Every span below and with `root`: parents before children, siblings by start."""
    found, pending = [], [root]
    while pending:
        span = pending.pop()
        found.append(span)
        pending.extend(sorted(span.children, key=_by_start, reverse=True))
    return found


def _by_start(span: Span) -> tuple[int, int, str]:
    return span.start, -span.end, span.key


def adopt_servers(root: Span) -> None:
    """Hang each SERVER span that lies in a sibling's call to another service under that call.

    What is left of the same process within such a server goes under the server (`nest_servers`).
    """
    pending = [root]
    while pending:
        parent = pending.pop()
        if len(parent.children) > 1:
            _adopt(parent)
            nest_servers(parent)
        pending.extend(parent.children)


def _adopt(parent: Span) -> None:
    servers = [c for c in parent.children if c.kind == "server" and c.blocking and c.service]
    callers = [c for c in parent.children if servers and _may_adopt(c)]
    if not callers:
        return
    moved: set[str] = set()
    waiting = sorted(callers, key=_by_start, reverse=True)
    running: list[tuple[int, int, str, Span]] = []
    for server in sorted(servers, key=_by_start):
        while waiting and waiting[-1].start <= server.start:
            caller = waiting.pop()
            insort(running, (caller.end - caller.start, caller.start, caller.key, caller))
        running = [entry for entry in running if entry[3].end >= server.start]
        for entry in running:
            caller = entry[3]
            if caller.end >= server.end and caller.service != server.service:
                moved.add(server.key)
                server.parent = caller
                caller.children.append(server)
                running.remove(entry)
                break
    if moved:
        parent.children = [child for child in parent.children if child.key not in moved]


def _may_adopt(span: Span) -> bool:
    calls = span.kind == "client" or (span.is_call and span.kind != "server")
    if not calls or not span.blocking or any(key in span.attributes for key in OTHER_CLIENTS):
        return False
    return not any(c.kind == "server" and c.service != span.service for c in span.children)


def _observes(span: Span) -> bool:
    if span.rule is not None and span.rule.role == "observer":
        return True
    return _repeats(span)


def _repeats(span: Span) -> bool:
    """Whether a span says once more what its parent says, with the same times."""
    parent = span.parent
    if parent is None or parent.placeholder or span.start == span.end:
        return False
    same = (parent.start, parent.end, parent.service) == (span.start, span.end, span.service)
    return same and ((span.is_call and parent.is_call) or _twin(span, parent))


def _twin(span: Span, parent: Span) -> bool:
    return (span.name, span.kind, span.attributes) == (parent.name, parent.kind, parent.attributes)


def _note_overlaps(children: list[Span]) -> None:
    """Flag a span that starts a hair before the sibling that it seems to follow has ended."""
    line = [child for child in children if child.blocking and child.start < child.end]
    line.sort(key=_by_start)
    for before, after in pairwise(line):
        overlap = before.end - after.start
        shorter = min(before.end - before.start, after.end - after.start)
        if before.end < after.end and 0 < overlap <= max(_HAIR_NS, shorter // 100):
            after.flags["overlapping_siblings"] = overlap


def _find_retries(staged: Staged) -> dict[str, list[tuple[int, int]]]:
    """Note failed attempts; the gaps behind them by the parent's key."""
    gaps: dict[str, list[tuple[int, int]]] = {}
    for span in staged.spans:
        if span.parent is not None and span.parent.key in staged.wasted:
            staged.wasted.add(span.key)
        for first, then in retries(span):
            staged.wasted.add(first.key)
            if then.start > first.end:
                gaps.setdefault(span.key, []).append((first.end, then.start))
    return gaps


def _alone(spans: list[Span]) -> dict[str, list[Span]]:
    """Each call and the spans around it that hold no other one, the nearest first."""
    calls_below: dict[str, int] = {}
    for span in reversed(spans):
        below = calls_below.get(span.key, 0) + (span.is_call and not span.observer)
        calls_below[span.key] = below
        if span.parent is not None:
            calls_below[span.parent.key] = calls_below.get(span.parent.key, 0) + below
    found: dict[str, list[Span]] = {}
    for span in spans:
        around: Span | None = span if span.is_call else None
        line = found.setdefault(span.key, []) if span.is_call else []
        while around is not None and calls_below[around.key] == 1:
            line.append(around)
            around = around.parent
    return found


def note_sightings(span: Span, staged: Staged) -> None:
    """Instants at which this span saw the first token, doubtful ones flagged and left out."""
    call, seen = staged.calls.get(span.key), staged.sightings.setdefault(span.key, {})
    readings = read_marks(span) if call is None else call.readings
    if call is not None and call.first_token is not None and call.first_name is not None:
        seen[FIRST_TOKEN[call.first_name]] = call.first_token
    for name, source in FIRST_TOKEN.items():
        if name not in readings or (call is not None and name in CUTTING):
            continue
        doubt = first_token_doubt(span, readings[name], None)
        reading = readings[name]
        if doubt is None and reading is not None:
            seen[source] = reading.ns
        elif doubt is not None and name in CUTTING and not span.observer:
            span.flags.update([doubt])


def _call(span: Span, wasted: set[str], line: list[Span]) -> Call:
    transports: list[Span] = []
    pending = list(span.children)
    while pending:
        child = pending.pop()
        if child.observer and child.blocking and child.key not in wasted:
            transports.append(child)
            pending.extend(child.children)
    transports.sort(key=_by_start)
    lender = next((near for near in line if usage(near) != Usage(None, None, None)), span)
    call = read_call(span, transports, lender, line)
    span.flags.update(call.flags)
    return call


def _fill(span: Span, staged: Staged, heirs: dict[str, Span], gaps: list[tuple[int, int]]) -> None:
    given = span.rule.stage if span.rule is not None else "unattributed"
    if span.key in staged.wasted:
        pieces = [Piece(RETRIES, span.start, span.end)]
    elif span.key in staged.calls:
        pieces = staged.calls[span.key].pieces
    elif span.is_call and span.observer and not _repeats(span):  # seen by a proxy's filter
        pieces = [Piece("api_gateway", span.start, span.end)]
    elif (carrier := _carrier(span, staged, heirs)) is not None:
        heirs[span.key] = carrier
        pieces = _within(span, carrier, given)
    else:
        pieces = [Piece(_single(span, given), span.start, span.end)]
    span.pieces = overlaid(pieces, gaps, RETRIES) if gaps else pieces
    longest = max(span.pieces, key=lambda piece: piece.end - piece.start)
    span.stage = longest.stage


def _single(span: Span, given: str) -> str:
    """The stage of an undivided span; an attempt that counted is no retry."""
    if given == RETRIES and span.rule is not None and span.rule.role == "retry" and span.parent:
        return span.parent.rule.stage if span.parent.rule is not None else "unattributed"
    return given


def _carrier(span: Span, staged: Staged, heirs: dict[str, Span]) -> Span | None:
    """The span whose stages an observer bears: the call it carries, or the span it repeats.

    Sending and receiving inside a client span are that span's own time too. An observer may run on
    after the one around it, which ended at the headers.
    """
    parent = span.parent
    if not span.observer or parent is None:
        return None
    carried = parent.key in staged.calls or parent.key in heirs
    carried |= (parent.kind, span.kind, parent.service) == ("client", "internal", span.service)
    told = span.rule is not None and span.rule.stage != "unattributed"
    if _repeats(span) or (carried and not told):
        return heirs.get(parent.key, parent)
    return None


def _within(span: Span, carrier: Span, rest: str) -> list[Piece]:
    """The carrier's pieces inside a span; `rest` where it has none."""
    found: list[Piece] = []
    at = span.start
    for piece in carrier.pieces:
        start, end = max(piece.start, at), min(piece.end, span.end)
        if start < end:
            if start > at:
                found.append(Piece(rest, at, start))
            found.append(Piece(piece.stage, start, end))
            at = end
    if at < span.end or not found:
        found.append(Piece(rest, at, span.end))
    return found


def overlaid(pieces: list[Piece], gaps: Iterable[tuple[int, int]], stage: str) -> list[Piece]:
    """The pieces with `stage` put over some intervals, neighbours of one stage joined."""
    first, last = pieces[0].start, pieces[-1].end
    cuts = sorted((max(start, first), min(end, last)) for start, end in gaps)
    found: list[Piece] = []
    at = first
    for start, end in [*cuts, (last, last)]:
        for piece in pieces:
            low, high = max(piece.start, at), min(piece.end, start)
            if low < high:
                _append(found, piece.stage, low, high)
        if start < end:
            _append(found, stage, max(start, at), end)
        at = max(at, end)
    return found or pieces


def _append(found: list[Piece], stage: str, start: int, end: int) -> None:
    if start >= end:
        return
    if found and found[-1].stage == stage:
        found[-1].end = end
    else:
        found.append(Piece(stage, start, end))
