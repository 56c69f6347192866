"""Model calls and first-token sightings of plain traces, and what calls come to in tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analysis.plain import cuts, marked, plans
from analysis.plain.batch import Batch, kinds
from analysis.plain.cuts import FLAGS, SEEN_BY, TOLD, Cut
from analysis.plain.facts import Column, probe
from analysis.plain.marked import Lent, Readings
from analysis.plain.numbering import together
from analysis.plain.plans import Pairs
from analysis.plain.staged import Told
from analysis.rules import FIRST_TOKEN
from analysis.stages import STAGES
from analysis.staging.model_calls import Call, read_call
from analysis.staging.phases import PHASES, Phase, add_phases
from analysis.staging.pieces import Staged, note_sightings
from analysis.staging.usage import Usage, usage
from analysis.tree import Span

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

_NO_USAGE = Usage(None, None, None)
_SOURCES = [FIRST_TOKEN[name] for name in SEEN_BY]


@dataclass
class Calls:
    """The spans that carry marks or are model calls, by place, and what they say.

    `call` tells which of them are calls; of these `usage` counts tokens and `model` and `streaming`
    are numbers (-1: not known). `flags` are those that reading marks left on a span: place -> flag
    -> amount. `read` are the calls that were read one by one, by their number here.
    """

    place: Ints
    call: Flags
    cut: Cut
    marks: Readings
    usage: Ints
    model: Ints
    streams: Flags
    streaming: Ints
    keys: list[str]
    models: list[str]
    flags: dict[int, dict[str, int | None]] = field(default_factory=dict)
    read: dict[int, Call] = field(default_factory=dict)

    def calls(self) -> Ints:
        """The numbers of those that are calls."""
        return np.flatnonzero(self.call)


def read(batch: Batch, columns: dict[str, Column], told: Told) -> Calls:
    """Every call and every first token that a span of the batch tells of."""
    is_call = np.array([rule.role == "call" for rule in told.rules], np.bool_)[batch["rule"]]
    below = _calls_below(batch, is_call)
    place = np.flatnonzero(is_call | _may_tell(batch, told))
    found, hard = _by_columns(batch, columns, told, place, is_call, below)
    phases = _phases(batch, columns, told, is_call)
    hard |= np.isin(place, list(phases))
    _note_flags(found, ~hard)
    reader = _Reader(batch, columns, told, below)
    for number in np.flatnonzero(hard).tolist():
        reader.read(number, found, phases)
    return found


def _by_columns(
    batch: Batch, columns: dict[str, Column], told: Told, place: Ints, is_call: Flags, below: Ints
) -> tuple[Calls, Flags]:
    """What marks and attributes say where events say nothing, and where that is too hard."""
    shapes, call = told.attributes.shapes, is_call[place]
    eventful = _eventful(batch, told)
    spans = marked.Spans(
        batch.parent, batch["start"], batch["end"], batch["attributes"], batch["shape"], below,
        eventful, shapes.first, shapes.digits, shapes.scale,
    )  # fmt: skip
    pairs, pair, samples = Pairs(told.attributes), *_pairs(batch, place)
    met = [(told.rules[batch["rule"][p]], int(batch["shape"][p])) for p in place[samples]]
    planned = pairs.plans(met)
    readings = marked.readings(spans, planned, place, pair)
    lent = _lent(spans, told, place, call)
    kind = kinds(columns["kind"], batch["kind"], "client")
    cut = cuts.cut(
        cuts.Marked(
            spans.start[place], spans.end[place], planned.stage[pair], call, kind[place],
            np.ascontiguousarray(lent.usage[:, 2]),
        ),
        readings,
    )  # fmt: skip
    streams, streaming = _streaming(pairs, batch, told, place, lent.lender)
    model = _models(pairs, batch["shape"], place, lent.lender, call)
    found = Calls(
        place, call, cut, readings, lent.usage, model, streams, streaming,
        list(pairs.keys), list(pairs.models),
    )  # fmt: skip
    return found, readings.hard | lent.hard | eventful[place]


def _pairs(batch: Batch, place: Ints) -> tuple[Ints, Ints]:
    return together([batch["rule"][place], batch["shape"][place]])


def _lent(spans: marked.Spans, told: Told, place: Ints, call: Flags) -> Lent:
    """The tokens of those that are calls."""
    found = marked.lent(spans, plans.counts(told.attributes), place[call])
    usages = np.full((len(place), 3), marked.NONE)
    lender, hard = place.copy(), np.zeros(len(place), np.bool_)
    usages[call], lender[call], hard[call] = found
    return Lent(usages, lender, hard)


def _streaming(
    pairs: Pairs, batch: Batch, told: Told, place: Ints, lender: Ints
) -> tuple[Flags, Ints]:
    """Whether each call streams, and what its row says of that."""
    spans = (place, lender)
    columns = [batch[name][at] for at in spans for name in ("rule", "shape")]
    number, samples = together(columns)
    said = [
        pairs.streaming((told.rules[rule], shape), (told.rules[other], lent))
        for rule, shape, other, lent in zip(
            *(column[samples].tolist() for column in columns), strict=True
        )
    ]
    found = np.array(said, np.int64).reshape(-1, 2)[number].T
    return found[0] > 0, found[1]


def _models(pairs: Pairs, shape: Ints, place: Ints, lender: Ints, call: Flags) -> Ints:
    """The model of each call, by itself or by the span that lends it its tokens."""
    wanted = np.unique(np.concatenate([shape[place[call]], shape[lender[call]]]))
    by_shape = np.full(int(shape.max(initial=0)) + 1, -1, np.int64)
    by_shape[wanted] = [pairs.model(number) for number in wanted.tolist()]
    own = by_shape[shape[place]]
    return np.where(own < 0, by_shape[shape[lender]], own)


def _note_flags(found: Calls, wanted: Flags) -> None:
    flagged = found.cut.flagged
    for number in np.flatnonzero(flagged.any(axis=1) & wanted).tolist():
        found.flags[int(found.place[number])] = {
            name: int(amount) if how == 2 else None
            for name, how, amount in zip(
                FLAGS, flagged[number], found.cut.amount[number], strict=True
            )
            if how
        }


class _Reader:
    """Reads spans one by one, as staging would see them, by the reference's own code."""

    def __init__(self, batch: Batch, columns: dict[str, Column], told: Told, below: Ints) -> None:
        self._batch, self._columns, self._told, self._below = batch, columns, told, below

    def read(self, number: int, found: Calls, phases: dict[int, list[Phase]]) -> None:
        """Write what a span says into its rows."""
        staged, place = Staged([]), int(found.place[number])
        span = self._span(place)
        if span.is_call:
            told = self._lender(place, span), self._around(place)
            call = staged.calls[span.key] = read_call(span, [], *told)
            span.flags.update(call.flags)
            add_phases(call, phases.get(place, ()))
            self._write(number, call, found)
        if span.rule is not None and span.rule.marks:
            note_sightings(span, staged)
        seen = staged.sightings.get(span.key, {})
        found.cut.seen[number] = [seen.get(source, 0) for source in _SOURCES]
        if span.flags:
            found.flags[place] = span.flags

    def _write(self, number: int, call: Call, found: Calls) -> None:
        cut, pieces = found.cut, call.pieces
        found.read[number] = call
        found.usage[number] = [-1 if count is None else count for count in call.usage]
        found.streams[number] = call.streams
        found.model[number] = _place_of(call.model, found.models)
        cut.first[number] = call.first_token or 0
        cut.count[number] = len(pieces)
        cut.stage[number, : len(pieces)] = [STAGES.index(piece.stage) for piece in pieces]
        cut.until[number, : len(pieces)] = [piece.end for piece in pieces]
        cut.told[number] = [call.stage_ns.get(stage, -1) for stage in TOLD]

    def _span(self, place: int) -> Span:
        names = ("kind", "status", "service")
        codes = {name: self._batch[name][place] for name in names}
        values = {name: self._columns[name].values for name in names}
        return probe(
            self._attributes(place),
            events=self._told.events.told[self._batch["events"][place]],
            rule=self._told.rules[self._batch["rule"][place]],
            start=int(self._batch["start"][place]),
            end=int(self._batch["end"][place]),
            key=str(place),
            **{name: None if code < 0 else values[name][code] for name, code in codes.items()},
        )

    def _attributes(self, place: int) -> dict[str, Any]:
        return self._told.attributes.of(int(self._batch["attributes"][place]))

    def _around(self, place: int) -> list[Span]:
        """The spans around the call alone that have events, the nearest first."""
        found, around = [], int(self._batch.parent[place])
        while self._below[place] == 1 and around >= 0 and self._below[around] == 1:
            if self._told.events.told[self._batch["events"][around]]:
                found.append(self._span(around))
            around = int(self._batch.parent[around])
        return found

    def _lender(self, place: int, span: Span) -> Span:
        around = place
        while around >= 0 and self._below[around] == 1:
            lender = span if around == place else self._span(around)
            if usage(lender) != _NO_USAGE:
                return lender
            around = int(self._batch.parent[around])
        return span


def _place_of(name: str | None, names: list[str]) -> int:
    """The place of a name in a list of names, to which it is added where it is new."""
    if name is None:
        return -1
    if name not in names:
        names.append(name)
    return names.index(name)


def _calls_below(batch: Batch, is_call: Flags) -> Ints:
    """How many calls each span is or holds."""
    below = np.zeros(len(batch.parent), np.int64)
    at = np.flatnonzero(is_call)
    while len(at):
        np.add.at(below, at, 1)
        at = batch.parent[at]
        at = at[at >= 0]
    return below


def _phases(
    batch: Batch, columns: dict[str, Column], told: Told, is_call: Flags
) -> dict[int, list[Phase]]:
    """By the place of a call the phases below it that lie in no other call and were waited for."""
    phase = np.array([rule.stage in PHASES for rule in told.rules], np.bool_)[batch["rule"]]
    places = np.flatnonzero(phase & ~is_call)
    at = places.copy()
    while (moving := (at >= 0) & ~is_call[at] & batch["blocking"][at]).any():
        at[moving] = batch.parent[at[moving]]
    names, found = columns["name"].values, dict[int, list[Phase]]()
    inside = (at >= 0) & is_call[at]
    for place, call in zip(places[inside].tolist(), at[inside].tolist(), strict=True):
        stage, name = told.rules[batch["rule"][place]].stage, names[batch["name"][place]]
        times = int(batch["start"][place]), int(batch["end"][place])
        found.setdefault(call, []).append(Phase(stage, name, *times))
    return found


def _eventful(batch: Batch, told: Told) -> Flags:
    """Spans that have events."""
    return np.array([bool(events) for events in told.events.told], np.bool_)[batch["events"]]


def _may_tell(batch: Batch, told: Told) -> Flags:
    """Spans that carry an attribute or an event of the kind that their rule's marks are read from.

    Every pair of a rule and a shape of attributes is looked at once.
    """
    marked_rules = np.array([bool(rule.marks) for rule in told.rules], np.bool_)
    found = marked_rules[batch["rule"]]
    places = np.flatnonzero(found)
    pair, samples = _pairs(batch, places)
    carries = np.zeros(len(samples), np.bool_)
    for number, place in enumerate(places[samples].tolist()):
        marks = told.rules[batch["rule"][place]].marks
        said = told.attributes.told[batch["shape"][place]]
        carries[number] = any(m.place == "attribute" and m.key in said for m in marks)
    found[places] = carries[pair] | _eventful(batch, told)[places]
    return found
