"""The derived tables of plain traces, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.derived import (
    CALLS_SCHEMA,
    FLAGS_SCHEMA,
    LOOKS_SCHEMA,
    ROWS_SCHEMA,
    SLICES_SCHEMA,
    USUAL,
)
from analysis.json_text import encoded
from analysis.plain import call_rows
from analysis.plain.batch import Batch, whole
from analysis.plain.calls import Calls
from analysis.plain.cutting import Pieces, Segments
from analysis.plain.facts import Column
from analysis.plain.numbering import together
from analysis.plain.staged import Told
from analysis.plain.texts import sparse, text
from analysis.stages import STAGE_NUMBER, STAGES
from analysis.staging.pieces import RETRIES

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array


@dataclass(frozen=True)
class Answers:
    """All that was found out about the plain traces of a batch."""

    batch: Batch
    columns: dict[str, Column]
    told: Told
    calls: Calls
    pieces: Pieces
    segments: Segments
    self_ns: Ints
    on_path: Ints
    flags: dict[int, dict[str, int | None]]


def pieces_of(batch: Batch, told: Told, calls: Calls) -> Pieces:
    """The stages of every span: one, but for calls that their marks cut."""
    numbers = calls.calls()
    at, many = calls.place[numbers], calls.cut.count[numbers]
    counts = np.ones(len(batch.parent), np.int64)
    counts[at] = many
    first = np.concatenate([[0], np.cumsum(counts)])
    stage = np.empty(first[-1], np.int64)
    end = np.empty(first[-1], np.int64)
    stage[first[:-1]], end[first[:-1]] = _single(batch, told), batch["end"]
    for piece in range(int(many.max(initial=0))):
        rows = many > piece
        places = first[at[rows]] + piece
        stage[places] = calls.cut.stage[numbers[rows], piece]
        end[places] = calls.cut.until[numbers[rows], piece]
    return Pieces(first, stage, end)


def _single(batch: Batch, told: Told) -> Ints:
    """The stage of each undivided span; an attempt that counted is no retry."""
    stage = np.array([STAGE_NUMBER[rule.stage] for rule in told.rules], np.int64)[batch["rule"]]
    tried = np.array([rule.role == "retry" for rule in told.rules], np.bool_)[batch["rule"]]
    inner = tried & (stage == STAGE_NUMBER[RETRIES]) & (batch.parent >= 0)
    return np.where(inner, stage[batch.parent], stage)


def flags_of(batch: Batch, calls: Calls) -> dict[int, dict[str, int | None]]:
    """The flags of every flagged span by place, names in order."""
    found: dict[int, dict[str, int | None]] = {
        place: dict(flags) for place, flags in calls.flags.items()
    }
    for place in np.flatnonzero(batch["messaging"]).tolist():
        found.setdefault(place, {})["messaging"] = None
    names = {"outlives": "outlives_parent", "outside": "outside_parent"}
    for column, name in {**names, "overlaps": "overlapping_siblings"}.items():
        for place in np.flatnonzero(batch[column]).tolist():
            found.setdefault(place, {})[name] = int(batch[column][place])
    return {place: dict(sorted(found[place].items())) for place in sorted(found)}


class Identities:
    """The columns that name a span in every table."""

    def __init__(self, found: Answers, records: pa.Table) -> None:
        rows = pa.array(found.batch["row"])
        self.trace_id = whole(records.column("trace_id")).take(rows)
        self.span_id = whole(records.column("span_id")).take(rows)
        self._roots = found.batch.first[:-1][found.batch.trace()]

    def of(self, places: Ints | None = None) -> dict[str, Any]:
        """Trace, root, key and id of the spans at these places, of all where none are given."""
        trace_id, span_id, roots = self.trace_id, self.span_id, self._roots
        if places is not None:
            at = pa.array(places)
            trace_id, span_id, roots = trace_id.take(at), span_id.take(at), roots[places]
        return {
            "trace_id": trace_id,
            "root_key": self.span_id.take(pa.array(roots)),
            "key": span_id,
            "span_id": span_id,
        }


def rows(found: Answers, ids: Identities, look: Ints) -> pa.Table:
    """One row per span; `look` is the row of each in `looks`."""
    batch, told = found.batch, found.told
    count = len(batch.parent)
    flagged = np.fromiter(found.flags, np.int64, len(found.flags))
    above = pa.array(np.maximum(batch.parent, 0), mask=batch.parent < 0)
    events = [None if text == USUAL["events"] else text for text in told.events.texts]
    columns = {
        **ids.of(),
        "look": look,
        "span_id": pa.nulls(count, pa.string()),  # the key
        "parent_key": ids.span_id.take(above),
        "start_ns": batch["start"],
        "end_ns": batch["end"],
        "raw_start_ns": batch["start"],
        "raw_end_ns": batch["end"],
        "self_ns": found.self_ns,
        "pieces": sparse(*call_rows.pieces_texts(batch, found.calls), count),
        "flags": sparse(flagged, [encoded(told) for told in found.flags.values()], count),
        "attributes": told.attributes.texts.take(pa.array(batch["attributes"])),
        "events": text(events, batch["events"]),
        "links": pa.nulls(count, pa.string()),
    }
    return pa.table({name: columns[name] for name in ROWS_SCHEMA.names}, schema=ROWS_SCHEMA)


def looks(found: Answers) -> tuple[pa.Table, Ints]:
    """One row per look, and the look of each span."""
    batch, columns, rules = found.batch, found.columns, found.told.rules
    stage = _longest(found)
    codes = [batch[name] for name in (*_NAMES, "rule", "depth")]
    numbers, at = together([*codes, stage, batch["blocking"].astype(np.int64)])
    made = {
        **{name: text(columns[name].values, batch[name][at]) for name in _NAMES},
        "stage": text(list(STAGES), stage[at]),
        "rule": text([rule.id for rule in rules], batch["rule"][at]),
        "role": text([rule.role for rule in rules], batch["rule"][at]),
        "blocking": batch["blocking"][at],
        "observer": np.zeros(len(at), np.bool_),
        "depth": batch["depth"][at].astype(np.int32),
    }
    return pa.table(made, schema=LOOKS_SCHEMA), numbers


_NAMES = ("service", "host", "name", "kind", "status")


def _longest(found: Answers) -> Ints:
    """The stage of each span's longest piece, the first of those that are equal."""
    stage = found.pieces.stage[found.pieces.first[:-1]].copy()
    cut, numbers = found.calls.cut, found.calls.calls()
    at = found.calls.place[numbers]
    since = found.batch["start"][at]
    longest = np.full(len(numbers), -1)
    for piece in range(int(cut.count[numbers].max(initial=0))):
        length = np.where(cut.count[numbers] > piece, cut.until[numbers, piece] - since, -1)
        stage[at] = np.where(length > longest, cut.stage[numbers, piece], stage[at])
        longest, since = np.maximum(longest, length), cut.until[numbers, piece]
    return stage


def slices(found: Answers) -> pa.Table:
    """One row per slice."""
    parts = found.segments
    columns = [parts.row, parts.stage.astype(np.int8), parts.start, parts.end]
    return pa.table(dict(zip(SLICES_SCHEMA.names, columns, strict=True)), schema=SLICES_SCHEMA)


def flags(found: Answers, ids: Identities) -> pa.Table:
    """One row per flag of a span."""
    rows = [(at, name, ns) for at, told in found.flags.items() for name, ns in told.items()]
    columns = ids.of(np.array([at for at, _name, _ns in rows], np.int64))
    columns |= {"flag": [name for _at, name, _ns in rows], "amount_ns": [ns for _a, _n, ns in rows]}
    del columns["span_id"]
    return pa.table(columns, schema=FLAGS_SCHEMA)


def calls(found: Answers, ids: Identities, answers: Flags) -> pa.Table:
    """One row per call; `answers` tells which of `Calls` are answers."""
    told = found.calls
    rows = call_rows.rows(found.batch, found.told, told, found.on_path, answers)
    columns = ids.of(told.place[told.calls()]) | rows
    return pa.table({name: columns[name] for name in CALLS_SCHEMA.names}, schema=CALLS_SCHEMA)
