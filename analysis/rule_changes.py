"""What a change of the rules can touch, and the time that it moves between stages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any, Final

import pyarrow as pa

from analysis.rules import Rule, RuleSet
from analysis.staging.matching import Matcher

MOST_CONDITIONS: Final = 60
"""Conditions that one integer column holds as bits."""

Slice = tuple[int, int, str]
Move = tuple[str | None, str | None]
"""Stage before and after; None where the instant belongs to no request."""


def changed(before: RuleSet, after: RuleSet) -> tuple[Rule, ...]:
    """The rules that came, went or changed places; all others stand in the same order in both.

    A trace none of whose spans can be taken by one of these is derived alike with either set: for
    each of its spans the first rule whose conditions hold is one of the others.
    """
    one, other = before.rules, after.rules
    found: dict[Rule, None] = {}
    matching = SequenceMatcher(None, one, other, autojunk=False)
    for tag, low, high, start, end in matching.get_opcodes():
        if tag != "equal":
            found |= dict.fromkeys((*one[low:high], *other[start:end]))
    return tuple(found)


class Reach:
    """What a record says of the conditions of some rules, as bits.

    Conditions on a span's neighbours are taken to hold, and bits of the records of one span are
    joined, since cleaning may complete one from another; so more may be reached than is taken.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        bare = [
            replace(rule, server_child=None, under_call=None, call_below=None) for rule in rules
        ]
        self.matcher = Matcher(RuleSet(tuple(bare)))
        self.needs: list[int] = self.matcher.needs
        self.attribute_keys = _keys(rule.attributes for rule in bare)
        self.resource_keys = _keys(rule.resource for rule in bare)
        self.events = any(rule.event is not None for rule in bare)

    @property
    def everything(self) -> bool:
        """Whether every span is reached, or there are too many conditions to tell."""
        return 0 in self.needs or max(self.needs, default=0) >> MOST_CONDITIONS > 0


def _keys(conditions: Iterable[tuple[tuple[str, str | bool], ...]]) -> list[str]:
    return sorted({key for given in conditions for keys, _ in given for key in keys.split("|")})


@dataclass
class Moved:
    """The time (ns) that changes its stage, and in how many requests; grows by `add`."""

    by_stage: Counter[Move] = field(default_factory=Counter)
    requests: int = 0

    @property
    def total_ns(self) -> int:
        """All time that changes its stage."""
        return sum(self.by_stage.values())

    def add(self, before: pa.Table, after: pa.Table) -> None:
        """Count what two partitions (`SEGMENTS_SCHEMA`) of the same traces have different."""
        old, new = _slices(before), _slices(after)
        for request in sorted(old.keys() | new.keys()):
            found = _differences(old.get(request, ()), new.get(request, ()))
            self.by_stage.update(found)
            self.requests += bool(found)


def _slices(segments: pa.Table) -> dict[tuple[str, str], list[Slice]]:
    names = ("trace_id", "root_key", "start_ns", "end_ns", "stage")
    columns = [segments.column(name).to_pylist() for name in names]
    found: defaultdict[tuple[str, str], list[Slice]] = defaultdict(list)
    for trace_id, root_key, *owned in zip(*columns, strict=True):
        found[trace_id, root_key].append((owned[0], owned[1], owned[2]))
    return found


def _differences(old: Sequence[Slice], new: Sequence[Slice]) -> Counter[Move]:
    """ns by stage before and after; both lists tile their window in order of time."""
    found: Counter[Move] = Counter()
    if old == new:
        return found
    edges = sorted({at for low, high, _ in (*old, *new) for at in (low, high)})
    before, after = _stages(old, edges), _stages(new, edges)
    for low, high, one, other in zip(edges, edges[1:], before, after, strict=False):
        if one != other:
            found[one, other] += high - low
    return found


def _stages(slices: Sequence[Slice], edges: list[int]) -> list[str | None]:
    """The stage from each edge to the next."""
    found: list[str | None] = []
    place, ordered = 0, [part for part in slices if part[0] < part[1]]
    for at in edges:
        while place < len(ordered) and ordered[place][1] <= at:
            place += 1
        inside = place < len(ordered) and ordered[place][0] <= at
        found.append(ordered[place][2] if inside else None)
    return found


def rows(moved: Moved) -> list[dict[str, Any]]:
    """`from`, `to` and `ns` of each pair of stages, the most time first."""
    pairs = sorted(moved.by_stage.items(), key=lambda item: (-item[1], str(item[0])))
    return [{"from": one, "to": other, "ns": ns} for (one, other), ns in pairs]
