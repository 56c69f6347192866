"""Where a span goes whose parent never arrived, once the clocks are set."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable

from analysis.cleaning.forest import Forest, walk
from analysis.cleaning.parents import remote
from analysis.tree import Span

_Rank = tuple[int, int, str, Span]


def adopt(forest: Forest) -> list[Span]:
    """The tops of the trace after every orphan has found a place; sets `parent` and `children`.

    Larger orphans first, so that a smaller one may hang inside a larger one. Where nothing
    encloses one: the running root, or a request of its own, or the root before it; and where
    the trace has no root of its own, a placeholder for the absent parent.
    """
    tops = list(forest.roots)
    if not forest.orphans:
        return tops
    own_roots = [root for root in tops if "root_remote" not in root.flags]
    lost = Counter(span.parent_id for span in forest.orphans)
    everything = walk([*tops, *forest.orphans])
    inside, roots = Enclosures(everything), Enclosures(own_roots)
    inside.add(walk(tops))
    roots.add(own_roots)
    placeholders: dict[str, Span] = {}
    for orphan in sorted(forest.orphans, key=_largest_first):
        host = inside.smallest(orphan, orphan.end) or roots.smallest(orphan, orphan.start + 1)
        if host is None and own_roots and not (lost[orphan.parent_id] == 1 and remote(orphan)):
            host = _before(orphan, own_roots)
        if host is None and own_roots:
            tops.append(orphan)
        else:
            _hang(orphan, host or _placeholder(orphan, placeholders))
        if host is not None or own_roots:
            inside.add(walk([orphan]))
    return tops + list(placeholders.values())


def release_orphans(forest: Forest) -> None:
    """Undo `adopt`, for another try with longer parents."""
    lost = {orphan.key for orphan in forest.orphans}
    parents = {orphan.parent.key: orphan.parent for orphan in forest.orphans if orphan.parent}
    for parent in parents.values():
        parent.children = [child for child in parent.children if child.key not in lost]
    for orphan in forest.orphans:
        orphan.parent = None


def _largest_first(span: Span) -> tuple[int, int, str]:
    return span.start - span.end, span.start, span.key


def _hang(child: Span, parent: Span) -> None:
    child.parent = parent
    parent.children.append(child)


def _before(orphan: Span, roots: list[Span]) -> Span:
    """The last root that started before the orphan, else the first root."""
    ordered = sorted(roots, key=lambda root: (root.start, root.key))
    place = bisect_right([root.start for root in ordered], orphan.start)
    return ordered[max(place - 1, 0)]


def _placeholder(orphan: Span, known: dict[str, Span]) -> Span:
    absent = orphan.parent_id or ""
    if absent not in known:
        known[absent] = Span(
            key=f"missing/{absent}",
            trace_id=orphan.trace_id,
            span_id=absent,
            parent_id=None,
            name="",
            service=None,
            host=None,
            kind="unspecified",
            status="unset",
            scope=None,
            raw_start=None,
            raw_end=None,
            flags={"root_missing": None},
            placeholder=True,
        )
    return known[absent]


class Enclosures:
    """Finds the smallest of many spans that encloses an interval, the same service first.

    A Fenwick tree over the starts for each service and one (None) for all; each node keeps the
    spans that are not both shorter-lived and larger than another: later ends, larger lengths.
    """

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts = sorted({span.start for span in spans})
        self._nodes: dict[tuple[str | None, int], tuple[list[int], list[_Rank]]] = {}

    def add(self, spans: Iterable[Span]) -> None:
        """Let spans be found from now on; their starts are among those given at first."""
        for span in spans:
            rank = (span.end - span.start, span.start, span.key, span)
            for service in {span.service, None}:
                self._insert(service, bisect_left(self._starts, span.start) + 1, span.end, rank)

    def smallest(self, span: Span, until: int) -> Span | None:
        """The smallest span that runs from the start of `span` to `until` at least, if any."""
        for service in (span.service, None):
            found = self._query(service, bisect_right(self._starts, span.start), until)
            if found is not None:
                return found[3]
        return None

    def _insert(self, service: str | None, place: int, end: int, rank: _Rank) -> None:
        while place <= len(self._starts):
            ends, ranks = self._nodes.setdefault((service, place), ([], []))
            here = bisect_left(ends, end)
            if here == len(ends) or ranks[here] > rank:
                last = here + (here < len(ends) and ends[here] == end)
                first = here
                while first and ranks[first - 1] >= rank:
                    first -= 1
                ends[first:last], ranks[first:last] = [end], [rank]
            place += place & -place

    def _query(self, service: str | None, place: int, until: int) -> _Rank | None:
        best: _Rank | None = None
        while place:
            ends, ranks = self._nodes.get((service, place), ([], []))
            here = bisect_left(ends, until)
            if here < len(ends) and (best is None or ranks[here] < best):
                best = ranks[here]
            place -= place & -place
        return best
