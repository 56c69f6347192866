"""What a rule's marks, and keys of token counts, come to in each shape of attributes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from analysis.cleaning.evidence import streams
from analysis.plain.facts import Attributes, probe
from analysis.rules import MARKS, TOKENS, Mark, Rule
from analysis.stages import STAGES
from analysis.staging import usage
from analysis.staging.marks import LATEST_NS, LONGEST_NS, POSITIONS, Figure, figure_ns
from analysis.staging.model_calls import CUTTING

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

FIXED: Final = -1  # in place of a slot: the figure is the same wherever the shape is
UNREADABLE: Final = -2
LENGTH, OFFSET, ABSOLUTE = range(3)
_COUNTS: Final = (
    usage.INPUT_KEYS, usage.CACHED_KEYS, usage.OUTPUT_KEYS, usage.READ_KEYS
)  # fmt: skip
_POWERS: Final = {"ns": 0, "us": 3, "ms": 6, "s": 9}


class Plans(NamedTuple):
    """Per pair of a rule and a shape its marks, those of pair i at `first[i]` to `first[i + 1]`.

    `slot` is the place of the number among those of the text, `power` of ten makes it ns; `key`
    numbers the attribute. `fixed` and `step` are ns where the slot is `FIXED`.
    """

    first: Ints
    name: Ints
    slot: Ints
    power: Ints
    meaning: Ints
    fixed: Ints
    step: Ints
    key: Ints
    stage: Ints  # that the rule gives


class Counts(NamedTuple):
    """Per shape and kind of tokens the keys that may tell them, in order.

    Those of kind k in shape s are `first[4 * s + k]` to `first[4 * s + k + 1]` (the kinds of
    `Usage`, then prompt tokens that no cache held); `fixed` is the count where the slot is
    `FIXED`. `hard` shapes tell them in another way.
    """

    first: Ints
    slot: Ints
    fixed: Ints
    hard: Flags


@dataclass
class Pairs:
    """The pairs of a rule and a shape that were met, and what holds wherever they are met."""

    attributes: Attributes
    keys: dict[str, int] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)

    def plans(self, pairs: Iterable[tuple[Rule, int]]) -> Plans:
        """The marks of these pairs."""
        firsts, stages = [0], []
        entries: list[tuple[int, ...]] = []
        for rule, shape in pairs:
            entries += self._entries(rule, shape)
            firsts.append(len(entries))
            stages.append(STAGES.index(rule.stage))
        name, slot, power, meaning, fixed, step, key = _columns(entries, 7)
        given = np.array(stages, np.int64)
        return Plans(np.array(firsts), name, slot, power, meaning, fixed, step, key, given)

    def _entries(self, rule: Rule, shape: int) -> Iterable[tuple[int, ...]]:
        told, numbered = self.attributes.told[shape], self.attributes.numbered[shape]
        for mark in rule.marks:
            if mark.place != "attribute" or mark.name in TOKENS or mark.key not in told:
                continue
            slot, meaning, figure = UNREADABLE, _meaning(mark), Figure(0, 0)
            if mark.key not in numbered:
                read = figure_ns(told[mark.key], mark.unit)
                most = LATEST_NS if meaning == ABSOLUTE else LONGEST_NS
                if read is not None and abs(read.ns) <= most:
                    slot, figure = FIXED, read
            elif mark.unit in _POWERS:
                slot = numbered.index(mark.key)
            key = self.keys.setdefault(mark.key, len(self.keys))
            power = _POWERS.get(mark.unit, 0)
            yield MARKS.index(mark.name), slot, power, meaning, *figure, key

    def streaming(self, own: tuple[Rule, int], lender: tuple[Rule, int]) -> tuple[bool, int]:
        """Whether a call streams, and what its row says of that: 1 yes, 0 no, -1 nothing."""
        span, other = (
            probe(self.attributes.told[shape], rule=rule) for rule, shape in (own, lender)
        )
        said = usage.streaming(span)
        told = usage.streaming(other) if said is None else said
        if told is not None:
            return told, int(told)
        marks = (
            mark for mark in own[0].marks if mark.place == "attribute" and mark.name in CUTTING
        )
        carries = any(mark.key in span.attributes for mark in marks)
        seen = carries or streams(span) or streams(other)
        return seen, 1 if seen else -1

    def model(self, shape: int) -> int:
        """The number of the model that a shape names, -1 where it names none."""
        name = usage.model_name(probe(self.attributes.told[shape]))
        return -1 if name is None else self.models.setdefault(name, len(self.models))


def counts(attributes: Attributes) -> Counts:
    """The token counts of every shape."""
    firsts, entries, hard = [0], [], []
    for told, numbered in zip(attributes.told, attributes.numbered, strict=True):
        for keys in _COUNTS:
            entries += [_count(key, told, numbered) for key in keys if key in told]
            firsts.append(len(entries))
        hard.append(usage.DETAILS in told)
    slot, fixed = _columns(entries, 2)
    return Counts(np.array(firsts), slot, fixed, np.array(hard, np.bool_))


def _count(key: str, told: dict[str, Any], numbered: list[str]) -> tuple[int, int]:
    if key in numbered:
        return numbered.index(key), 0
    number = usage.count(told[key])
    return (UNREADABLE, 0) if number is None else (FIXED, number)


def _meaning(mark: Mark) -> int:
    if mark.unit == "iso" or mark.meaning == "absolute":
        return ABSOLUTE
    return OFFSET if mark.name in POSITIONS else LENGTH


def _columns(rows: list[Any], width: int) -> Ints:
    return np.array(rows, np.int64).reshape(-1, width).T
