"""Requests timed again under a scenario; an empty scenario changes nothing, to the nanosecond."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from analysis.replay.model import UNKNOWN, Ints, Model
from analysis.replay.scenario import (
    Draft,
    Scenario,
    cap,
    detach,
    overlap,
    remove,
    scale,
    scale_spans,
    shorten,
)

__all__ = [
    "OBJECTIVES", "Outcome", "Scenario", "cap", "detach", "overlap", "remove", "replay", "scale",
    "scale_spans", "shorten",
]  # fmt: skip

OBJECTIVES: Final = ("e2e", "ttft", "tpot")


class Outcome:
    """Figures per request in ns, each made when asked; `UNKNOWN` (-1) where not measured."""

    def __init__(self, run: _Replay) -> None:
        self._run = run

    @cached_property
    def e2e_ns(self) -> Ints:
        """End to end."""
        run, found = self._run, self._run.model.e2e_ns.copy()
        for request in run.touched:
            found[request] = run.length[run.model.roots[request]]
        return found

    @cached_property
    def ttft_ns(self) -> Ints:
        """To the first token; never after the end."""
        run, found = self._run, self._run.model.ttft_ns.copy()
        for request in run.timed():
            root = run.model.roots[request]
            found[request] = min(run.first_token_ns(request), run.length[root])
        return found

    @cached_property
    def tpot_ns(self) -> Ints:
        """Per output token after the first."""
        run, found = self._run, self._run.model.tpot_ns.copy()
        for request in run.timed():
            found[request] = run.per_token_ns(request)
        return found

    def of(self, objective: str) -> Ints:
        """The array of one of `OBJECTIVES`."""
        if objective == "e2e":
            return self.e2e_ns
        return self.ttft_ns if objective == "ttft" else self.tpot_ns


def measured(model: Model, objective: str) -> Ints:
    """Today's figures of one of `OBJECTIVES`."""
    return {"e2e": model.e2e_ns, "ttft": model.ttft_ns, "tpot": model.tpot_ns}[objective]


def replay(model: Model, scenario: Scenario) -> Outcome:
    """Every request under a scenario.

    A span starts when all siblings that had ended before it have ended again, plus the parent's
    own gap; it ends with its last child plus its own tail. Only spans on the way from a change
    up to the root are timed again. O(atoms) in numpy, then O(children) per such span.
    """
    draft = Draft(model.atom_ns.copy(), model.delivery_ns.copy())
    for edit in scenario.edits:
        edit.apply(model, draft)
    run = _Replay(model, draft)
    run.propagate()
    return Outcome(run)


class _Replay:
    def __init__(self, model: Model, draft: Draft) -> None:
        self.model, self.draft = model, draft
        self.slot = model.slot_ns.copy()
        self.start, self.end = model.start.copy(), model.end.copy()
        self.length = model.length.copy()
        self.dirty: set[int] = set()
        self.touched: set[int] = set()  # requests
        self.readers = {point: node for node, (_stream, point) in model.reads.items()}
        self.change_slots()

    def change_slots(self) -> None:
        model, slots = self.model, self.model.slot_groups[0]
        now, before = model.slot_sums(self.draft.atom_ns), model.slot_sums(model.atom_ns)
        for index in np.nonzero(now != before)[0]:
            self.slot[int(slots[index])] = int(now[index])
            self.mark(int(slots[index]))
        for node, ns in self.draft.delay_ns.items():
            self.slot[node] += ns
            self.mark(node)
        for node in self.draft.beside:
            self.mark(node)
        moved = np.nonzero(self.draft.delivery_ns != model.delivery_ns)[0]
        self.touched.update(int(request) for request in moved)

    def mark(self, slot: int) -> None:
        """Note who has to be timed again when a slot has changed."""
        nodes, point = self.model.nodes, slot - 2 * self.model.nodes
        if point >= len(self.model.roots):
            self.dirty.add(self.model.parent[self.readers[point]])
        elif point >= 0:
            self.touched.add(point)
        else:
            self.dirty.add(self.model.parent[slot] if slot < nodes else slot - nodes)

    def propagate(self) -> None:
        """Time the changed spans and their ancestors again, children before parents."""
        parent, dirty = self.model.parent, self.dirty
        for first in list(dirty):
            node = parent[first]
            while node >= 0 and node not in dirty:
                dirty.add(node)
                node = parent[node]
        for node in sorted(dirty, key=self.model.depth.__getitem__, reverse=True):
            self.retime(node)
            self.touched.add(int(self.model.request[node]))

    def retime(self, node: int) -> None:
        model, start, end, slot = self.model, self.start, self.end, self.slot
        by_end, waits, length = model.by_end[node], model.waits, self.length
        beside = self.draft.beside
        ended = release = last = 0
        for kid in model.children[node]:
            while ended < waits[kid]:
                release = max(release, end[by_end[ended]])
                ended += 1
            base = self.beside_ns(kid) if kid in beside else release
            if kid in model.reads:
                stream, point = model.reads[kid]
                base = max(base, start[stream] + self.climb(point, stream))
            start[kid] = base + slot[kid]
            end[kid] = start[kid] + length[kid]
            last = max(last, end[kid])
        length[node] = last + slot[model.nodes + node]

    def beside_ns(self, kid: int) -> int:
        """When a span may start that no longer waits for some of its siblings."""
        model, others = self.model, self.draft.beside[kid]
        before = model.by_end[model.parent[kid]][: model.waits[kid]]
        waited = max((self.end[other] for other in before if other not in others), default=0)
        return max(waited, *(self.start[other] for other in others))

    def timed(self) -> list[int]:
        """Changed requests whose first token is known."""
        return [request for request in self.touched if self.model.point_node[request] >= 0]

    def inside_ns(self, point: int, end: list[int], gap: int) -> tuple[int, int]:
        """The innermost node at a point, and the point's offset from that node's start."""
        node = self.model.point_node[point]
        return node, self.model.released_ns(node, self.model.point_waits[point], end) + gap

    def climb(self, point: int, top: int) -> int:
        """A point's offset from the start of an ancestor, after the change.

        At each level it waits for what had ended before the span started: an answer that runs
        beside its check is shown when the check has passed.
        """
        model = self.model
        node, offset = self.inside_ns(point, self.end, self.slot[2 * model.nodes + point])
        while node != top:
            above = model.parent[node]
            held = model.released_ns(above, model.waits[node], self.end)
            offset, node = max(self.start[node] + offset, held), above
        return offset

    def first_token_ns(self, request: int) -> int:
        offset = self.climb(request, self.model.roots[request])
        return offset + int(self.draft.delivery_ns[request])

    def per_token_ns(self, request: int) -> int:
        """TPOT follows the answer's decode: its new length over its new token count."""
        model, answer = self.model, self.model.answer[request]
        before, tokens = int(model.tpot_ns[request]), int(model.output_tokens[request])
        if before == UNKNOWN or answer < 0 or not self.under(model.point_node[request], answer):
            return before
        old = model.length[answer] - self.measured_offset(request, answer)
        new = self.length[answer] - self.climb(request, answer)
        factor = 1.0 if self.draft.token_factor is None else self.draft.token_factor[request]
        gaps = tokens * float(factor) - 1
        if old <= 0 or new <= 0 or gaps <= 0 or (new == old and factor == 1.0):
            return before
        return round(before * (new / old) * ((tokens - 1) / gaps))

    def under(self, node: int, top: int) -> bool:
        while node not in (top, -1):
            node = self.model.parent[node]
        return node == top

    def measured_offset(self, request: int, top: int) -> int:
        model = self.model
        slot = 2 * model.nodes + request
        node, offset = self.inside_ns(request, model.end, model.slot_ns[slot])
        while node != top:
            offset, node = offset + model.start[node], model.parent[node]
        return offset
