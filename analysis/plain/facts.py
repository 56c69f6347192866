"""What texts that many spans share say: the reference's own code asked once per text."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.cleaning import evidence
from analysis.json_text import encoded, events_text
from analysis.metrics import STATUS_KEYS, asked_route, server_error
from analysis.parsing import parsed_events
from analysis.plain.shapes import Shapes, apart, known_keys, shapes
from analysis.rules import Rule
from analysis.staging import attempts, usage
from analysis.staging.matching import TRANSPORT_KEYS, Matcher, is_transport
from analysis.staging.pieces import OTHER_CLIENTS
from analysis.tree import Event, Span

Ints = Any  # numpy int64 array
Pairs = list[tuple[str, Any]]

_TELLING: Final = frozenset().union(
    (*attempts.TARGET_KEYS, *attempts.RESEND_KEYS, *attempts.STATUS_KEYS, *STATUS_KEYS),
    (
        *TRANSPORT_KEYS,
        *OTHER_CLIENTS,
        *evidence.KEYS,
        "http.route",
        "http.request.method",
        "http.method",
    ),
)
"""Attribute keys without which a span says nothing that is asked of attributes here."""


class Column(NamedTuple):
    """A column with few distinct values: `codes` into `values`, -1 where there is none."""

    codes: Ints
    values: list[Any]


def coded(column: Any, rows: Ints | None = None) -> Column:
    """A string column, or these rows of it, by its distinct values."""
    found, codes = encoded_rows(column, rows)
    return Column(codes, found.to_pylist())


def encoded_rows(column: Any, rows: Ints | None = None) -> tuple[Any, Ints]:
    """The distinct values of a column at some rows, an Arrow array, and their codes there."""
    every = rows is None or len(rows) == len(column)
    found = (column if every else column.take(pa.array(rows))).dictionary_encode()
    codes = found.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return found.dictionary, codes[rows] if every and rows is not None else codes


class Classes:
    """Numbers for things that are alike, in the order in which they were met."""

    def __init__(self) -> None:
        self.things: dict[Hashable, int] = {}

    def number(self, thing: Hashable) -> int:
        """The number of a thing, a new one for a new thing."""
        return self.things.setdefault(thing, len(self.things))


@dataclass(frozen=True)
class Attributes:
    """Per shape of attribute texts (`analysis.plain.shapes`) what it says.

    `texts` are the distinct texts as the derived tables hold them; `told` is what a text of each
    shape says, its numbers standing for any. `bits`, `target` and `route` are classes and `marks`
    the answers to yes-or-no questions, as bits of the constants below.
    """

    texts: Any
    shapes: Shapes
    told: list[dict[str, Any]]
    numbered: list[list[str]]  # the keys whose numbers are told apart, in order
    bits: Ints
    target: Ints
    route: Ints  # -1: names none
    marks: Ints

    def of(self, text: int) -> dict[str, Any]:
        """What one of the texts says."""
        found: dict[str, Any] = json.loads(self.texts[text].as_py())
        return found


TRANSPORT: Final = 1
OTHER_CLIENT: Final = 2
RESENT: Final = 4
FAILED: Final = 8  # where the span's status is not "error"
FAILED_BY_STATUS: Final = 16  # where it is
SERVER_ERROR: Final = 32
LOUD: Final = 64  # streaming evidence

_QUIET: Final = FAILED_BY_STATUS  # of a span that says nothing


def probe(attributes: dict[str, Any], **columns: Any) -> Span:
    """A span of which only the attributes, and the columns given, mean anything."""
    return Span(
        **{
            "key": "", "trace_id": "", "span_id": "", "parent_id": None, "name": "",
            "service": None, "host": None, "kind": "client", "status": "unset", "scope": None,
            "raw_start": None, "raw_end": None, "attributes": attributes, **columns,
        }
    )  # fmt: skip


_QUESTIONS: Final[tuple[tuple[int, Callable[[Span], bool]], ...]] = (
    (TRANSPORT, is_transport),
    (OTHER_CLIENT, lambda span: any(key in span.attributes for key in OTHER_CLIENTS)),
    (RESENT, attempts.resent),
    (FAILED, attempts.failed),
    (SERVER_ERROR, server_error),
    (LOUD, evidence.streams),
)


def _answers(span: Span) -> int:
    found = 0
    for bit, question in _QUESTIONS:
        found |= bit if question(span) else 0
    span.status = "error"
    return found | (FAILED_BY_STATUS if attempts.failed(span) else 0)


def _gist(key: str, value: Any) -> str:
    """A value as far as it matters: a first token's time only shows that there is one."""
    return str(value not in (None, "", 0)) if key in evidence.FIRST_TOKEN else repr(value)


def asked_keys(rules: Iterable[Rule]) -> tuple[set[str], set[str]]:
    """The attribute keys of which numbers are asked, and those of which whole values are."""
    rules = list(rules)
    tried = (pair for rule in rules for pair in rule.attributes)
    valued = {key for keys, wanted in tried if wanted is not True for key in keys.split("|")}
    marked = {m.key for rule in rules for m in rule.marks if m.place == "attribute"}
    words = valued | (_TELLING - {*evidence.FIRST_TOKEN}) | usage.WORD_KEYS
    return (marked | usage.COUNT_KEYS | {*evidence.FIRST_TOKEN}) - words, words


def attributes(texts: Any, matcher: Matcher, bits: Classes, routes: Classes) -> Attributes:
    """What each of these distinct attribute texts, an Arrow array, says."""
    numbers, words = asked_keys(rule for _needs, rule in matcher.rules)
    found, pairs = _unmixed(texts, shapes(texts, known_keys(numbers, words)))
    told = [dict(carried) for carried in pairs]
    slots = [
        [] if odd else [key for key, value in carried if key in numbers and _is_number(value)]
        for odd, carried in zip(found.odd.tolist(), pairs, strict=True)
    ]
    said = _said(told, matcher, bits, routes)
    return Attributes(_written(texts, found, told), found, told, slots, *said)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _unmixed(texts: Any, found: Shapes) -> tuple[Shapes, list[Pairs]]:
    """What a text of each shape says; a text that names a key twice gets a shape of its own."""
    pairs = _samples(texts, found.sample, found.odd)
    twice = [len({key for key, _value in carried}) < len(carried) for carried in pairs]
    mixed = np.array(twice, np.bool_) & ~found.odd
    if not mixed.any():
        return found, pairs
    parted = apart(found, mixed)
    more = slice(len(pairs), None)
    return parted, pairs + _samples(texts, parted.sample[more], parted.odd[more])


def _samples(texts: Any, samples: Ints, odd: Any) -> list[Pairs]:
    """Keys and values of some texts; where a text is not odd, with keys that stand there twice."""
    found: list[Pairs] = []
    for text, is_odd in zip(texts.take(pa.array(samples)).to_pylist(), odd.tolist(), strict=True):
        told = json.loads(text) if is_odd else _in_pairs.decode(text)
        found.append(list(told.items()) if is_odd else told)
    return found


_in_pairs: Final = json.JSONDecoder(object_pairs_hook=lambda pairs: pairs)


def _written(texts: Any, found: Shapes, told: list[dict[str, Any]]) -> Any:
    """The texts as `encoded` writes them."""
    odd = np.flatnonzero(found.odd[found.shape])
    if not len(odd):
        return texts
    written = pa.array([encoded(told[shape]) for shape in found.shape[odd].tolist()], pa.string())
    mask = np.zeros(len(texts), np.bool_)
    mask[odd] = True
    return pc.replace_with_mask(texts, pa.array(mask), written)


def _said(told: list[dict[str, Any]], matcher: Matcher, bits: Classes, routes: Classes) -> Any:
    """The columns of `Attributes` from `bits` on."""
    targets = Classes()
    silent = targets.number("None")
    rows = []
    known: dict[tuple[tuple[str, str], ...], tuple[int, int, int]] = {}
    for carried in told:
        own = bits.number(matcher.attribute_bits(carried))
        if _TELLING.isdisjoint(carried):
            rows.append((own, silent, -1, _QUIET))
            continue
        said = tuple((key, _gist(key, carried[key])) for key in _TELLING & carried.keys())
        if said not in known:
            span = probe(carried)
            target, route = targets.number(attempts.target(span)), asked_route(span)
            number = -1 if route is None else routes.number(route)
            known[said] = target, number, _answers(span)
        rows.append((own, *known[said]))
    return np.array(rows, np.int64).reshape(-1, 4).T


@dataclass(frozen=True)
class Resources:
    """Per distinct resource text: what holds by it, and its service version (-1: none)."""

    bits: Ints
    version: Ints
    versions: list[str]


def resources(texts: Sequence[str], matcher: Matcher, bits: Classes) -> Resources:
    """What each resource text says."""
    versions, rows = Classes(), []
    for text in texts:
        told = json.loads(text)
        version = told.get("service.version")
        number = -1 if version is None else versions.number(str(version))
        rows.append((bits.number(matcher.resource_bits(told)), number))
    columns = np.array(rows, np.int64).reshape(-1, 2).T
    return Resources(columns[0], columns[1], [str(name) for name in versions.things])


@dataclass(frozen=True)
class Events:
    """Per distinct text of events: they themselves, their text, what holds, whether they stream."""

    told: list[list[Event]]
    texts: list[str]
    bits: Ints
    loud: Ints


def events(texts: Sequence[str], matcher: Matcher, bits: Classes) -> Events:
    """What each text of events says."""
    told = [parsed_events(text) for text in texts]
    rows = []
    for found in told:
        names = tuple({event.name: None for event in found})
        loud = bool(names) and evidence.streams(probe({}, events=found))
        rows.append((bits.number(matcher.event_bits(found)), loud))
    columns = np.array(rows, np.int64).reshape(-1, 2).T
    return Events(told, [events_text(found) for found in told], columns[0], columns[1])
