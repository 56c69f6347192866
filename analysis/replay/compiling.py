"""Derived tables -> the model that is re-timed: who waits for whom, and what lies between."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import Any

import numpy as np
import pandas as pd

from analysis.replay.gaps import Paint, Running, cut
from analysis.replay.model import FIXED, STAGE_CODE, UNKNOWN, Ints, Mask, Model, whole


class _Compiler:
    """Fills a model request by request; no recursion, so that any depth of tree is ordinary."""

    def __init__(self, model: Model, spans: pd.DataFrame, ids: list[str]) -> None:
        self.model, self.ids = model, ids
        self.lo = [int(ns) for ns in spans["start_ns"]]
        self.hi = [int(ns) for ns in spans["end_ns"]]
        self.stage = [STAGE_CODE.get(stage, STAGE_CODE["unattributed"]) for stage in spans["stage"]]
        self.pieces = spans["pieces"].fillna("").tolist()
        self.blocking = spans["blocking"].to_numpy(bool)
        self.observer = spans["observer"].to_numpy(bool)
        self.call = (spans["role"] == "call").to_numpy(bool)
        self.candidates: list[tuple[int, int]] = []
        self.drawn_children: list[list[int]] = [[] for _ in ids]
        for node, parent in enumerate(model.drawn):
            if parent >= 0:
                self.drawn_children[parent].append(node)
        self.paints: dict[int, Paint] = {}
        self.atoms: list[tuple[int, int, int, int]] = []
        self.around_call = self.around(self.call)

    def around(self, nodes: Mask) -> Mask:
        """These nodes and all that are drawn above them."""
        found = nodes.copy()
        parents = np.asarray(self.model.drawn, dtype=np.int64)
        for level in reversed(self.model.levels[1:]):
            found[parents[level[found[level]]]] = True
        return found

    def arrange(self, root: int) -> None:
        """Set waits, gaps and tails of one request's tree."""
        stack = [root]
        while stack:
            node = stack.pop()
            kids, observers = self.waited_for(node)
            self.paints[node] = self.paint(node, observers)
            self.place(node, kids)
            stack.extend(kids)

    def waited_for(self, node: int) -> tuple[list[int], list[int]]:
        """Children clipped to the node, through observers; and those observers."""
        kids, observers, low, high = [], [], self.lo[node], self.hi[node]
        stack = list(self.drawn_children[node])
        while stack:
            child = stack.pop()
            if not self.blocking[child]:
                continue
            self.lo[child], self.hi[child] = max(self.lo[child], low), min(self.hi[child], high)
            if self.observer[child]:
                observers.append(child)
                stack.extend(self.drawn_children[child])
            elif self.lo[child] < self.hi[child]:
                kids.append(child)
        kids.sort(key=lambda child: (self.lo[child], self.hi[child], self.ids[child]))
        return kids, observers

    def own_paint(self, node: int) -> Paint:
        low, high = self.lo[node], self.hi[node]
        if not self.pieces[node]:
            return [(low, high, self.stage[node], node)]
        unattributed = STAGE_CODE["unattributed"]
        return [
            (max(start, low), min(end, high), STAGE_CODE.get(stage, unattributed), node)
            for stage, start, end in json.loads(self.pieces[node])
            if max(start, low) < min(end, high)
        ]

    def paint(self, node: int, observers: list[int]) -> Paint:
        painted = self.own_paint(node)
        observers.sort(key=lambda o: (self.lo[o] - self.hi[o], self.ids[o]))  # the smallest wins
        for observer in observers:
            low, high = self.lo[observer], self.hi[observer]
            if low < high:
                painted = [*cut(painted, low, high), *self.own_paint(observer)]
                painted.sort()
        return painted

    def fill(self, slot: int, painted: Paint, low: int, high: int) -> None:
        """Atoms for [low, high] of a painted span."""
        first = max(bisect_right(painted, (low, high + 1)) - 1, 0)
        for start, end, stage, owner in painted[first:]:
            if start >= high:
                break
            if max(start, low) < min(end, high):
                self.atoms.append((slot, stage, owner, min(end, high) - max(start, low)))

    def place(self, node: int, kids: list[int]) -> None:
        model, base = self.model, self.lo[node]
        by_end = sorted(kids, key=lambda kid: (self.hi[kid], self.lo[kid], self.ids[kid]))
        model.children[node], model.by_end[node] = kids, by_end
        model.length[node] = self.hi[node] - base
        ended, running, streams = 0, Running(), list[int]()
        for kid in kids:
            model.parent[kid], model.depth[kid] = node, model.depth[node] + 1
            start = self.lo[kid]
            while ended < len(by_end) and self.hi[by_end[ended]] <= start:
                ended += 1
            release = self.hi[by_end[ended - 1]] if ended else base
            self.gap(kid, node, release, min(start, max(release, running.since(start))))
            running.add(start, self.hi[kid])
            self.candidates += [(kid, s) for s in streams if self.lo[s] < start < self.hi[s]]
            streams += [kid] if self.around_call[kid] else []
            model.waits[kid] = ended
            model.start[kid], model.end[kid] = start - base, self.hi[kid] - base
        last = self.hi[by_end[-1]] if kids else base
        self.fill(model.nodes + node, self.paints[node], last, self.hi[node])

    def gap(self, kid: int, node: int, release: int, busy: int) -> None:
        """The parent's own time before a child; from `busy` on a sibling runs and owns it."""
        start = self.lo[kid]
        self.fill(kid, self.paints[node], release, busy)
        if busy < start:
            self.atoms.append((kid, FIXED, node, start - busy))

    def descend(self, node: int, instant: int) -> int:
        """The innermost node that runs at an instant (its end included) inside a node."""
        while True:
            inner = next(
                (
                    kid
                    for kid in self.model.children[node]
                    if self.lo[kid] < instant <= self.hi[kid]
                ),
                None,
            )
            if inner is None:
                return node
            node = inner

    def set_point(self, point: int, node: int, instant: int) -> None:
        """Let a point follow what runs inside a node at an instant."""
        model, node = self.model, self.descend(node, instant)
        ends = [self.hi[kid] for kid in model.by_end[node]]
        waits = bisect_right(ends, instant)
        model.point_node[point], model.point_waits[point] = node, waits
        release = ends[waits - 1] if waits else self.lo[node]
        self.fill(2 * model.nodes + point, self.paints[node], release, instant)

    def writes(self, node: int, instant: int) -> bool:
        """Whether a model call inside a node writes its answer at an instant."""
        top, node = node, self.descend(node, instant)
        painted = self.paints[node]
        stage = next((s for low, high, s, _ in painted if low < instant <= high), FIXED)
        while node != top and not self.call[node]:
            node = self.model.parent[node]
        return bool(self.call[node]) and stage == STAGE_CODE["decode"]

    def couple_readers(self) -> None:
        """A span that starts while a call beside it writes is taken to read what is written.

        It starts at the same place of the answer, not at the same distance from the parent's
        start; otherwise no quicker decode could bring an output check forward.
        """
        model = self.model
        for kid, stream in self.candidates:
            if kid not in model.reads and self.writes(stream, self.lo[kid]):
                model.reads[kid] = (stream, len(model.point_node))
                model.point_node.append(-1)
                model.point_waits.append(0)
                self.set_point(len(model.point_node) - 1, stream, self.lo[kid])
        self.atoms = [atom for atom in self.atoms if atom[0] not in model.reads]


def compile_requests(requests: pd.DataFrame, spans: pd.DataFrame, calls: pd.DataFrame) -> Model:
    """The model of these requests: frames in the schemas of analysis/derived.py.

    `spans` may hold spans of other requests; they take part in nothing. A request without spans
    keeps its measured figures under every scenario.
    """
    names = list(zip(requests["trace_id"], requests["root_key"], strict=True))
    ids = {name: r for r, name in enumerate(names)}
    owner = [ids.get(n, -1) for n in zip(spans["trace_id"], spans["root_key"], strict=True)]
    find = {pair: node for node, pair in enumerate(zip(owner, spans["key"], strict=True))}
    drawn = [find.get(pair, -1) for pair in zip(owner, spans["parent_key"], strict=True)]
    roots = [find.get((r, key), -1) for r, (_trace, key) in enumerate(names)]
    for root in roots:
        if root >= 0:
            drawn[root] = -1
    compiler = _Compiler(_empty(requests, owner, drawn, roots), spans, spans["key"].tolist())
    for root in roots:
        if root >= 0:
            compiler.arrange(root)
    compiler.couple_readers()
    _anchor_first_tokens(compiler, calls, ids, find)
    _store_atoms(compiler)
    return compiler.model


def _empty(requests: pd.DataFrame, owner: list[int], drawn: list[int], roots: list[int]) -> Model:
    n, r = len(owner), len(roots)
    return Model(
        nodes=n,
        roots=roots,
        request=np.asarray(owner, dtype=np.int64),
        drawn=drawn,
        parent=[-1] * n,
        levels=_levels(drawn),
        depth=[0] * n,
        start=[0] * n,
        end=[0] * n,
        length=[0] * n,
        children=[[] for _ in range(n)],
        waits=[0] * n,
        by_end=[[] for _ in range(n)],
        point_node=[-1] * r,
        point_waits=[0] * r,
        reads={},
        delivery_ns=np.zeros(r, np.int64),
        answer=[-1] * r,
        e2e_ns=whole(requests["e2e_ns"]),
        ttft_ns=whole(requests["ttft_ns"]),
        tpot_ns=whole(requests["tpot_ns"]),
        output_tokens=whole(requests["output_tokens"]),
    )


def _levels(drawn: list[int]) -> list[Ints]:
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(drawn):
        children.setdefault(parent, []).append(node)
    level, levels = children.get(-1, []), []
    while level:
        levels.append(np.asarray(level, dtype=np.int64))
        level = [kid for node in level for kid in children.get(node, ())]
    return levels


def _anchor_first_tokens(
    compiler: _Compiler,
    calls: pd.DataFrame,
    ids: dict[Any, int],
    find: dict[Any, int],
) -> None:
    """Where each first token falls: in the answer call where it has one, else by the clock."""
    model = compiler.model
    tokens: dict[int, int] = {}
    answers = calls[calls["answer"].astype(bool)]
    first = whole(answers["first_token_ns"])
    named = zip(answers["trace_id"], answers["root_key"], answers["key"], strict=True)
    for (trace, root, key), start, offset in zip(named, answers["start_ns"], first, strict=True):
        r = ids.get((trace, root), -1)
        node = find.get((r, key), -1)
        if r >= 0 and node >= 0 and (model.parent[node] >= 0 or node == model.roots[r]):
            model.answer[r] = node
            if offset != UNKNOWN:
                tokens[r] = int(start) + int(offset)
    for r, root in enumerate(model.roots):
        if root >= 0 and UNKNOWN != model.ttft_ns[r] <= model.length[root]:
            _anchor(compiler, r, tokens.get(r, UNKNOWN))


def _anchor(compiler: _Compiler, r: int, token: int) -> None:
    """Put one request's anchor; `token` is the engine's first token in ns, or `UNKNOWN`.

    What lies between the engine's first token and the measured one is delivery: it keeps its
    length whatever happens to the decode that goes on meanwhile.
    """
    model = compiler.model
    root, answer = model.roots[r], model.answer[r]
    measured = compiler.lo[root] + int(model.ttft_ns[r])
    inside = answer >= 0 and compiler.lo[answer] < measured <= compiler.hi[answer]
    if answer >= 0 and compiler.lo[answer] < token <= min(measured, compiler.hi[answer]):
        model.delivery_ns[r] = measured - token
        compiler.set_point(r, answer, token)
    else:
        compiler.set_point(r, answer if inside else root, measured)


def _store_atoms(compiler: _Compiler) -> None:
    atoms = np.asarray(compiler.atoms, dtype=np.int64).reshape(-1, 4)
    atoms = atoms[np.argsort(atoms[:, 0], kind="stable")]
    model = compiler.model
    model.atom_slot, model.atom_stage = atoms[:, 0], atoms[:, 1]
    model.atom_owner, model.atom_ns = atoms[:, 2], atoms[:, 3]
