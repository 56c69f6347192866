"""The rule of every span of a batch, from the distinct texts of its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from analysis.plain import facts, ruling
from analysis.plain.batch import Batch, calm, kinds, whole
from analysis.plain.facts import Classes, Column, coded, encoded_rows
from analysis.plain.numbering import paired, together
from analysis.rules import Rule
from analysis.staging.matching import Matcher
from analysis.staging.model_calls import CUTTING

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

_MARKS: Final = {
    "transport": facts.TRANSPORT,
    "other_client": facts.OTHER_CLIENT,
    "resent": facts.RESENT,
    "server_error": facts.SERVER_ERROR,
}


@dataclass(frozen=True)
class Told:
    """What the texts of a batch say; the batch's columns of the same name number them."""

    attributes: facts.Attributes
    resource: facts.Resources
    events: facts.Events
    routes: list[str]
    rules: list[Rule]


def ruled(
    batch: Batch, records: pa.Table, columns: dict[str, Column], matcher: Matcher
) -> tuple[Batch, Told]:
    """The traces that staging divides span by span, with the number of each span's rule."""
    rows, bits, routes = batch["row"], Classes(), Classes()
    texts = {name: coded(whole(records.column(name)), rows) for name in ("resource", "events")}
    carried, text = encoded_rows(whole(records.column("attributes")), rows)
    attributes = facts.attributes(carried, matcher, bits, routes)
    resource = facts.resources(texts["resource"].values, matcher, bits)
    events = facts.events(texts["events"].values, matcher, bits)
    batch = batch.with_columns(**{name: found.codes for name, found in texts.items()})
    batch = batch.with_columns(attributes=text, shape=attributes.shapes.shape[text])
    batch = _asked(batch, columns, attributes, events)
    own, held = _own(batch, columns, matcher, (attributes.bits, resource.bits, events.bits), bits)
    rules, table = _table(held, matcher)
    roles = {
        "call": np.array([rule.role == "call" for rule in rules], np.bool_),
        "observer": np.array([rule.role == "observer" for rule in rules], np.bool_),
        "attempt": np.array([rule.role == "retry" for rule in rules], np.bool_),
        "streamed": np.array([_dates_first_token(rule) for rule in rules], np.bool_),
    }
    found = ruling.given(
        _ruling_spans(batch, columns["kind"], own),
        ruling.Rules(table, roles["call"], roles["observer"], matcher.looks_below),
    )
    batch = batch.with_columns(rule=found.rule).only(found.plain)
    batch = batch.only(~_prefilled(batch, rules, roles["call"]))
    told = Told(attributes, resource, events, [str(name) for name in routes.things], rules)
    return calm(batch, columns["kind"], roles), told


def _prefilled(batch: Batch, rules: list[Rule], calls: Flags) -> Flags:
    """Traces with a call inside a prefill span, which is half a question (`counted_calls`)."""
    phases = np.array([rule.stage == "prefill" for rule in rules], np.bool_) & ~calls
    phase, found = phases[batch["rule"]], np.zeros(len(batch.first) - 1, np.bool_)
    places = np.flatnonzero(calls[batch["rule"]])
    at = batch.parent[places] if phase.any() else np.full(len(places), -1)
    while (at >= 0).any():
        inside = places[(at >= 0) & phase[at]]
        found[np.searchsorted(batch.first, inside, side="right") - 1] = True
        at = np.where(at >= 0, batch.parent[at], -1)
    return found


def _dates_first_token(rule: Rule) -> bool:
    """Whether this rule's spans may show by their marks that they streamed."""
    return any(mark.name in CUTTING for mark in rule.marks)


def _asked(
    batch: Batch, columns: dict[str, Column], attributes: facts.Attributes, events: facts.Events
) -> Batch:
    """The answers of the attribute texts, span by span."""
    marks = attributes.marks[batch["shape"]]
    failing = kinds(columns["status"], batch["status"], "error")
    failed = np.where(failing, marks & facts.FAILED_BY_STATUS, marks & facts.FAILED) > 0
    alike = attributes.target[batch["shape"]]
    for name in ("name", "service", "kind"):
        alike = paired(alike, batch[name])
    return batch.with_columns(
        failed=failed,
        failing=failing,
        alike=alike,
        loud=(marks & facts.LOUD > 0) | (events.loud[batch["events"]] > 0),
        route=attributes.route[batch["shape"]],
        **{name: marks & bit > 0 for name, bit in _MARKS.items()},
    )


def _own(
    batch: Batch,
    columns: dict[str, Column],
    matcher: Matcher,
    told: tuple[Ints, Ints, Ints],
    bits: Classes,
) -> tuple[Ints, list[int]]:
    """A number for what holds for each span itself, and the bits that these numbers stand for."""
    fields = ("name", "service", "kind", "status", "scope")
    kind_of, places = together([batch[name] for name in fields])
    texts = zip(("shape", "resource", "events"), told, strict=True)
    parts = [bits_of[batch[name]] for name, bits_of in texts]
    own, samples = together([kind_of, *parts])
    by_number: list[Any] = list(bits.things)
    shapes = [
        matcher.shape_bits(tuple(_value(columns[name], batch[name][place]) for name in fields))  # type: ignore[arg-type]
        for place in places
    ]
    held = []
    for place in samples:
        whole_bits = shapes[kind_of[place]]
        for part in parts:
            whole_bits |= by_number[part[place]]
        held.append(whole_bits)
    return own, held


def _value(column: Column, code: int) -> str | None:
    return None if code < 0 else column.values[code]


def _table(held: list[int], matcher: Matcher) -> tuple[list[Rule], Ints]:
    """All rules that may be given, and their numbers by what holds and the neighbours."""
    numbers: dict[int, int] = {}
    rules: list[Rule] = []
    table = []
    for own in held:
        for rule in matcher.rules_of(own):
            if id(rule) not in numbers:
                numbers[id(rule)] = len(rules)
                rules.append(rule)
            table.append(numbers[id(rule)])
    return rules, np.array(table, np.int64)


def _ruling_spans(batch: Batch, kind: Column, own: Ints) -> ruling.Spans:
    return ruling.Spans(
        batch.first,
        batch.parent,
        own,
        batch["service"],
        kinds(kind, batch["kind"], "server"),
        kinds(kind, batch["kind"], "internal", "unspecified"),
        batch["transport"] & kinds(kind, batch["kind"], "client"),
    )
