"""Which rule takes a span: every condition is tried once per distinct value, not per span."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from analysis.rules import Rule, RuleSet
from analysis.tree import Event, Span

FALLBACK: Final = Rule(id="fallback", stage="unattributed", source="no evidence")
"""What a span gets that no rule of the set takes."""

TRANSPORT_KEYS: Final = frozenset(
    ["http.request.method", "http.method", "url.full", "http.url", "rpc.system", "rpc.system.name"]
)
"""Attribute keys of which an HTTP or RPC client span carries at least one."""

_FIELDS = ("name", "service", "kind", "status", "scope")
_NEIGHBOURS = ("server_child", "under_call", "call_below")
_FORGET = 200_000  # distinct values remembered per condition group before starting afresh

_Test = tuple[re.Pattern[str] | None, int]  # None: the key has to be there, whatever its value
_Parents = dict[int, Span | None]
Shape = tuple[str, str | None, str, str, str | None]


def is_transport(span: Span) -> bool:
    """Whether the span is the HTTP or RPC client span through which its parent calls."""
    keys = span.attributes.keys()
    return span.kind == "client" and not keys.isdisjoint(TRANSPORT_KEYS)


def callers_of_servers(spans: Iterable[Span], parents: _Parents) -> set[int]:
    """The `id()` of every span that a child of another service answers (`Rule.server_child`)."""
    found: set[int] = set()
    for span in spans:
        caller = parents[id(span)]
        while caller is not None and id(caller) not in found and _answers(span, caller):
            found.add(id(caller))
            caller = parents[id(caller)] if is_transport(caller) else None
    return found


def _answers(span: Span, caller: Span) -> bool:
    if span.service == caller.service:
        return False
    named = span.service is not None and caller.service is not None
    return span.kind == "server" or (named and span.kind in ("internal", "unspecified"))


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


class _Values:
    """The tests on one place of a span (its name, one attribute …), remembered per value."""

    def __init__(self) -> None:
        self.tests: list[_Test] = []
        self._known: dict[str, int] = {}

    def bits(self, value: Any) -> int:
        key = value if type(value) is str else f"\0{value!r}"  # the text "1" is not the number 1
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _FORGET:
                self._known.clear()
            known = self._known[key] = self._try(_texts(value))
        return known

    def _try(self, texts: list[str]) -> int:
        bits = 0
        for pattern, bit in self.tests:
            if pattern is None or any(pattern.search(text) for text in texts):
                bits |= bit
        return bits


class Matcher:
    """Gives spans the first rule of a set whose conditions hold, else `FALLBACK`.

    Each distinct condition of the set is one bit; what holds for a span is the union of the bits
    of its parts, and the rule for one such union is looked up once.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._bits: dict[tuple[str, str, str | bool], int] = {}
        self._places: defaultdict[tuple[str, str], _Values] = defaultdict(_Values)
        self.rules = [(self._needs(rule), rule) for rule in rules.rules]
        self._attributes = self._keyed("attributes")
        self._resource = self._keyed("resource")
        self._events = self._places.get(("event", ""))
        self._flags = {
            place: (self._bits.get((place, "", False), 0), self._bits.get((place, "", True), 0))
            for place in _NEIGHBOURS
        }
        self._shapes: dict[Shape, int] = {}
        self._chosen: dict[int, Rule] = {}

    def assign(self, spans: list[Span]) -> None:
        """Set `rule` on the raw spans of one or more traces, by the parent ids they carry."""
        parents, first = _raw_parents(spans)
        self._decide(spans, parents, first)

    def reassign(self, root: Span) -> None:
        """Set `rule` again on a request's clean tree, by its `children`."""
        spans = [root]
        for span in spans:  # grows while it is read: breadth first, without recursion
            spans.extend(span.children)
        parents: _Parents = {id(child): span for span in spans for child in span.children}
        parents[id(root)] = None
        self._decide(spans, parents, {})

    def _decide(self, spans: list[Span], parents: _Parents, first: dict[int, int]) -> None:
        callers = callers_of_servers(spans, parents)
        order = [(span, self._own_bits(span)) for span in _parents_first(spans, parents)]
        callers |= {key for key, same in first.items() if same in callers}
        self._give(order, parents, callers, set())
        above = _above_calls(spans, parents)
        if above and self.looks_below:
            above |= {key for key, same in first.items() if same in above}
            self._give(order, parents, callers, above)

    def _give(
        self,
        order: list[tuple[Span, int]],
        parents: _Parents,
        callers: set[int],
        above_calls: set[int],
    ) -> None:
        under: dict[int, bool] = {}
        servers, calls, below = (self._flags[place] for place in _NEIGHBOURS)
        for span, own in order:
            key, parent = id(span), parents[id(span)]
            under[key] = parent is not None and _passes_on(parent, under)
            holds = own | servers[key in callers] | calls[under[key]] | below[key in above_calls]
            span.rule = FALLBACK if span.placeholder else self._first(holds)

    def rules_of(self, own: int) -> list[Rule]:
        """The rules for what holds for a span itself, by its neighbours.

        Eight: the place adds 1 for a server child, 2 under a call, 4 with a call below.
        """
        servers, calls, below = (self._flags[place] for place in _NEIGHBOURS)
        return [
            self._first(own | servers[n & 1] | calls[n >> 1 & 1] | below[n >> 2]) for n in range(8)
        ]

    @property
    def needs(self) -> list[int]:
        """For each rule, in order, the bits of its conditions."""
        return [needs for needs, _rule in self.rules]

    @property
    def looks_below(self) -> bool:
        """Whether any rule asks for a call among the descendants."""
        return any(self._flags["call_below"])

    def _first(self, holds: int) -> Rule:
        rule = self._chosen.get(holds)
        if rule is None:
            taking = (rule for needs, rule in self.rules if needs & ~holds == 0)
            rule = self._chosen[holds] = next(taking, FALLBACK)
        return rule

    def _own_bits(self, span: Span) -> int:
        bits = self.shape_bits((span.name, span.service, span.kind, span.status, span.scope))
        bits |= self.attribute_bits(span.attributes) | self.resource_bits(span.resource)
        return bits | self.event_bits(span.events) if span.events else bits

    def shape_bits(self, shape: Shape) -> int:
        """What holds for a span by its name, service, kind, status and scope."""
        bits = self._shapes.get(shape)
        if bits is None:
            if len(self._shapes) >= _FORGET:
                self._shapes.clear()
            bits = self._shapes[shape] = self._shape_bits(shape)
        return bits

    def attribute_bits(self, attributes: dict[str, Any]) -> int:
        """What holds for a span by its attributes."""
        return _keyed_bits(self._attributes, attributes)

    def resource_bits(self, resource: dict[str, Any]) -> int:
        """What holds for a span by its resource."""
        return _keyed_bits(self._resource, resource)

    def event_bits(self, events: Iterable[Event]) -> int:
        """What holds for a span by the names of its events."""
        bits = 0
        if self._events is not None:
            for name in {event.name for event in events}:
                bits |= self._events.bits(name)
        return bits

    def _shape_bits(self, shape: Shape) -> int:
        bits = 0
        for place, value in zip(_FIELDS, shape, strict=True):
            if (place, "") in self._places:
                bits |= self._places[place, ""].bits(value or "")
        return bits

    def _keyed(self, place: str) -> dict[str, _Values]:
        return {key: values for (where, key), values in self._places.items() if where == place}

    def _needs(self, rule: Rule) -> int:
        needs = 0
        for place in (*_FIELDS, "event"):
            pattern = getattr(rule, place)
            if pattern is not None:
                needs |= self._bit(place, "", pattern)
        for place in ("attributes", "resource"):
            for key, wanted in getattr(rule, place):
                needs |= self._bit(place, key, wanted)
        for place in _NEIGHBOURS:
            value = getattr(rule, place)
            if value is not None:
                needs |= self._bits.setdefault((place, "", value), 1 << len(self._bits))
        return needs

    def _bit(self, place: str, keys: str, wanted: str | bool) -> int:
        known = self._bits.get((place, keys, wanted))
        if known is not None:
            return known
        bit = self._bits[place, keys, wanted] = 1 << len(self._bits)
        pattern = re.compile(wanted) if isinstance(wanted, str) else None
        for key in keys.split("|"):
            self._places[place, key].tests.append((pattern, bit))
        return bit


def _keyed_bits(known: dict[str, _Values], carried: dict[str, Any]) -> int:
    bits = 0
    for key in carried.keys() & known.keys():
        bits |= known[key].bits(carried[key])
    return bits


def _passes_on(parent: Span, under: dict[int, bool]) -> bool:
    role = parent.rule.role if parent.rule is not None else ""
    return (role == "call" and parent.kind != "server") or (
        role == "observer" and under.get(id(parent), False)
    )


def _above_calls(spans: list[Span], parents: _Parents) -> set[int]:
    above: set[int] = set()
    for span in spans:
        parent = parents[id(span)] if span.is_call else None
        while parent is not None and id(parent) not in above:
            above.add(id(parent))
            parent = parents[id(parent)]
    return above


def _raw_parents(spans: list[Span]) -> tuple[_Parents, dict[int, int]]:
    """Who is whose parent, and for each repeated record (by `id()`) the first of its span."""
    named: defaultdict[tuple[str, str], list[Span]] = defaultdict(list)
    for span in spans:
        named[span.trace_id, span.span_id].append(span)
    first: dict[int, int] = {}
    for records in named.values():
        seen: dict[tuple[str | None, bool], int] = {}
        for span in records if len(records) > 1 else ():
            first[id(span)] = seen.setdefault((span.service, span.shared), id(span))
    return {id(span): _raw_parent(span, named) for span in spans}, first


def _raw_parent(span: Span, named: dict[tuple[str, str], list[Span]]) -> Span | None:
    if span.shared:
        halves = named.get((span.trace_id, span.span_id), [])
        client = next((half for half in halves if not half.shared), None)
        if client is not None:
            return client
    links = (link.span_id for link in span.links if link.type == "child_of")
    parent_id = span.parent_id or next(links, None)
    if parent_id is None or parent_id == span.span_id:
        return None
    halves = named.get((span.trace_id, parent_id), [])
    own = (half for half in halves if half.service == span.service)
    return next(own, halves[0] if halves else None)


def _parents_first(spans: list[Span], parents: _Parents) -> list[Span]:
    children: defaultdict[int | None, list[Span]] = defaultdict(list)
    for span in spans:
        parent = parents[id(span)]
        children[None if parent is None else id(parent)].append(span)
    order = list(children[None])
    for span in order:
        order.extend(children.get(id(span), ()))
    if len(order) < len(spans):  # cycles hang under no root
        placed = {id(span) for span in order}
        order.extend(span for span in spans if id(span) not in placed)
    return order
