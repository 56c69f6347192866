"""Model calls and first-token sightings of plain traces, by the reference's own code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analysis.metrics import FirstToken, earliest, rank, total, tpot_ns
from analysis.plain.batch import Batch
from analysis.plain.facts import Column, probe
from analysis.plain.staged import Told
from analysis.rules import Rule
from analysis.staging.model_calls import Call, read_call
from analysis.staging.phases import PHASES, Phase, add_phases
from analysis.staging.pieces import Staged, note_sightings
from analysis.staging.usage import Usage, usage
from analysis.tree import Span

Ints = Any  # numpy int64 array

_NO_USAGE = Usage(None, None, None)


@dataclass
class Calls:
    """The model calls by place, in the order of places, and what was seen of first tokens.

    `flags` are those that reading marks left on a span: place -> flag -> amount.
    """

    calls: dict[int, Call] = field(default_factory=dict)
    sightings: dict[int, dict[str, int]] = field(default_factory=dict)
    flags: dict[int, dict[str, int | None]] = field(default_factory=dict)


class _Reader:
    """Makes the spans that carry marks, as staging would see them."""

    def __init__(self, batch: Batch, columns: dict[str, Column], told: Told) -> None:
        self._told, self._parent = told, batch.parent.tolist()
        names = ("rule", "attributes", "events", "start", "end")
        self._numbers = {name: batch[name].tolist() for name in names}
        self._texts = {
            name: (batch[name].tolist(), columns[name].values)
            for name in ("kind", "status", "service")
        }
        self.below = _calls_below(batch, told).tolist()
        self.staged = Staged([])

    def span(self, place: int) -> Span:
        numbers = {name: column[place] for name, column in self._numbers.items()}
        texts = {
            name: None if codes[place] < 0 else values[codes[place]]
            for name, (codes, values) in self._texts.items()
        }
        return probe(
            self._told.attributes.told[numbers["attributes"]],
            events=self._told.events.told[numbers["events"]],
            rule=self._told.rules[numbers["rule"]],
            start=numbers["start"],
            end=numbers["end"],
            key=str(place),
            **texts,
        )

    def call(self, place: int, span: Span) -> Call:
        call = read_call(span, [], self._lender(place, span), self._around(place))
        span.flags.update(call.flags)
        return call

    def _around(self, place: int) -> list[Span]:
        """The spans around the call alone that have events, the nearest first."""
        found, around = [], self._parent[place]
        while self.below[place] == 1 and around >= 0 and self.below[around] == 1:
            if self._told.events.told[self._numbers["events"][around]]:
                found.append(self.span(around))
            around = self._parent[around]
        return found

    def _lender(self, place: int, span: Span) -> Span:
        around = place
        while around >= 0 and self.below[around] == 1:
            lender = span if around == place else self.span(around)
            if usage(lender) != _NO_USAGE:
                return lender
            around = self._parent[around]
        return span


def _calls_below(batch: Batch, told: Told) -> Ints:
    """How many calls each span is or holds."""
    is_call = np.array([rule.role == "call" for rule in told.rules], np.bool_)[batch["rule"]]
    below = np.zeros(len(batch.parent), np.int64)
    at = np.flatnonzero(is_call)
    while len(at):
        np.add.at(below, at, 1)
        at = batch.parent[at]
        at = at[at >= 0]
    return below


def read(batch: Batch, columns: dict[str, Column], told: Told) -> Calls:
    """Every call and every first token that a span of the batch tells of."""
    reader, found = _Reader(batch, columns, told), Calls()
    wanted = np.array([rule.role == "call" for rule in told.rules], np.bool_)[batch["rule"]]
    for place in np.flatnonzero(wanted | _may_tell(batch, told)).tolist():
        span = reader.span(place)
        if span.is_call:
            found.calls[place] = reader.staged.calls[span.key] = reader.call(place, span)
        if span.rule is not None and span.rule.marks:
            note_sightings(span, reader.staged)
            seen = reader.staged.sightings[span.key]
            if seen:
                found.sightings[place] = seen
        if span.flags:
            found.flags[place] = span.flags
    _tell_phases(batch, columns, told, found.calls)
    return found


def _tell_phases(
    batch: Batch, columns: dict[str, Column], told: Told, calls: dict[int, Call]
) -> None:
    """Tell each call of the phases below it that lie in no other call and were waited for."""
    phase = np.array([rule.stage in PHASES for rule in told.rules], np.bool_)[batch["rule"]]
    inside: dict[int, list[Phase]] = {}
    for place in np.flatnonzero(phase).tolist() if calls else ():
        at = place
        while at >= 0 and at not in calls and batch["blocking"][at]:
            at = int(batch.parent[at])
        if at != place and at in calls:
            rule, name = told.rules[batch["rule"][place]], columns["name"].values
            times = int(batch["start"][place]), int(batch["end"][place])
            inside.setdefault(at, []).append(Phase(rule.stage, name[batch["name"][place]], *times))
    for at, phases in inside.items():
        add_phases(calls[at], phases)


def _may_tell(batch: Batch, told: Told) -> Any:
    """Spans that carry an attribute or an event of the kind that their rule's marks are read from.

    Every pair of a rule and an attribute text is looked at once.
    """
    marked = np.array([bool(rule.marks) for rule in told.rules], np.bool_)[batch["rule"]]
    places = np.flatnonzero(marked)
    width = len(told.attributes.told) + 1
    pairs, which = np.unique(
        batch["rule"][places] * width + batch["attributes"][places], return_inverse=True
    )
    carries = [
        _carries(told.rules[pair // width], told.attributes.told[pair % width])
        for pair in pairs.tolist()
    ]
    eventful = np.array([bool(events) for events in told.events.told], np.bool_)
    found = np.zeros(len(marked), np.bool_)
    found[places] = np.array(carries, np.bool_)[which] | eventful[batch["events"][places]]
    return found


def _carries(rule: Rule, attributes: dict[str, Any]) -> bool:
    return any(mark.place == "attribute" and mark.key in attributes for mark in rule.marks)


def by_trace(batch: Batch, found: Calls) -> Iterable[tuple[int, list[int]]]:
    """The traces that hold calls, and the places of these."""
    places = np.fromiter(found.calls, np.int64, len(found.calls))
    traces = np.searchsorted(batch.first, places, side="right") - 1
    grouped: dict[int, list[int]] = {}
    for trace, place in zip(traces.tolist(), places.tolist(), strict=True):
        grouped.setdefault(trace, []).append(place)
    return grouped.items()


class Asked:
    """What a request's calls say of it: its answer, first token and tokens."""

    def __init__(self, batch: Batch, found: Calls, on_path: Any) -> None:
        self._found, self._on_path = found, on_path
        self._parent, self._key = batch.parent.tolist(), batch["key"]
        self._blocking = batch["blocking"]
        self._seen_by_trace = _grouped(batch, found)

    def answer(self, places: list[int]) -> int | None:
        """The place of the answer call."""
        calls = [p for p in places if self._on_path[p] and self._blocking[p]]
        return max(calls, key=self._rank) if len(calls) > 1 else next(iter(calls), None)

    def _rank(self, place: int) -> tuple[Any, ...]:
        return (*rank(self._found.calls[place])[:4], self._key[place])

    def first_token(self, trace: int, start: int, end: int, answer: int) -> FirstToken | None:
        """When the first token of the answer came."""
        line = self._above(answer)
        inside = [p for p in self._seen_by_trace.get(trace, ()) if self._is_inside(p, answer)]
        seen = (self._found.sightings.get(place, {}) for place in [*line[::-1], *inside])
        return earliest(start, end, self._found.calls[answer], seen)

    def _above(self, place: int) -> list[int]:
        line = [place]
        while self._parent[line[-1]] >= 0:
            line.append(self._parent[line[-1]])
        return line

    def _is_inside(self, place: int, answer: int) -> bool:
        while place > answer:
            place = self._parent[place]
            if place == answer:
                return True
        return False

    def tokens(self, places: list[int], answer: int | None) -> dict[str, int | None]:
        """Token columns of the request, and the number of calls counted."""
        if len(places) == 1:
            return self._of_one(places[0], answer)
        groups: dict[int, list[int]] = {}
        for place in places:
            outer = [p for p in self._above(place) if p in groups]
            groups.setdefault(outer[0] if outer else place, []).append(place)
        columns: dict[str, int | None] = {"n_calls": len(groups)}
        for name in Usage._fields:
            counts = [self._count(name, outer, inner[1:]) for outer, inner in groups.items()]
            columns[f"{name}_tokens"] = None if answer is None else self._own(name, answer)
            columns[f"total_{name}_tokens"] = total(counts)
        return columns

    def _of_one(self, place: int, answer: int | None) -> dict[str, int | None]:
        told = self._found.calls[place].usage._asdict()
        columns: dict[str, int | None] = {f"total_{name}_tokens": n for name, n in told.items()}
        columns |= {f"{n}_tokens": None if answer is None else told[n] for n in told}
        return columns | {"n_calls": 1}

    def _own(self, name: str, place: int) -> int | None:
        count: int | None = getattr(self._found.calls[place].usage, name)
        return count

    def _count(self, name: str, outer: int, inner: list[int]) -> int | None:
        own = self._own(name, outer)
        return total(self._own(name, place) for place in inner) if own is None else own

    def tpot_ns(self, answer: int, seen: FirstToken | None) -> int | None:
        """Time per output token of the answer."""
        return tpot_ns(self._found.calls[answer], seen)


def _grouped(batch: Batch, found: Calls) -> dict[int, list[int]]:
    places = np.fromiter(found.sightings, np.int64, len(found.sightings))
    grouped: dict[int, list[int]] = {}
    traces = np.searchsorted(batch.first, places, side="right") - 1
    for trace, place in zip(traces.tolist(), places.tolist(), strict=True):
        grouped.setdefault(trace, []).append(place)
    return grouped
