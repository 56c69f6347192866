"""Plain traces derived column by column; whatever is awkward about a trace is left to `derive`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from analysis.clock_offsets import Offsets
from analysis.derived import Derived
from analysis.plain import batch as batches
from analysis.plain import calls, cutting, owners, tables
from analysis.plain.batch import Batch
from analysis.plain.facts import Column
from analysis.plain.requests import requests
from analysis.plain.staged import Told, ruled
from analysis.plain.sweeps import without_sweeps
from analysis.plain.tables import Answers, Identities
from analysis.staging.matching import Matcher

__all__ = ["derive_plain"]


def derive_plain(
    records: pa.Table, matcher: Matcher, offsets: Offsets | None = None
) -> tuple[Derived, Any]:
    """The derived tables of the plain traces among these, and which records are of the others."""
    with without_sweeps():
        return _derive(records, matcher, offsets)


def _derive(records: pa.Table, matcher: Matcher, offsets: Offsets | None) -> tuple[Derived, Any]:
    batch, columns = batches.described(batches.connected(records), records)
    if offsets is not None and offsets.lines:
        batch = batches.on_known_clocks(batch, columns["host"], offsets)
    batch = batches.fit(batch, columns["kind"])
    batch, told = ruled(batch, records, columns, matcher)
    batch, slices = _partitioned(batch)
    found = _found(batch, columns, told, slices)
    awkward = np.ones(records.num_rows, np.bool_)
    awkward[batch["row"]] = False
    return _derived(found, Identities(found, records)), awkward


def _partitioned(batch: Batch) -> tuple[Batch, owners.Slices]:
    slices = owners.slices(_forest(batch))
    if slices.walked.all():
        return batch, slices
    batch = batch.only(slices.walked)
    return batch, owners.slices(_forest(batch))


def _forest(batch: Batch) -> owners.Forest:
    times = (batch["start"], batch["end"])
    return owners.Forest(batch.first, batch.parent, *times, batch["key"], batch["blocking"])


def _found(batch: Batch, columns: dict[str, Column], told: Told, slices: owners.Slices) -> Answers:
    found = calls.read(batch, columns, told)
    pieces = tables.pieces_of(batch, told, found)
    self_ns, on_path = cutting.shares(slices, batch.parent)
    return Answers(
        batch=batch,
        columns=columns,
        told=told,
        calls=found,
        pieces=pieces,
        segments=cutting.segments(slices, pieces),
        self_ns=self_ns,
        on_path=on_path,
        flags=tables.flags_of(batch, found),
    )


def _derived(found: Answers, ids: Identities) -> Derived:
    asked, answers = requests(found, ids)
    looks, numbers = tables.looks(found)
    return Derived(
        requests=asked,
        rows=tables.rows(found, ids, numbers),
        looks=looks,
        calls=tables.calls(found, ids, answers),
        slices=tables.slices(found),
        flags=tables.flags(found, ids),
    )
