"""Metric points as the store gives them, made short: whole seconds, one family a call."""

import json

import pandas as pd

SECOND = 10**9
NAMES = ("name", "labels", "kind", "unit", "time_ns", "value", "count", "sum", "buckets", "flags",
         "seen_ns")  # fmt: skip


def point(name, kind="histogram", at=None, unit="", seen=1, flags=(), buckets=(), labels=None,
          **numbers):  # fmt: skip
    """One row; `at` and `seen` in s, `numbers` are value, count and sum, `labels` a dict."""
    row = {"value": None, "count": None, "sum": None, **numbers}
    return {
        **row, "name": name, "kind": kind, "unit": unit, "flags": list(flags),
        "labels": json.dumps(labels or {}, sort_keys=True), "buckets": json.dumps(list(buckets)),
        "time_ns": None if at is None else at * SECOND, "seen_ns": seen * SECOND,
    }  # fmt: skip


def times(name, count, total, **others):
    """One histogram point of `count` observations that took `total` of its unit together."""
    return point(name, count=count, sum=total, **others)


def frame(*points):
    """The rows as `data/queries/metric_points.sql` returns them."""
    made = pd.DataFrame(points, columns=NAMES)
    made["time_ns"] = pd.array(made["time_ns"].tolist(), dtype="Int64")
    return made
