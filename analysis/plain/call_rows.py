"""The rows of `calls` of plain traces, and the pieces of calls, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from analysis.call_rows import call_row
from analysis.derived import CALLS_SCHEMA
from analysis.json_text import encoded
from analysis.plain.batch import Batch
from analysis.plain.calls import Calls
from analysis.plain.staged import Told
from analysis.plain.texts import by_kind, joined, members, text
from analysis.rules import MARKS
from analysis.stages import STAGES

Ints = Any  # numpy int64 array
Flags = Any  # numpy bool array

IDENTITY = ("trace_id", "root_key", "key", "span_id")
_IN_ORDER = sorted(range(len(MARKS)), key=MARKS.__getitem__)


def emitters(told: Told) -> list[str | None]:
    """Whose marks each rule reads."""
    return [rule.emitter or None for rule in told.rules]


def known(values: Ints, none: int = -1) -> Any:
    """Numbers, null where they stand for none."""
    return pa.array(np.ascontiguousarray(values), mask=values == none)


def rows(batch: Batch, told: Told, calls: Calls, on_path: Flags, answers: Flags) -> dict[str, Any]:
    """The columns of `calls` that do not name a call; `answers` tells which are answers."""
    numbers = calls.calls()
    columns = _columns(batch, told, calls, numbers)
    at = calls.place[numbers]
    columns |= {"on_path": pa.array(on_path[at]), "answer": pa.array(answers[numbers])}
    fields = [one for one in CALLS_SCHEMA if one.name not in IDENTITY]
    for one in fields:
        columns.setdefault(one.name, pa.nulls(len(numbers), one.type))
    table = pa.table({one.name: columns[one.name] for one in fields})
    if calls.read:
        table = _with_read(table.cast(pa.schema(fields)), calls, numbers, on_path, answers)
    return dict(zip(table.column_names, table.columns, strict=True))


def _columns(batch: Batch, told: Told, calls: Calls, numbers: Ints) -> dict[str, Any]:
    at, cut = calls.place[numbers], calls.cut
    first, start, end = cut.first[numbers], batch["start"][at], batch["end"][at]
    usage, lengths = calls.usage[numbers], cut.told[numbers]
    streaming = calls.streaming[numbers]
    return {
        "model": text(calls.models, calls.model[numbers]),
        "emitter": text(emitters(told), batch["rule"][at]),
        "streaming": pa.array(streaming > 0, mask=streaming < 0),
        "start_ns": pa.array(start),
        "end_ns": pa.array(end),
        "queue_ns": known(lengths[:, 0]),
        "prefill_ns": known(lengths[:, 1]),
        "first_token_ns": pa.array(first - start, mask=first == 0),
        "decode_ns": known(lengths[:, 2]),
        "input_tokens": known(usage[:, 0]),
        "cached_tokens": known(usage[:, 1]),
        "output_tokens": known(usage[:, 2]),
        "marks": _marks(calls, numbers),
        "reported": _reported(calls, numbers),
    }


def _with_read(
    table: pa.Table, calls: Calls, numbers: Ints, on_path: Flags, answers: Flags
) -> pa.Table:
    """The same with the rows of calls that were read one by one."""
    told = [
        call_row(call, bool(on_path[calls.place[number]]), bool(answers[number]))
        for number, call in calls.read.items()
    ]
    more = pa.Table.from_pylist(told, schema=table.schema)
    order = np.arange(len(numbers))
    order[np.searchsorted(numbers, list(calls.read))] = len(numbers) + np.arange(len(told))
    return pa.concat_tables([table, more]).combine_chunks().take(pa.array(order))


def _marks(calls: Calls, numbers: Ints) -> Any:
    keys = calls.marks.key[numbers]

    def made(rows: Ints) -> Any:
        told = {MARKS[name]: calls.keys[keys[rows[0], name]] for name in _read(keys[rows[0]])}
        return joined([encoded(told)], len(rows))

    return by_kind(_used(keys), made)


def _reported(calls: Calls, numbers: Ints) -> Any:
    keys, offset = calls.marks.key[numbers], calls.marks.offset[numbers]

    def made(rows: Ints) -> Any:
        names = _read(keys[rows[0]])
        parts = members((MARKS[name] for name in names), (offset[rows, name] for name in names))
        return joined(parts, len(rows))

    return by_kind(_used(keys), made)


def _read(keys: Ints) -> list[int]:
    return [name for name in _IN_ORDER if keys[name] >= 0]


def _used(keys: Ints) -> list[Ints]:
    """The columns that differ, or any."""
    used = np.flatnonzero((keys >= 0).any(axis=0)).tolist() or [0]
    return [keys[:, name] for name in used]


def pieces_texts(batch: Batch, calls: Calls) -> tuple[Ints, Any]:
    """The places of calls that are divided, and their pieces as JSON."""
    cut = calls.cut
    numbers = np.flatnonzero(calls.call & (cut.count > 1))
    start, count = batch["start"][calls.place[numbers]], cut.count[numbers]
    stage, until = cut.stage[numbers], cut.until[numbers]

    def made(rows: Ints) -> Any:
        parts: list[str | Ints] = []
        since = start[rows]
        for piece in range(count[rows[0]]):
            name = STAGES[stage[rows[0], piece]]
            parts += [f'{"],[" if piece else "[["}"{name}",', since, ",", until[rows, piece]]
            since = until[rows, piece]
        return joined([*parts, "]]"], len(rows))

    most = int(count.max(initial=0))
    used = [np.where(count > piece, stage[:, piece], -1) for piece in range(most)]
    return calls.place[numbers], by_kind([count, *used], made)
