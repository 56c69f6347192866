"""One emitter's whole divided into its parts, and one layer's whole put inside another's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from analysis.metering.family import LAYERS, Family
from analysis.metering.known import LAYER_OF
from analysis.metering.measuring import Measured

TOLERANCE: Final = 0.05
"""Counts that differ by more than this part are of different requests."""

_INFERENCE: Final = frozenset({"prefill", "decode", "model"})


@dataclass(frozen=True)
class Piece:
    """A slice of a mean: `measured` by a family, else what a whole's parts leave of it."""

    stage: str
    mean_ns: int
    emitter: str
    family: str
    measured: bool


@dataclass
class Account:
    """A mean request divided; `pieces` sum to `mean_ns`.

    Args:
        wholes: what was measured whole, the outermost first; empty where only parts were.
        apart: parts that counted other requests than their whole.
        doubts: ids of what to doubt, see `analysis.metering.doubts`.
    """

    emitters: list[str]
    count: float
    mean_ns: int
    pieces: list[Piece]
    wholes: list[Measured]
    apart: list[Measured] = field(default_factory=list)
    doubts: set[str] = field(default_factory=set)


def agree(one: float, other: float) -> bool:
    """Whether two counts are of the same requests, within `TOLERANCE`."""
    return abs(one - other) <= TOLERANCE * max(one, other)


def accounts(rows: Sequence[Measured]) -> list[Account]:
    """Every emitter's mean request, inner layers inside outer ones where their counts agree.

    The most divided comes first, then the one that counted the most requests.
    """
    found: list[Account] = []
    order = {layer: place for place, layer in enumerate(LAYERS)}
    emitters = {r.family.emitter for r in rows if r.family.role in ("whole", "part")}
    for emitter in sorted(emitters, key=lambda e: (-order[LAYER_OF[e]], e)):
        own = [row for row in rows if row.family.emitter == emitter and row.mean_ns is not None]
        made = _outer(own, found)
        if made is not None:
            found.append(made)
    return sorted(found, key=_rank)


def _rank(account: Account) -> tuple[bool, int, float, str]:
    stages = {piece.stage for piece in account.pieces if piece.measured}
    return not account.wholes, -len(stages), -account.count, account.emitters[0]


def _outer(own: list[Measured], found: list[Account]) -> Account | None:
    """An emitter's account; an inner one that fits into it is taken out of `found`."""
    opening = [row for row in own if row.family.opens]
    door = next((r for r in opening if r.family.role == "part"), next(iter(opening), None))
    inner = None if door is None else _fitting(door, own[0].family, found)
    made = divide(own, door, inner)
    if made is not None and inner is not None:
        found.remove(inner)
    return made


def _fitting(door: Measured, outer: Family, found: list[Account]) -> Account | None:
    """The account that lies inside a part: same requests, not longer, of a deeper layer."""
    depth = LAYERS.index(LAYER_OF[outer.emitter])
    for account in sorted(found, key=lambda a: (-len(a.emitters), -a.mean_ns)):
        deeper = LAYERS.index(LAYER_OF[account.emitters[0]]) > depth
        fits = door.mean_ns is not None and account.mean_ns <= door.mean_ns
        if deeper and fits and account.wholes and agree(account.count, door.count):
            return account
    return None


def divide(own: list[Measured], door: Measured | None, inner: Account | None) -> Account | None:
    """One emitter's families as an account, `inner` inside the part `door`; None without any."""
    top = next((row for row in own if row.family.role == "whole"), None)
    if top is None:
        return _parts_only([row for row in own if row.family.role == "part"])
    made = Account([top.family.emitter], top.count, top.mean_ns or 0, [], [top])
    made.apart = [r for r in own if r.family.role == "part" and not agree(r.count, top.count)]
    made.pieces = _pieces(top, [r for r in own if r not in made.apart], made, door, inner)
    made.mean_ns = sum(piece.mean_ns for piece in made.pieces)
    if inner is not None:
        made.emitters += inner.emitters
        made.wholes += inner.wholes
        made.apart += inner.apart
        made.doubts |= inner.doubts | {"layers_by_count"}
    return made


def _parts_only(parts: list[Measured]) -> Account | None:
    """Stages that no whole holds together: their means add up where they count the same."""
    if not parts:
        return None
    most = max(row.count for row in parts)
    used = [row for row in parts if agree(row.count, most)]
    pieces = [_piece(row, row.family.stage, row.mean_ns or 0, True) for row in used]
    apart = [row for row in parts if row not in used]
    total = sum(piece.mean_ns for piece in pieces)
    return Account([parts[0].family.emitter], most, total, pieces, [], apart, {"no_whole"})


def _piece(row: Measured, stage: str, mean_ns: int, measured: bool) -> Piece:
    return Piece(stage, mean_ns, row.family.emitter, row.family.name, measured)


def _above(row: Measured, own: list[Measured]) -> Measured | None:
    """The nearest measured family that holds this one."""
    holders = [other for other in own if other.family.role == "whole"]
    holders += [other for other in own if other.family.role == "part" and other is not row]
    named = (other for other in holders if other.family.name == row.family.within)
    return next(named, holders[0] if row.family.within and holders else None)


def _pieces(
    node: Measured, own: list[Measured], made: Account, door: Measured | None,
    inner: Account | None,
) -> list[Piece]:  # fmt: skip
    """A family divided into its parts and what they leave."""
    parts = [r for r in own if r.family.role == "part" and _above(r, own) is node]
    pieces = [p for row in parts for p in _pieces(row, own, made, door, inner)]
    if node is door and inner is not None:
        pieces += inner.pieces
    elif node.family.role == "whole" and not _INFERENCE & {piece.stage for piece in pieces}:
        first = _first_token(node, own, made)
        if first is not None:
            return _by_first_token(node, first, pieces, made)
    left = (node.mean_ns or 0) - sum(piece.mean_ns for piece in pieces)
    if left < 0:
        made.doubts.add("parts_exceed")
    if pieces:
        return [*pieces, _piece(node, node.family.rest, left, False)] if left > 0 else pieces
    return [_piece(node, node.family.stage, node.mean_ns or 0, True)]


def _first_token(node: Measured, own: list[Measured], made: Account) -> Measured | None:
    """The time to the first token of the same requests, where it lies inside the whole."""
    for row in own:
        shorter = (row.mean_ns or 0) <= (node.mean_ns or 0)
        if row.family.role == "ttft" and shorter and agree(row.count, made.count):
            return row
    return None


def _by_first_token(
    node: Measured, first: Measured, pieces: list[Piece], made: Account
) -> list[Piece]:
    """A whole cut at the first token: what comes before it less the parts known, and the rest."""
    queued = any(piece.stage == "request_queue" for piece in pieces)
    if not queued:
        made.doubts.add("queue_in_first_token")
    made.doubts.add("cut_at_first_token")
    before = (first.mean_ns or 0) - sum(piece.mean_ns for piece in pieces)
    after = (node.mean_ns or 0) - (first.mean_ns or 0)
    if before < 0:
        made.doubts.add("parts_exceed")
    ahead = _piece(first, "prefill" if queued else "model", before, False)
    behind = _piece(node, "decode", after, False)
    return [*pieces, *(piece for piece in (ahead, behind) if piece.mean_ns > 0)]
