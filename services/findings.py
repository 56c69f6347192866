"""What pages and reports say of a finding."""

from __future__ import annotations

from typing import Any

from words import sentences, techniques


def next_step(findings: list[dict[str, Any]], percentile: int) -> str:
    """The sentence of the first technique that saves time; empty without one."""
    helping = [f for f in findings if f["applies"] and f["saving_ns"]["typical"] > 0]
    return sentences.sentence("fix_first", fix_figures(helping[0], percentile)) if helping else ""


def fix_figures(finding: dict[str, Any], percentile: int) -> dict[str, Any]:
    """What the sentence `fix_first` says of a finding."""
    saving = finding["saving_ns"]
    return {
        "title": techniques.title(finding["id"]),
        "percentile": percentile,
        "current_ns": finding["current_ns"],
        "predicted_ns": finding["predicted_ns"],
        "typical": saving["typical"],
        "low": saving["low"],
        "high": saving["high"],
        "effort_days": finding["effort_days"],
        "risk": finding["risk"],
    }
