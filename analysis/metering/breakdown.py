"""The answer from metrics alone: a pie of means, what else was measured, what cannot be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from analysis.metering.accounts import Account, accounts
from analysis.metering.measuring import PERCENTILES, Measured, as_row, measured
from analysis.metering.signs import signs
from analysis.stages import STAGES

DOUBTS: Final = (
    "per_request", "tail", "since_start", "no_whole", "undivided", "remainder",
    "cut_at_first_token", "queue_in_first_token", "layers_by_count", "parts_exceed",
    "counts_differ", "several", "measured_where", "counter_reset", "inf_bucket_missing", "delta",
    "stale", "one_point", "copies", "buckets_disagree",
)  # fmt: skip
"""What cannot be told, or with a reservation, in the order in which it is said."""


def metrics_breakdown(points: pd.DataFrame) -> dict[str, Any] | None:
    """Mean ns per stage over the points; None where no known family timed a request.

    Args:
        points: rows of `data/queries/metric_points.sql`.
    """
    rows = measured(points)
    found = accounts(rows)
    if not found:
        return None
    first, others = found[0], found[1:]
    used = {piece.family for piece in first.pieces} | {w.family.name for w in first.wholes}
    return {
        "basis": "metrics",
        "what": "means",
        **_pie(first),
        "window": _window(rows, used),
        "others": [_pie(account) for account in others],
        "totals": _beside(rows, found),
        "causes": signs(rows),
        "cannot_tell": _doubts(first, others, rows),
    }


def _pie(account: Account) -> dict[str, Any]:
    whole = account.mean_ns
    held = dict.fromkeys(STAGES, 0)
    for piece in account.pieces:
        held[piece.stage] += piece.mean_ns
    bounds = account.wholes[0].bounds if account.wholes else {}
    return {
        "emitters": account.emitters,
        "counted": round(account.count),
        "mean_ns": whole,
        "bounds": {name: list(bounds[name]) for name in PERCENTILES if name in bounds},
        "stages": [
            {"stage": stage, "mean_ns": ns, "share": ns / whole if whole else 0.0}
            for stage, ns in held.items()
        ],
        "pieces": [vars(piece) for piece in account.pieces],
    }


def _window(rows: Sequence[Measured], used: set[str]) -> dict[str, Any]:
    own = [row for row in rows if row.family.name in used]
    firsts = [row.first_ns for row in own if row.first_ns is not None]
    lasts = [row.last_ns for row in own if row.last_ns is not None]
    return {
        "first_ns": min(firsts, default=None),
        "last_ns": max(lasts, default=None),
        "since_start": any(row.since_start for row in own),
    }


def _beside(rows: Sequence[Measured], found: Sequence[Account]) -> list[dict[str, Any]]:
    """Means that are no slice and no whole of a pie."""
    apart = [row for account in found for row in account.apart]
    roles = ("ttft", "token", "apart")
    return [
        as_row(row)
        for row in rows
        if row.mean_ns is not None and (row.family.role in roles or row in apart)
    ]


def _doubts(first: Account, others: Sequence[Account], rows: Sequence[Measured]) -> list[str]:
    used = {piece.family for piece in first.pieces} | {w.family.name for w in first.wholes}
    own = [row for row in rows if row.family.name in used]
    found = {"per_request", "tail"} | first.doubts
    found |= {flag for row in own for flag in row.flags}
    checks = {
        "since_start": any(row.since_start for row in own),
        "undivided": len(first.pieces) == 1,
        "remainder": any(not p.measured and p.stage == "unattributed" for p in first.pieces),
        "counts_differ": bool(first.apart),
        "several": bool(others),
        "measured_where": "genai_server" in first.emitters,
        "copies": any(row.copies for row in own),
    }
    found |= {name for name, holds in checks.items() if holds}
    return [name for name in DOUBTS if name in found]
