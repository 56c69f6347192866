"""Evidence in a few literal lines: frames of the derived tables, drawn by hand.

`request("r1", "root . app_logic 0 100", "call root decode 20 80 call")` is one request whose spans
are: key, parent (`.` for none), stage, start and end in ms, then any of role, `async`, `observer`.
Stages of the request are the exclusive time of each span (draw no overlaps where they matter).
"""

import json
from collections import defaultdict
from typing import Any

import pandas as pd

from analysis.advice.evidence import Evidence, evidence
from analysis.derived import CALLS_SCHEMA, REQUESTS_SCHEMA, SEGMENTS_SCHEMA, SPANS_SCHEMA

MS = 1_000_000
Rows = dict[str, list[dict[str, Any]]]


def row(schema, **values):
    made = dict.fromkeys(schema.names)
    for field in schema:
        if not field.nullable:
            made[field.name] = {"string": "", "bool": False}.get(str(field.type), 0)
    return made | values


def request(trace, *lines, ttft=None, tpot=None, spans=None, calls=None, pieces=None, **columns):
    """Rows of one request; `spans`, `calls` and `pieces` overrule columns by key."""
    found, exclusive = [], defaultdict(int)
    root = lines[0].split()[0]
    for line in lines:
        key, parent, stage, start, end, *words = line.split()
        start_ns, end_ns = round(float(start) * MS), round(float(end) * MS)
        name = next((w[5:] for w in words if w.startswith("name=")), key)
        made = row(
            SPANS_SCHEMA, trace_id=trace, root_key=root, key=key, span_id=key, name=name,
            parent_key=None if parent == "." else parent, stage=stage, start_ns=start_ns,
            end_ns=end_ns, self_ns=end_ns - start_ns, blocking="async" not in words,
            observer="observer" in words, role="call" if "call" in words else "",
            pieces=piece_text(start_ns, (pieces or {}).get(key)), attributes="{}",
        )  # fmt: skip
        override = dict((spans or {}).get(key, {}))
        override |= {k: json.dumps(v) for k, v in override.items() if k == "attributes"}
        found.append(made | override)
        exclusive[stage] += end_ns - start_ns
        above = next((s for s in found if s["key"] == parent), None)
        if above and not (pieces or {}).get(key):
            exclusive[above["stage"]] -= end_ns - start_ns
    return _tables(trace, root, found, exclusive, ttft, tpot, calls or {}, pieces or {}, columns)


def piece_text(start_ns, pieces):
    """`[("prefill", 10), ("decode", 50)]`, lengths in ms, as the text of the spans table."""
    if not pieces:
        return ""
    made = []
    for stage, length in pieces:
        made.append([stage, start_ns, start_ns + round(length * MS)])
        start_ns = made[-1][2]
    return json.dumps(made)


def _tables(trace, root, spans, exclusive, ttft, tpot, calls, pieces, columns):
    for key, cut in pieces.items():
        span = next(s for s in spans if s["key"] == key)
        exclusive[span["stage"]] -= span["end_ns"] - span["start_ns"]
        above = next((s for s in spans if s["key"] == span["parent_key"]), None)
        if above:
            exclusive[above["stage"]] -= span["end_ns"] - span["start_ns"]
        for stage, length in cut:
            exclusive[stage] += round(length * MS)
    whole = spans[0]["end_ns"] - spans[0]["start_ns"]
    stages = {f"{stage}_ns": ns for stage, ns in exclusive.items()}
    top = row(
        REQUESTS_SCHEMA, trace_id=trace, root_key=root, root_span_id=root, status="ok",
        start_ns=spans[0]["start_ns"], end_ns=spans[0]["end_ns"], e2e_ns=whole,
        ttft_ns=None if ttft is None else round(ttft * MS), flags=[],
        tpot_ns=None if tpot is None else round(tpot * MS),
    )  # fmt: skip
    made = [_call(span, calls.get(span["key"], {})) for span in spans if span["role"] == "call"]
    return {"requests": [top | stages | columns], "spans": spans, "calls": made}


def _call(span, values):
    named = {k: span[k] for k in ("trace_id", "root_key", "key", "span_id", "start_ns", "end_ns")}
    lengths = {
        name: round(value * MS) if name.endswith("_ns") and value is not None else value
        for name, value in values.items()
    }
    return row(CALLS_SCHEMA, **named) | {"on_path": True, "model": "m"} | lengths


def gathered(*requests, metrics=None) -> Evidence:
    """The evidence of several requests."""
    frames = {
        name: pd.DataFrame(
            [made for r in requests for made in r[name]], columns=schema.names, dtype="object"
        )
        for name, schema in (
            ("requests", REQUESTS_SCHEMA), ("spans", SPANS_SCHEMA), ("calls", CALLS_SCHEMA),
        )
    }  # fmt: skip
    for name, schema in (("requests", REQUESTS_SCHEMA), ("spans", SPANS_SCHEMA)):
        ints = [f.name for f in schema if str(f.type).startswith("int") and not f.nullable]
        frames[name][ints] = frames[name][ints].astype("int64")
    segments = pd.DataFrame([], columns=SEGMENTS_SCHEMA.names)
    return evidence(frames["requests"], frames["spans"], frames["calls"], segments, metrics)
