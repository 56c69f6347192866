"""Requests compiled once into a form that can be re-timed many times: gaps, waits and anchors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.stages import STAGES

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

UNKNOWN: Final = -1
"""In an array of lengths: there is no figure (a length is never negative)."""

FIXED: Final = -1
"""Stage code of a gap in which a sibling runs: that sibling owns it, so no stage shortens it."""

STAGE_CODE: Final = {stage: code for code, stage in enumerate(STAGES)}


@dataclass
class Model:
    """Every selected request as waits and gaps; a node is a row of the spans frame.

    Slot `n` is the parent's gap before node n, slot `N + n` node n's tail after its last child,
    slot `2N + p` what lies between the last release in point p's node and that point. Points 0 to
    R-1 are the requests' first tokens, the others where a reader of a stream began (`reads`). An
    atom is a part of one slot with one stage and one owner. Times are ns from the parent's start.
    """

    nodes: int
    roots: list[int]
    request: Ints  # node -> request
    drawn: list[int]  # node -> parent as drawn, -1
    parent: list[int]  # node -> the node that waits for it, -1: root, observer or not waited for
    levels: list[Ints]  # nodes by drawn depth
    depth: list[int]  # depth in the tree of waits
    start: list[int]
    end: list[int]
    length: list[int]
    children: list[list[int]]  # by start
    waits: list[int]  # node -> how many siblings, by end, had ended when it started
    by_end: list[list[int]]
    point_node: list[int]  # point -> the innermost node that runs there, -1: no such point
    point_waits: list[int]  # point -> how many of that node's children, by end, had ended
    reads: dict[int, tuple[int, int]]  # node -> sibling whose stream it reads, and the point
    delivery_ns: Ints  # request -> from the engine's first token to the one that was measured
    answer: list[int]  # request -> node of the answer call, -1
    e2e_ns: Ints
    ttft_ns: Ints  # UNKNOWN where there is none
    tpot_ns: Ints
    output_tokens: Ints
    atom_slot: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    atom_stage: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    atom_owner: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    atom_ns: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @cached_property
    def slot_groups(self) -> tuple[Ints, Ints]:
        """Slots that hold atoms, and where each one's atoms start."""
        slots, starts = np.unique(self.atom_slot, return_index=True)
        return slots, starts.astype(np.int64)

    @cached_property
    def slot_ns(self) -> list[int]:
        """The length of every slot as it was measured."""
        total = np.zeros(2 * self.nodes + len(self.point_node), np.int64)
        slots, _ = self.slot_groups
        total[slots] = self.slot_sums(self.atom_ns)
        return [int(ns) for ns in total]

    def slot_sums(self, atom_ns: Ints) -> Ints:
        """The length of each slot of `slot_groups` under these atom lengths."""
        if not len(atom_ns):
            return np.zeros(0, np.int64)
        return np.asarray(np.add.reduceat(atom_ns, self.slot_groups[1]), dtype=np.int64)

    def below(self, where: Mask) -> Mask:
        """These nodes and every node drawn under them."""
        found = where.copy()
        parents = np.asarray(self.drawn, dtype=np.int64)
        for level in self.levels[1:]:
            found[level] |= found[parents[level]]
        return found

    def released_ns(self, node: int, waits: int, end: list[int]) -> int:
        """When the first `waits` children (by end) of a node have all ended."""
        return max((end[child] for child in self.by_end[node][:waits]), default=0)


def whole(values: Iterable[Any]) -> Ints:
    """Nullable whole numbers as int64, `UNKNOWN` where there is none."""
    numbers = pd.to_numeric(pd.Series(list(values), dtype="object"), errors="coerce")
    return np.asarray(numbers.astype("Int64").fillna(UNKNOWN), dtype=np.int64)
