"""The report as data: JSON with integers in ns and ISO times, CSV with a row per stage and band."""

import csv
import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from analysis.stages import GROUP_OF
from reports.data import ReportData

_KEPT = (
    "trace_id", "root_span_id", "name", "route", "service", "model", "status", "start_ns", "e2e_ns",
    "ttft_ns", "tpot_ns", "token_gaps", "itl_unit", "itl_p50_ns", "itl_p99_ns", "itl_max_ns",
    "input_tokens", "cached_tokens", "output_tokens", "stages", "flags",
)  # fmt: skip
"""The keys of a request that a report may hold: none that carries content."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(ns: int) -> str:
    """An instant in UTC with all nine decimals: `2026-03-12T08:42:07.318000000Z`."""
    whole = _EPOCH + timedelta(seconds=ns // 1_000_000_000)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{ns % 1_000_000_000:09d}Z"


def as_json(data: ReportData) -> str:
    """Everything the report shows, unrounded."""
    content: dict[str, Any] = {
        "title": data.title,
        "answer": data.answer,
        "next_step": data.next_step,
        "scope": data.scope,
        "notes": data.notes,
        "slowpath": data.version,
        "data_sets": list(data.data_sets),
        "made": None if data.made_ns is None else iso(data.made_ns),
        "objective": data.objective,
        "band": data.band,
        "slo_ns": data.slo_ns,
        "figures": [vars(figure) for figure in data.figures],
        "bands": {band: parts.as_json() for band, parts in data.bands.items()},
        "findings": [dict(finding) for finding in data.findings],
        "plan": dict(data.plan) if data.plan else None,
        "requests": [_request(request) for request in data.requests],
        "flags": dict(data.flags or {}),
        "excluded": dict(data.excluded or {}),
        "replayed": data.replayed,
    }
    return json.dumps(content, ensure_ascii=False, indent=2, default=_plain) + "\n"


def _request(request: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: request[key] for key in _KEPT if key in request}
    return {**kept, "start": iso(int(request["start_ns"]))}


def _plain(value: Any) -> Any:
    """What JSON does not know: numpy's numbers and anything that turns into a list or a dict."""
    if hasattr(value, "item"):
        return value.item()
    return dict(value) if isinstance(value, Mapping) else list(value)


def as_csv(data: ReportData) -> str:
    """One row per band and stage: band, requests, group, stage, mean_ns, share."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["band", "requests", "group", "stage", "mean_ns", "share"])
    for band, parts in data.bands.items():
        for part in parts.stages:
            group = GROUP_OF.get(part.stage, "unattributed")
            count = parts.band_requests
            rows.writerow([band, count, group, part.stage, part.mean_ns, f"{part.share:.6f}"])
    return text.getvalue()
