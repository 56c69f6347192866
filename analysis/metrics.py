"""The figures of a request: each is defined here, once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from analysis.critical_path import Owned
from analysis.flags import excludes
from analysis.rules import FIRST_TOKEN
from analysis.stages import STAGES
from analysis.staging.marks import attribute
from analysis.staging.model_calls import Call
from analysis.staging.pieces import Staged
from analysis.tree import Span

STATUS_KEYS: Final = ("http.response.status_code", "http.status_code")

EARLY_NS = 1_000_000  # clocks of two spans agree no better


class FirstToken(NamedTuple):
    """When the first token of the answer came, in ns since the epoch, and who saw it."""

    at: int
    source: str  # one of the values of FIRST_TOKEN


class Segment(NamedTuple):
    """A slice of a request: the span and the stage that own it, in ns since the epoch."""

    span: Span
    stage: str
    start: int
    end: int


def segments(slices: Iterable[Owned]) -> list[Segment]:
    """The slices of a partition cut where the stage of their span changes; they tile as well."""
    found: list[Segment] = []
    for span, start, end in slices:
        pieces = span.pieces
        at = bisect_right(pieces, start, key=lambda piece: piece.end) if len(pieces) > 1 else 0
        while at < len(pieces) and pieces[at].start < end:
            piece = pieces[at]
            found.append(Segment(span, piece.stage, max(start, piece.start), min(end, piece.end)))
            at += 1
    return found


def stage_sums(parts: Iterable[Segment], until: int | None = None) -> dict[str, int]:
    """Ns per stage of a request, or of what lies before an instant of it; 0 where none."""
    sums = dict.fromkeys(STAGES, 0)
    for part in parts:
        end = part.end if until is None else min(part.end, until)
        sums[part.stage] += max(0, end - part.start)
    return sums


def on_path(owners: Iterable[Span]) -> set[str]:
    """Keys of the spans that own an instant, or have one below them that does."""
    found: set[str] = set()
    for owner in owners:
        span: Span | None = owner
        while span is not None and span.key not in found:
            found.add(span.key)
            span = span.parent
    return found


def counted_calls(staged: Staged) -> list[tuple[Call, list[Call]]]:
    """One call for each question asked, and the calls inside it; no failed attempts.

    An engine that only prefills for another one (disaggregated serving) is asked the same question.
    """
    halves = _halves(staged)
    found: list[tuple[Call, list[Call]]] = []
    inner_of: dict[str, list[Call]] = {}  # of a counted call and of every span inside it
    for span in staged.spans:
        above = None if span.parent is None else inner_of.get(span.parent.key)
        counts = span.key not in staged.wasted and span.key not in halves
        call = staged.calls.get(span.key) if counts else None
        if above is not None:
            inner_of[span.key] = above
            if call is not None:
                above.append(call)
        elif call is not None:
            found.append((call, inner_of.setdefault(span.key, [])))
    return found


def _halves(staged: Staged) -> set[str]:
    """Keys of the calls inside a prefill span, where another call decodes."""
    inside: set[str] = set()
    for span in staged.spans:
        above = span.parent is not None and span.parent.key in inside
        phase = span.rule is not None and span.rule.stage == "prefill" and not span.is_call
        if above or phase:
            inside.add(span.key)
    return inside if any(key not in inside for key in staged.calls) else set()


def answer_call(staged: Staged, path: set[str]) -> Call | None:
    """The last streaming model call on the path; where none streams, the last call on it."""
    calls = (
        call
        for key, call in staged.calls.items()
        if key in path and key not in staged.wasted and call.span.blocking
    )
    return max(calls, key=rank, default=None)


def rank(call: Call) -> tuple[bool, int, bool, int, str]:
    """Larger for a call that is rather the answer."""
    known = call.first_token is not None
    return call.streams, call.span.end, known, call.span.start, call.span.key


def first_token(staged: Staged, call: Call) -> FirstToken | None:
    """The first token of the answer as seen nearest to the reader, None where nobody saw it.

    A byte that left before the model's first token is a header, not the answer; what a reader sees
    of a call that failed without a token is the error.
    """
    root, line = staged.spans[0], _line(staged, call)
    sightings = (staged.sightings.get(span.key, {}) for span in line)
    return earliest(root.start, root.end, call, sightings)


def earliest(
    start: int, end: int, call: Call, sightings: Iterable[Mapping[str, int]]
) -> FirstToken | None:
    """The first token of the answer `call` by what was seen, by source, the outermost first.

    `start` and `end` are those of the request.
    """
    if not call.streams or (call.span.status == "error" and call.first_token is None):
        return None
    seen: dict[str, int] = {}
    for sighted in sightings:
        for source, at in sighted.items():
            seen.setdefault(source, at)
    floor = call.span.start
    if call.first_token is not None:
        floor = call.first_token - EARLY_NS
    for source in FIRST_TOKEN.values():
        at = seen.get(source, start)
        if start < at <= end and at >= floor:
            return FirstToken(at, source)
    return None


def _line(staged: Staged, call: Call) -> list[Span]:
    """The spans around the answer call, the outermost first, then it and the calls inside it."""
    line = [call.span]
    while line[-1].parent is not None:
        line.append(line[-1].parent)
    inside = {call.span.key}
    for span in staged.spans:
        if span.parent is not None and span.parent.key in inside:
            inside.add(span.key)
    return line[::-1] + [s for s in staged.spans if s.key in inside and s is not call.span]


def tpot_ns(call: Call, seen: FirstToken | None) -> int | None:
    """Ns per output token after the first, rounded; None under two tokens."""
    count = call.usage.output
    first = call.first_token
    if first is None and seen is not None:
        first = seen.at
    if first is None or count is None or count < 2 or first > call.span.end:
        return None
    left, tokens = call.span.end - first, count - 1
    return (2 * left + tokens) // (2 * tokens)


def total(counts: Iterable[int | None]) -> int | None:
    """The sum of the known counts, None where none is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def token_columns(staged: Staged, call: Call | None) -> dict[str, int | None]:
    """The answer call's token counts, and the sums over all counted calls as `total_*`."""
    found: dict[str, int | None] = {}
    calls = counted_calls(staged)
    for name in ("input", "cached", "output"):
        found[f"{name}_tokens"] = getattr(call.usage, name) if call is not None else None
        counts = []
        for outer, inner in calls:
            own: int | None = getattr(outer.usage, name)
            counts.append(total(getattr(c.usage, name) for c in inner) if own is None else own)
        found[f"total_{name}_tokens"] = total(counts)
    return found | {"n_calls": len(calls)}


def request_status(root: Span) -> str:
    """Whether the request failed; of a placeholder, whether one of its children did."""
    spans = root.children if root.placeholder else [root]
    return "error" if any(_failed(span) for span in spans) else "ok"


def _failed(span: Span) -> bool:
    return span.status == "error" or server_error(span)


def server_error(span: Span) -> bool:
    """Whether a span answered with a status code of 500 or more."""
    code = attribute(span, STATUS_KEYS)
    return str(code).isdigit() and int(code) >= 500


def identity(staged: Staged) -> dict[str, Any]:
    """What a request is called and where it came in.

    The outermost SERVER span with a route names route, service and version: in front of it stand
    browser, CDN and gateway, which are the same for every application behind them. Without one
    the root does; a placeholder speaks through its first child and has no route.
    """
    root = staged.spans[0]
    known = next((span for span in staged.spans if not span.placeholder), root)
    servers = [span for span in staged.spans if span.kind == "server"]
    entry = next((span for span in servers if span.attributes.get("http.route")), None)
    said = [span.resource.get("service.version") for span in (entry, known) if span is not None]
    version = next((value for value in said if value is not None), None)
    return {
        "name": root.name,
        "route": _route(entry, root, servers),
        "service": (entry or known).service,
        "version": None if version is None else str(version),
        "status": request_status(root),
        "raw_e2e_ns": _raw_e2e_ns(root),
        "excluded": excludes(root.flags),
    }


def _route(entry: Span | None, root: Span, servers: list[Span]) -> str | None:
    if entry is not None:
        return asked_route(entry)
    return servers[0].name if servers and not root.placeholder else None


def asked_route(span: Span) -> str | None:
    """Method and route of a span that names a route."""
    route = span.attributes.get("http.route")
    method = span.attributes.get("http.request.method") or span.attributes.get("http.method")
    if not route:
        return None
    return f"{method} {route}" if method else str(route)


def _raw_e2e_ns(root: Span) -> int | None:
    if root.raw_start is None or root.raw_end is None:
        return None
    return root.raw_end - root.raw_start
