"""Cleaning: the spans of one trace, as recorded, become request trees whose times make sense."""

from __future__ import annotations

from analysis.cleaning.clocks import Known, move, shifts
from analysis.cleaning.duplicates import distinct
from analysis.cleaning.ends import Settled, settle
from analysis.cleaning.forest import Forest, order
from analysis.cleaning.lengths import measure
from analysis.cleaning.orphans import adopt, release_orphans
from analysis.cleaning.parents import connect
from analysis.cleaning.waiting import release
from analysis.tree import Span

MAX_ROUNDS = 16
"""Longer parents leave more room for clocks and orphans, which may make parents longer again:
until nothing changes, mostly one or two rounds."""


def placed(spans: list[Span]) -> Forest:
    """The forest of one trace's spans with parents and lengths, the clocks as recorded."""
    forest = connect(distinct(spans))
    measure(forest)
    return forest


def clean(spans: list[Span], correct_clocks: bool = True, known: Known | None = None) -> list[Span]:
    """The root spans of one trace's requests, earliest first, their trees clean.

    Takes freshly parsed spans of one trace in any order (they are changed) with `rule` set.
    `start` and `end` (ns) are final, `children` sorted by start; `parent` is the span under which
    one runs, `parent_id` stays as recorded. `known` is what many traces say of two clocks. See
    docs/attribution.md for every step and flag.
    """
    forest = placed(spans)
    recorded = {span.key: span.end - span.start for span in forest.spans}
    roots, settled = _settled(forest, correct_clocks, known)
    drawn = {span.key: span.parent for span in forest.spans}
    _rebuild(forest, settled)
    adopted = {span.key for span in forest.orphans}
    for span in forest.spans:
        _flag_parent(span, drawn[span.key], settled, span.key in adopted)
        _flag_end(span, recorded[span.key])
        release(span)
    return sorted(roots, key=order)


def _settled(
    forest: Forest, correct_clocks: bool, known: Known | None
) -> tuple[list[Span], Settled]:
    """Set clocks, place orphans and extend ends until none of them changes another."""
    rounds = 0
    while True:
        rounds += 1
        ends = [span.end for span in forest.spans]
        _set_clocks(forest, correct_clocks, known)
        roots = adopt(forest)
        settled = settle(roots, forest.pinned)
        unchanged = ends == [span.end for span in forest.spans]
        if unchanged or rounds == MAX_ROUNDS:
            return roots, settled
        release_orphans(forest)


def _set_clocks(forest: Forest, correct: bool, known: Known | None) -> None:
    by_key = shifts(forest, known)
    if correct:
        move(forest, by_key)
        by_key = {}
    forest.pinned = {span.key for span in forest.spans if "skew_over_limit" in span.flags}
    forest.pinned.update(by_key)


def _rebuild(forest: Forest, settled: Settled) -> None:
    """Hang every span under its home; `homes` names none for those that stay."""
    for span in forest.spans:
        span.parent = settled.homes.get(span.key, span.parent)
    parents = {span.parent.key: span.parent for span in forest.spans if span.parent is not None}
    for span in [*forest.spans, *parents.values()]:
        span.children = []
    for span in sorted(forest.spans, key=order):
        if span.parent is not None:
            span.parent.children.append(span)


def _flag_parent(span: Span, drawn: Span | None, settled: Settled, adopted: bool) -> None:
    if drawn is None:
        span.blocking = True
        if adopted:
            span.flags["root_remote"] = None
        return
    if span.key in settled.homeless:
        span.blocking = False
        span.flags["no_ancestor_running"] = span.start - drawn.end
    elif span.parent is not drawn:
        span.flags["parent_ended"] = span.start - drawn.end
    if adopted and not drawn.placeholder:
        span.flags["parent_missing"] = None


def _flag_end(span: Span, recorded_ns: int) -> None:
    longer = span.end - span.start - recorded_ns
    if longer:
        span.flags["ended_at_headers" if span.parent is not None else "root_ended_early"] = longer
