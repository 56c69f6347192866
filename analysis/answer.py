"""Which one claim the figures carry: the id of a sentence and the figures in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.attribution import PREFIX, Breakdown, breakdown, members, usable
from analysis.stages import STAGES, stage_columns

FEW: Final = 20
"""Under this many requests a p95 is one or two requests, so none is claimed."""

TELLING: Final = 0.05
"""A stage's share must differ by at least this much between the bands to be named."""

WEAK: Final = 0.3
"""From this unattributed share on no stage can be blamed."""

RESAMPLES: Final = 400


@dataclass(frozen=True)
class Answer:
    """A sentence's template id and its figures; `words.sentences` makes the sentence."""

    id: str
    figures: dict[str, Any] = field(default_factory=dict)


def overview(
    latency: pd.DataFrame, objective: str = "e2e", percentile: int = 95, slo_ns: int | None = None
) -> Answer:
    """The strongest claim about a set of requests (one row per request, as `breakdown` takes)."""
    if latency.empty:
        return Answer("nothing_matches")
    kept = usable(latency, objective)
    if kept.empty:
        known = "no_ttft" if objective == "ttft" else "all_left_out"
        return Answer(known, {"count": len(latency)})
    if len(kept) < FEW:
        return _few(kept, objective)
    slow = breakdown(latency, objective, f"p{percentile}", slo_ns)
    if (weak := _share(slow, "unattributed")) >= WEAK:
        return Answer("weak_data", {"share": weak})
    return _comparison(latency, objective, percentile, slow)


def _few(kept: pd.DataFrame, objective: str) -> Answer:
    slowest = kept.iloc[-1]
    stage, stage_ns = longest_stage(slowest, objective)
    total = int(slowest[f"{objective}_ns"])
    if len(kept) == 1:
        return Answer("one_request", {"e2e_ns": total, "stage": stage, "stage_ns": stage_ns})
    figures = {"count": len(kept), "slowest_ns": total, "stage": stage, "stage_ns": stage_ns}
    return Answer("too_few", figures)


def longest_stage(request: pd.Series[Any], objective: str = "e2e") -> tuple[str, int]:
    """The stage that holds most of one request, and its ns."""
    values = [int(request[column]) for column in stage_columns(PREFIX[objective])]
    best = int(np.argmax(values))
    return STAGES[best], values[best]


def _comparison(latency: pd.DataFrame, objective: str, percentile: int, slow: Breakdown) -> Answer:
    base = breakdown(latency, objective, "p50")
    rise = {stage: _share(slow, stage) - _share(base, stage) for stage in STAGES}
    stage = max(rise, key=lambda name: rise[name])
    sure = rise[stage] >= TELLING and _rises(latency, objective, percentile, stage)
    if sure and stage != "unattributed":
        shares = {"share": _share(slow, stage), "base_share": _share(base, stage)}
        return Answer("tail_differs", {"stage": stage, "percentile": percentile, **shares})
    first, second = sorted(slow.stages, key=lambda slice_: -slice_.share)[:2]
    figures = {
        "stage": first.stage,
        "median_share": _share(base, first.stage),
        "percentile": percentile,
        "share": first.share,
        "rest_share": second.share,
    }
    return Answer("same_everywhere", figures)


def _share(parts: Breakdown, stage: str) -> float:
    return next((slice_.share for slice_ in parts.stages if slice_.stage == stage), 0.0)


def _rises(latency: pd.DataFrame, objective: str, percentile: int, stage: str) -> bool:
    """Whether the share's rise from the median band excludes 0 in 95 % of seeded resamples."""
    column = f"{PREFIX[objective]}{stage}_ns"
    low = _resampled(members(latency, objective, "p50", None), objective, column)
    high = _resampled(members(latency, objective, f"p{percentile}", None), objective, column)
    return bool(np.quantile(high - low, 0.05) > 0)


def _resampled(band: pd.DataFrame, objective: str, column: str) -> np.ndarray[Any, Any]:
    part = band[column].to_numpy(dtype="float64")
    whole = band[f"{objective}_ns"].to_numpy(dtype="float64")
    picks = np.random.default_rng(1).integers(0, len(band), (RESAMPLES, len(band)))
    totals = whole[picks].sum(axis=1)
    shares: np.ndarray[Any, Any] = np.divide(
        part[picks].sum(axis=1), totals, out=np.zeros(RESAMPLES), where=totals > 0
    )
    return shares


def of_request(e2e_ns: int, stages: dict[str, int], usual: list[dict[str, Any]]) -> Answer:
    """What one request's time went to: the stage furthest beyond its usual, else the longest.

    Args:
        stages: {stage: ns} of the request.
        usual: per stage `p50_ns`, `p95_ns` and `n` over requests of the same route.
    """
    beyond = [row for row in usual if unusual(stages.get(row["stage"], 0), row)]
    if beyond:
        row = max(beyond, key=lambda row: stages[row["stage"]] - row["p50_ns"])
        stage, held = row["stage"], stages[row["stage"]]
        figures = {"e2e_ns": e2e_ns, "stage": stage, "stage_ns": held, "usual_ns": row["p50_ns"]}
        return Answer("request_stage_unusual", {**figures, "ratio": held / row["p50_ns"]})
    stage = max(stages, key=lambda name: stages[name], default="unattributed")
    held = stages.get(stage, 0)
    return Answer("request_stage", {"e2e_ns": e2e_ns, "stage": stage, "stage_ns": held})


def unusual(held_ns: int, usual: dict[str, Any]) -> bool:
    """Whether a stage lies beyond its p95 by 5 % or more, among at least 20 peers."""
    known = usual["n"] >= FEW and bool(usual["p50_ns"]) and usual["p95_ns"] is not None
    return known and held_ns > 1.05 * usual["p95_ns"]
