"""A request's spans and segments as the rows that a waterfall draws, in ns from its start."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from charts.waterfall.folds import View, entries
from charts.waterfall.row import Request, Row, path_of, row
from charts.waterfall.span import Part
from charts.waterfall.tree import Fact, Node, subtree, tree, with_ancestors

MOST: Final = 400
"""Rows drawn at once; beyond, the window is named and moved."""


@dataclass(frozen=True)
class Waterfall:
    """The rows in the window and what the whole request needs to be drawn.

    `total` counts all visible rows and `first` is the window's first; `outline` holds (row number,
    parts on the path) of every visible row that has any; `matches` is None without a search.
    """

    rows: tuple[Row, ...]
    first: int
    total: int
    spans: int
    matches: int | None
    start_ns: int
    e2e_ns: int
    view_ns: int
    outline: tuple[tuple[int, tuple[Part, ...]], ...]


def waterfall_rows(
    spans: Sequence[Fact], segments: Sequence[Fact], collapsed: Set[str] = frozenset(),
    on_path_only: bool = False, query: str = "", calls: Sequence[Fact] = (),
    raw_times: bool = False, first: int = 0, most: int = MOST,
) -> Waterfall:  # fmt: skip
    """The rows to draw.

    Args:
        spans: as in `slowpath show --json`, with parent_key, pieces, flags, blocking.
        segments: {key, stage, start_ns, end_ns}; they tile the request.
        collapsed: row keys whose first state is flipped: an open span closed, a closed fold open.
        query: only rows with this in name, service or attributes, and what is above them.
        raw_times: bars at the times as they were recorded.
        first: the first row of the window of `most` rows.
    """
    nodes = subtree(tree(spans))
    start, end = _window(nodes, segments)
    request = Request(start, _paths(segments, start), {str(c["key"]): c for c in calls}, raw_times)
    found = [node for node in nodes if query and _matches(node.span, query.lower())]
    kept = _kept(nodes, request, on_path_only, found if query else None)
    roots = [node for node in nodes if node.parent is None]
    roots.sort(key=lambda node: (node.span["start_ns"], node.key))
    visible = entries(roots, View(collapsed, set(request.path), on_path_only, kept))
    first = max(0, min(first, len(visible) - most))
    rows = tuple(row(entry, request) for entry in visible[first : first + most])
    parts = ((i, path_of(entry, request)) for i, entry in enumerate(visible))
    ends = [node.span["end_ns"] - start for entry in visible for node in entry.nodes]
    return Waterfall(
        rows=rows, first=first, total=len(visible), spans=len(nodes),
        matches=len(found) if query else None, start_ns=start, e2e_ns=end - start,
        view_ns=max([end - start, 1, *ends, *(r.end for r in rows)]),
        outline=tuple(item for item in parts if item[1]),
    )  # fmt: skip


def _window(nodes: Sequence[Node], segments: Sequence[Fact]) -> tuple[int, int]:
    facts = segments or [node.span for node in nodes if node.parent is None]
    start = min((int(fact["start_ns"]) for fact in facts), default=0)
    return start, max((int(fact["end_ns"]) for fact in facts), default=start)


def _paths(segments: Sequence[Fact], start: int) -> dict[str, list[Part]]:
    paths: dict[str, list[Part]] = {}
    for segment in segments:
        part = (str(segment["stage"]), segment["start_ns"] - start, segment["end_ns"] - start)
        paths.setdefault(str(segment["key"]), []).append(part)
    return paths


def _kept(
    nodes: Sequence[Node], request: Request, on_path_only: bool, found: list[Node] | None
) -> set[str] | None:
    """The keys that the path and the search leave; None where neither narrows."""
    on_path = with_ancestors(node for node in nodes if node.key in request.path)
    if found is None:
        return on_path if on_path_only else None
    return with_ancestors(found) & on_path if on_path_only else with_ancestors(found)


def _matches(span: Fact, query: str) -> bool:
    texts = [span.get(name) for name in ("name", "service", "span_id", "key", "attributes")]
    return any(query in str(text).lower() for text in texts if text)
