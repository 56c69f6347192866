"""What is changed in a what-if, built from a few shared parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from analysis.errors import UserError
from analysis.replay.model import STAGE_CODE, Ints, Mask, Model

Numbers = NDArray[np.float64]
Amount = float | Numbers
"""One number, or one per node (`per_node` spreads one per request)."""

CLOSE: Final = 1e-12


def per_node(model: Model, by_request: NDArray[np.generic]) -> Numbers:
    """One number per request -> one per node; 1.0 for nodes of no selected request."""
    spread = np.ones(model.nodes)
    known = model.request >= 0
    spread[known] = np.asarray(by_request, dtype=np.float64)[model.request[known]]
    return spread


@dataclass
class Draft:
    """A model's atoms, delays and waits while edits are applied one after the other."""

    atom_ns: Ints
    delivery_ns: Ints
    delay_ns: dict[int, int] = field(default_factory=dict)
    beside: dict[int, set[int]] = field(default_factory=dict)
    token_factor: Numbers | None = None


class Edit(Protocol):
    """One change; `apply` alters the draft."""

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft."""


def _own(model: Model, stages: tuple[str, ...], where: Mask | None) -> Mask:
    codes = [STAGE_CODE[stage] for stage in stages]
    chosen = np.isin(model.atom_stage, codes)
    return chosen if where is None else chosen & where[model.atom_owner]


def _at(amount: Amount, owners: Ints) -> Numbers:
    if isinstance(amount, np.ndarray):
        return np.asarray(amount[owners], dtype=np.float64)
    return np.full(len(owners), float(amount))


def _shrink(draft: Draft, chosen: Mask, factor: Numbers) -> None:
    """Multiply the chosen atoms, leaving those with factor 1 exactly as they are."""
    places = np.nonzero(chosen)[0]
    changed = np.abs(factor - 1.0) > CLOSE
    places, factor = places[changed], np.maximum(factor[changed], 0.0)
    draft.atom_ns[places] = np.rint(draft.atom_ns[places] * factor).astype(np.int64)


def _totals(model: Model, draft: Draft, chosen: Mask) -> Numbers:
    """Per node: ns of its chosen atoms, the copies up to a first token not counted twice."""
    counted = chosen & (model.atom_slot < 2 * model.nodes)
    owners, ns = model.atom_owner[counted], draft.atom_ns[counted]
    return np.bincount(owners, weights=ns, minlength=model.nodes).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Scale:
    """The slices of these stages (of these spans) take `factor` times as long."""

    stages: tuple[str, ...]
    factor: Amount
    where: Mask | None = None

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft."""
        chosen = _own(model, self.stages, self.where)
        _shrink(draft, chosen, _at(self.factor, model.atom_owner[chosen]))


@dataclass(frozen=True, eq=False)
class Shorten:
    """Each span's slices of these stages lose `ns` together, and never more than they have."""

    stages: tuple[str, ...]
    ns: Amount
    where: Mask | None = None

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft."""
        chosen = _own(model, self.stages, self.where)
        total = np.maximum(_totals(model, draft, chosen), 1.0)
        left = np.maximum(total - self.ns, 0.0) / total
        _shrink(draft, chosen, left[model.atom_owner[chosen]])


@dataclass(frozen=True, eq=False)
class Cap:
    """Each span's slices of these stages together take `ns` at most."""

    stages: tuple[str, ...]
    ns: Amount
    where: Mask | None = None

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft."""
        chosen = _own(model, self.stages, self.where)
        total = np.maximum(_totals(model, draft, chosen), 1.0)
        left = np.minimum(total, self.ns) / total
        _shrink(draft, chosen, left[model.atom_owner[chosen]])


@dataclass(frozen=True, eq=False)
class ScaleSpans:
    """These spans, with all that runs under them, take `factor` times as long."""

    where: Mask
    factor: Amount = 1.0

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft; under a chosen span the outermost one's factor counts."""
        everyone = np.arange(model.nodes)
        factor = np.where(self.where, _at(self.factor, everyone), 1.0)
        inside, parents = self.where.copy(), np.asarray(model.drawn, dtype=np.int64)
        for level in model.levels[1:]:
            below = inside[parents[level]]
            factor[level] = np.where(below, factor[parents[level]], factor[level])
            inside[level] |= below
        chosen = inside[model.atom_owner]
        _shrink(draft, chosen, factor[model.atom_owner[chosen]])


@dataclass(frozen=True, eq=False)
class Delay:
    """These spans start `ns` later: work that a change puts in front of them."""

    where: Mask
    ns: Amount

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft."""
        nodes = np.nonzero(self.where)[0]
        for node, ns in zip(nodes, np.rint(_at(self.ns, nodes)), strict=True):
            if model.parent[node] >= 0:
                draft.delay_ns[int(node)] = draft.delay_ns.get(int(node), 0) + int(ns)


@dataclass(frozen=True, eq=False)
class Overlap:
    """In each pair of siblings (a, b), b may start when a starts: it no longer waits for a's end.

    It still waits for all others that had ended before it, and what follows waits for both.
    """

    pairs: tuple[tuple[int, int], ...]

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft."""
        for first, second in self.pairs:
            if model.parent[first] != model.parent[second] or model.parent[first] < 0:
                raise ValueError(f"nodes {first} and {second} are no siblings")
            if model.start[second] < model.start[first]:
                raise ValueError(f"node {second} starts before node {first}")
            draft.beside.setdefault(second, set()).add(first)


@dataclass(frozen=True, eq=False)
class Deliver:
    """From the engine's first token to the measured one it takes `ns` (one per request)."""

    ns: Numbers

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft; never longer than it was."""
        wanted = np.rint(np.maximum(self.ns, 0.0)).astype(np.int64)
        draft.delivery_ns[:] = np.minimum(draft.delivery_ns, wanted)


@dataclass(frozen=True, eq=False)
class Tokens:
    """The answer has `factor` times as many tokens (one per request); moves TPOT's divisor only."""

    factor: Numbers

    def apply(self, model: Model, draft: Draft) -> None:
        """Alter the draft."""
        before = 1.0 if draft.token_factor is None else draft.token_factor
        draft.token_factor = np.asarray(before * self.factor, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Scenario:
    """A what-if: edits in the order in which they are applied; without edits nothing changes.

    `hidden_ns` is for answers that arrive at once today and token by token after the change: how
    long before the request's end its first token will be seen (one per request, NaN for others).
    """

    edits: tuple[Edit, ...] = ()
    hidden_ns: Numbers | None = None

    def __add__(self, other: Scenario) -> Scenario:
        hidden = self.hidden_ns if other.hidden_ns is None else other.hidden_ns
        return Scenario(self.edits + other.edits, hidden)


def scale(stages: str | tuple[str, ...], factor: Amount, where: Mask | None = None) -> Scenario:
    """These stages take `factor` times as long; stage ids of analysis/stages.py."""
    return Scenario((Scale(_known(stages), factor, where),))


def shorten(stages: str | tuple[str, ...], ns: Amount, where: Mask | None = None) -> Scenario:
    """Each span loses `ns` of these stages."""
    return Scenario((Shorten(_known(stages), ns, where),))


def cap(stages: str | tuple[str, ...], ns: Amount, where: Mask | None = None) -> Scenario:
    """Each span spends at most `ns` in these stages."""
    return Scenario((Cap(_known(stages), ns, where),))


def scale_spans(where: Mask, factor: Amount) -> Scenario:
    """These whole spans take `factor` times as long."""
    return Scenario((ScaleSpans(where, factor),))


def remove(where: Mask) -> Scenario:
    """These whole spans are gone."""
    return Scenario((ScaleSpans(where, 0.0),))


def detach(where: Mask) -> Scenario:
    """These spans still run, but nobody waits for them: for the request's time they are gone."""
    return remove(where)


def overlap(pairs: list[tuple[int, int]]) -> Scenario:
    """In each pair of siblings, the second may start when the first starts."""
    return Scenario((Overlap(tuple(pairs)),))


def _known(stages: str | tuple[str, ...]) -> tuple[str, ...]:
    wanted = (stages,) if isinstance(stages, str) else stages
    for stage in wanted:
        if stage not in STAGE_CODE:
            raise UserError("a stage id", repr(stage), "scenario")
    return wanted
