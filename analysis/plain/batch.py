"""The spans of a batch's plain traces, in tree order, as columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.clock_offsets import Offsets
from analysis.plain import fitting, siblings, trees
from analysis.plain.facts import Column, coded

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

_NO_ID = "0" * 16


@dataclass(frozen=True)
class Batch:
    """Whole traces, trace ids ascending: trace i has the places `first[i]` to `first[i + 1]`.

    `columns` holds one number per place; `parent` a place, -1 at roots; `row` the record.
    """

    first: Ints
    parent: Ints
    columns: dict[str, Ints]

    def __getitem__(self, name: str) -> Ints:
        return self.columns[name]

    def with_columns(self, **columns: Ints) -> Batch:
        """The same traces, more known of them."""
        return replace(self, columns=self.columns | columns)

    def trace(self) -> Ints:
        """The trace of each place."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def only(self, plain: Flags) -> Batch:
        """The traces that are plain."""
        if plain.all():
            return self
        sizes = np.diff(self.first)
        kept = np.repeat(plain, sizes)
        first = np.concatenate([[0], np.cumsum(sizes[plain])])
        moved = np.repeat(self.first[:-1][plain] - first[:-1], sizes[plain])
        parent = self.parent[kept]
        columns = {name: column[kept] for name, column in self.columns.items()}
        return Batch(first, np.where(parent < 0, -1, parent - moved), columns)


def whole(column: Any) -> Any:
    """A column of a table as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def connected(records: pa.Table) -> Batch:
    """The traces that are one tree of spans with all times, each of them recorded once."""
    by_trace, first = _by_trace(whole(records.column("trace_id")))
    key, known = trees.numbers(whole(records.column("span_id")))
    above, named = trees.numbers(whole(pc.fill_null(records.column("parent_id"), _NO_ID)))
    start, end = (
        whole(pc.fill_null(records.column(name), 0)).to_numpy() for name in ("start_ns", "end_ns")
    )
    usable = known & named & _usable(records, start, end)
    spans = trees.Records(
        first, key[by_trace], above[by_trace], start[by_trace], end[by_trace], usable[by_trace]
    )
    found = trees.ordered(spans)
    columns = {"row": by_trace[found.row], "depth": found.depth}
    columns |= {
        "key": spans.key[found.row], "start": spans.start[found.row], "end": spans.end[found.row]
    }  # fmt: skip
    return Batch(first, found.parent, columns).only(found.plain)


def _by_trace(trace_ids: Any) -> tuple[Ints, Ints]:
    """The records trace by trace, trace ids ascending, and where each trace begins."""
    codes, values = coded(trace_ids)
    rank = np.empty(len(values), np.int64)
    rank[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values))
    ranks = rank[codes]
    first = np.concatenate([[0], np.cumsum(np.bincount(ranks, minlength=len(values)))])
    return np.argsort(ranks, kind="stable"), first


def _usable(records: pa.Table, start: Ints, end: Ints) -> Flags:
    """Records that say all themselves: no repairs, no links, no shared id, both times in order."""
    odd = pc.or_(
        pc.or_(records.column("shared"), pc.not_equal(records.column("links"), "[]")),
        pc.greater(pc.list_value_length(records.column("flags")), 0),
    )
    return (start > 0) & (end >= start) & ~whole(odd).to_numpy(zero_copy_only=False)


def described(batch: Batch, records: pa.Table) -> tuple[Batch, dict[str, Column]]:
    """The columns of few values as codes, in the batch and with their values."""
    names = ("name", "service", "host", "kind", "status", "scope")
    columns = {name: coded(whole(records.column(name)), batch["row"]) for name in names}
    return batch.with_columns(**{name: found.codes for name, found in columns.items()}), columns


def kinds(column: Column, codes: Ints, *wanted: str) -> Flags:
    """Where a coded column has one of these values."""
    told = np.array([value in wanted for value in column.values] + [False])
    return told[codes]


def on_known_clocks(batch: Batch, host: Column, offsets: Offsets) -> Batch:
    """The traces without a call between two hosts whose clocks are known to disagree."""
    code = {name: number for number, name in enumerate(host.values)}
    width = len(host.values)
    moved = [
        code[one] * width + code[other]
        for _quarter, above, below in offsets.lines
        for one, other in ((above, below), (below, above))
        if one in code and other in code
    ]
    hosts, above = batch["host"], np.maximum(batch.parent, 0)
    pairs = np.where((hosts < 0) | (hosts[above] < 0), -1, hosts[above] * width + hosts)
    off = np.zeros(len(batch.first) - 1, np.bool_)
    off[batch.trace()[np.isin(pairs, np.array(moved, np.int64))]] = True
    return batch.only(~off)


def fit(batch: Batch, kind: Column) -> Batch:
    """The traces that need no cleaning beyond flags, with `blocking` and the amounts of flags."""
    found = fitting.fitted(
        fitting.Spans(
            batch.first, batch.parent, batch["start"], batch["end"],
            batch["service"], batch["host"],
            kinds(kind, batch["kind"], "producer"), kinds(kind, batch["kind"], "consumer"),
        )
    )  # fmt: skip
    told = found._asdict()
    plain = told.pop("plain")
    return batch.with_columns(**told).only(plain)


def calm(batch: Batch, kind: Column, roles: dict[str, Flags]) -> Batch:
    """The traces in which staging does nothing between siblings."""
    told = {name: flags[batch["rule"]] for name, flags in roles.items()}
    return batch.only(
        siblings.plain(
            siblings.Spans(
                first=batch.first,
                parent=batch.parent,
                start=batch["start"],
                end=batch["end"],
                service=batch["service"],
                alike=batch["alike"],
                name=batch["name"],
                kind=batch["kind"],
                server=kinds(kind, batch["kind"], "server"),
                client=kinds(kind, batch["kind"], "client"),
                blocking=batch["blocking"],
                late=(batch["outlives"] > 0) | (batch["outside"] > 0),
                call=told["call"],
                observer=told["observer"],
                attempt=told["attempt"],
                failed=batch["failed"] | (told["call"] & batch["failing"]),
                resent=batch["resent"],
                other_client=batch["other_client"],
                loud=batch["loud"] | told["streamed"],
            )
        )
    )
