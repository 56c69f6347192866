"""A breakdown as plain text, also where it comes from metrics alone."""

from __future__ import annotations

from typing import Any

from analysis.stages import GROUP_OF
from reports.text import BAR, breakdown_table, table
from words import _, fmt, labels, metric_words


def breakdown_text(answer: dict[str, Any]) -> str:
    """The answer of `slowpath breakdown` for people."""
    if answer.get("basis") != "metrics":
        return breakdown_table(answer)
    blocks = [metric_words.badge(), _pie(answer), *(_pie(other) for other in answer["others"])]
    if answer["totals"]:
        blocks.append(_totals(answer["totals"]))
    if answer["causes"]:
        shown = [f"  {metric_words.sign(row)}" for row in answer["causes"]]
        blocks.append("\n".join([_("What the gauges show:"), *shown]))
    open_ = [f"  {said}" for said in metric_words.cannot_tell(answer["cannot_tell"])]
    blocks.append("\n".join([_("What cannot be told:"), *open_]))
    return "\n\n".join(blocks)


def _pie(pie: dict[str, Any]) -> str:
    head = metric_words.source(pie)
    known = [f"{name} {metric_words.bounds(*held)}" for name, held in pie["bounds"].items()]
    shown = sorted((s for s in pie["stages"] if s["mean_ns"]), key=lambda s: -s["mean_ns"])
    rows = (
        [labels.stage(s["stage"]), labels.group(GROUP_OF[s["stage"]]), fmt.ms(s["mean_ns"]),
         fmt.share(s["share"]), "█" * round(s["share"] * BAR)]
        for s in shown
    )  # fmt: skip
    body = table((_("Stage"), _("Group"), _("Mean"), _("Share"), ""), rows, "llrrl")
    return "\n".join([head, *([" · ".join(known)] if known else []), body])


def _totals(totals: list[dict[str, Any]]) -> str:
    rows = (
        [row["family"], metric_words.role(row["role"]), fmt.count(row["count"]),
         fmt.ms(row["mean_ns"]), _percentile(row, "p50"), _percentile(row, "p95")]
        for row in totals
    )  # fmt: skip
    head = (_("Beside the pie"), "", _("Counted"), _("Mean"), "p50", "p95")
    return table(head, rows, "llrrrr")


def _percentile(row: dict[str, Any], name: str) -> str:
    held = row["bounds"].get(name)
    return metric_words.bounds(*held) if held else "–"
