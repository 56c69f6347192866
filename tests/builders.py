"""Traces in a few literal lines: `spans("a . web server 0 100 chat", "b a web client 20 80 gen")`.

A line is: id, parent (`.` for none), service (`-` for none), kind, start and end in ms (`-` for
absent), name. Keyword arguments named like an id overrule any column of that span; `attributes`,
`resource`, `events` and `links` are given as objects.
"""

import json
from typing import Any

from analysis.spans import SpanBatch

T0 = 1_700_000_000_000_000_000
MS = 1_000_000
TRACE = "5b8efff798038103d269b633813fc60c"


def span_id(short: str) -> str:
    return short.encode().hex().rjust(16, "0")


def ns(milliseconds: str) -> int | None:
    return None if milliseconds == "-" else T0 + round(float(milliseconds) * MS)


def row(line: str, trace_id: str = TRACE, **columns: Any) -> dict[str, Any]:
    short, parent, service, kind, start, end, name = line.split(maxsplit=6)
    made: dict[str, Any] = {
        "trace_id": trace_id,
        "span_id": span_id(short),
        "parent_id": None if parent == "." else span_id(parent),
        "name": name,
        "service": None if service == "-" else service,
        "host": None,
        "kind": kind,
        "status": "unset",
        "scope": None,
        "start_ns": ns(start),
        "end_ns": ns(end),
        "shared": False,
        "attributes": {},
        "resource": {},
        "events": [],
        "links": [],
        "flags": [],
    }
    made.update(columns)
    for key in ("attributes", "resource", "events", "links"):
        made[key] = json.dumps(made[key], sort_keys=True, ensure_ascii=False)
    return made


def rows(*lines: str, trace_id: str = TRACE, **overrides: dict[str, Any]) -> list[dict[str, Any]]:
    return [row(line, trace_id, **overrides.get(line.split()[0], {})) for line in lines]


def spans(*lines: str, trace_id: str = TRACE, **overrides: dict[str, Any]) -> SpanBatch:
    return SpanBatch.from_rows(rows(*lines, trace_id=trace_id, **overrides))
