"""One row of a waterfall: a span, or a fold of many, with its parts in ns from the start."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from charts.waterfall.folds import Entry
from charts.waterfall.span import (
    Part,
    failed,
    first_token,
    mapping,
    overruns,
    pieces_of,
    remaining,
    token_instants,
    tokens,
)  # fmt: skip
from charts.waterfall.tree import Fact, Node, subtree

BOUNDS: Final = frozenset({"incomplete", "root_missing"})


@dataclass(frozen=True, slots=True)
class Row:
    """A row; every time is in ns from the request's start.

    `path` are its segments on the critical path, `own` its own time that nobody waited for;
    `state` is open, closed or "" (nothing under it); a fold has several `lengths`. `instants` are
    those of its tokens where recorded; `tokens` their first, end and number where only counted.
    """

    key: str
    name: str
    service: str
    depth: int
    state: str
    start: int
    end: int
    path: tuple[Part, ...]
    own: tuple[Part, ...]
    lengths: tuple[int, ...]
    stage: str
    rule: str
    asynchronous: bool
    failed: bool
    bound: bool
    overrun: bool
    moved: int | None
    first_token: int | None
    tokens: tuple[int, int, int] | None
    instants: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """What rows need to know: the start, the path's parts and the call of each key, raw or not."""

    start: int
    path: dict[str, list[Part]]
    calls: dict[str, Fact]
    raw: bool


def path_of(entry: Entry, request: Request) -> tuple[Part, ...]:
    """The path's parts of a row; a closed one stands for all that is under it."""
    if entry.state == "open" and len(entry.nodes) > 1:
        return ()
    nodes = subtree(entry.nodes) if entry.state == "closed" else entry.nodes
    parts = [part for node in nodes for part in request.path.get(node.key, ())]
    return tuple(sorted(parts, key=lambda part: part[1]))


def row(entry: Entry, request: Request) -> Row:
    """The row of an entry."""
    node, many = entry.nodes[0], len(entry.nodes) > 1
    span, flags = node.span, mapping(node.span.get("flags"))
    spells = [_spell(n, request) for n in entry.nodes]
    shift = spells[0][0] - (span["start_ns"] - request.start)
    path = path_of(entry, request)
    call = {} if many else request.calls.get(node.key, {})
    return Row(
        key=entry.key, name=str(span.get("name") or ""), service=str(span.get("service") or ""),
        depth=entry.depth, state=entry.state,
        start=min(s for s, _e in spells), end=max(e for _s, e in spells),
        path=path if many else tuple((stage, a + shift, b + shift) for stage, a, b in path),
        own=() if many or request.raw else _own(node, path, request.start),
        lengths=tuple(sorted(e - s for s, e in spells)),
        stage=str(span.get("stage") or "unattributed"), rule=str(span.get("rule") or ""),
        asynchronous=not many and span.get("blocking") is False,
        failed=not many and failed(span), bound=not many and not BOUNDS.isdisjoint(flags),
        overrun=request.raw and not many and overruns(node),
        moved=None if many or request.raw else flags.get("skew_corrected"),
        first_token=first_token(call, spells[0][0]), tokens=tokens(call, spells[0]),
        instants=token_instants(call, spells[0][0]),
    )  # fmt: skip


def _spell(node: Node, request: Request) -> tuple[int, int]:
    """Start and end as drawn: after cleaning, or as recorded where both were recorded."""
    span = node.span
    low, high = span.get("raw_start_ns"), span.get("raw_end_ns")
    if not request.raw or low is None or high is None:
        low, high = span["start_ns"], span["end_ns"]
    return int(low) - request.start, max(int(low), int(high)) - request.start


def _own(node: Node, path: Iterable[Part], start: int) -> tuple[Part, ...]:
    cuts = [(c.span["start_ns"] - start, c.span["end_ns"] - start) for c in node.children]
    cuts += [(a, b) for _stage, a, b in path]
    parts = [(stage, a - start, b - start) for stage, a, b in pieces_of(node.span)]
    return tuple(remaining(parts, cuts)) if not node.span.get("observer") else ()
