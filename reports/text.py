"""Answers as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from analysis.stages import GROUP_OF
from services.progress import Step
from words import _, fmt, labels, ngettext, phrases, techniques

BAR = 24


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Columns of text; the first `left` flush left, the others right."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        parts = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    return "\n".join(line(row) for row in cells)


def progress_line(step: Step) -> str:
    """`reading traces.json · 62 % · 106,210 spans`."""
    doing = _("reading {name}") if step.phase == "read" else _("deriving {name}")
    share, spans = fmt.share(step.fraction), fmt.count(step.spans)
    return " · ".join((doing.format(name=step.name), share, _("{n} spans").format(n=spans)))


def import_summary(answer: dict[str, Any]) -> str:
    """What came of each file, and of all together."""
    lines = [line for row in answer["files"] for line in _file_lines(row)]
    counts = _("{requests} requests, {spans} spans in {seconds} s").format(
        requests=fmt.count(answer["requests"]),
        spans=fmt.count(answer["spans"]),
        seconds=answer["seconds"],
    )
    flags = [f"{labels.flag(flag)} {fmt.count(n)}" for flag, n in sorted(answer["flags"].items())]
    return "\n".join([*lines, counts, *([" · ".join(flags)] if flags else [])])


def _file_lines(row: dict[str, Any]) -> list[str]:
    if row["error"]:
        return [_("not imported: {error}").format(error=row["error"])]
    parts = [
        row["format"],
        _("{n} spans, {new} new").format(
            n=fmt.count(row["spans"]), new=fmt.count(row["new_spans"])
        ),
    ]
    if row["points"]:
        n = row["points"]
        parts.append(ngettext("{n} metric point", "{n} metric points", n).format(n=fmt.count(n)))
    if row["duplicates"]:
        parts.append(_("{n} duplicates").format(n=fmt.count(row["duplicates"])))
    dropped = sum(row["dropped"].values())
    if dropped:
        parts.append(_("{n} private values dropped").format(n=fmt.count(dropped)))
    rejects = [f"  {_rejected(entry)}" for entry in row["rejected"]]
    return [f"{row['path']}: {' · '.join(parts)}", *rejects]


def _rejected(entry: dict[str, Any]) -> str:
    said = _("rejected {n}: {reason} ({example})")
    return said.format(**{**entry, "n": fmt.count(entry["count"])})


def request_table(rows: list[dict[str, Any]]) -> str:
    """One line per request."""
    head = (_("Trace"), _("Route"), _("E2E"), _("TTFT"), _("Longest stage"), "", _("Status"))
    return table(head, (_request_row(row) for row in rows), left=2)


def _request_row(row: dict[str, Any]) -> list[str]:
    stage = max(row["stages"], key=lambda name: row["stages"][name], default="")
    longest = labels.stage(stage) if stage else "–"
    held = fmt.ms(row["stages"].get(stage)) if stage else "–"
    name = row.get("route") or row["name"]
    times = [fmt.ms(row["e2e_ns"]), fmt.ms(row["ttft_ns"])]
    return [row["trace_id"], name[:40], *times, longest, held, row["status"]]


def breakdown_table(answer: dict[str, Any]) -> str:
    """Stages with mean, share and a bar; one block per group with `--by`."""
    if "groups" in answer:
        blocks = (f"{group['key'] or '–'}\n{_stages(group)}" for group in answer["groups"])
        return "\n\n".join(blocks)
    return _stages(answer)


def _stages(parts: dict[str, Any]) -> str:
    head = _("{n} requests, {left} left out · mean of {band} is {mean}").format(
        n=fmt.count(parts["requests"]), left=fmt.count(parts["excluded"]),
        band=fmt.count(parts["band_requests"]), mean=fmt.ms(parts["mean_ns"]),
    )  # fmt: skip
    percentiles = " · ".join(f"{p} {fmt.ms(parts[f'{p}_ns'])}" for p in ("p50", "p95", "p99"))
    shown = sorted((s for s in parts["stages"] if s["mean_ns"]), key=lambda s: -s["mean_ns"])
    rows = (
        [labels.stage(s["stage"]), labels.group(GROUP_OF[s["stage"]]), fmt.ms(s["mean_ns"]),
         fmt.share(s["share"]), "█" * round(s["share"] * BAR)]
        for s in shown
    )  # fmt: skip
    body = table((_("Stage"), _("Group"), _("Mean"), _("Share"), ""), rows, left=2)
    return "\n".join((head, percentiles, body))


def ranking_table(findings: list[dict[str, Any]]) -> str:
    """The techniques that apply with their savings; then the others with the reason."""
    applying = [f for f in findings if f["applies"]]
    rows = ([str(i), *_finding_cells(finding)] for i, finding in enumerate(applying, 1))
    head = ("", _("Fix"), _("Predicted"), _("Saving, 90 % interval"), _("Effort"), _("Risk"))
    others = [
        f"  {techniques.title(f['id'])}: {techniques.because(f)}"
        for f in findings
        if not f["applies"]
    ]
    return "\n".join([table(head, rows, left=2), "", _("Do not apply:"), *others])


def _finding_cells(finding: dict[str, Any]) -> list[str]:
    times = f"{fmt.ms(finding['current_ns'])} → {fmt.ms(finding['predicted_ns'])}"
    effort, risk = phrases.days(finding["effort_days"]), techniques.risk(finding["risk"])
    return [techniques.title(finding["id"]), times, _saving(finding), effort, risk]


def _saving(finding: dict[str, Any]) -> str:
    saving = finding["saving_ns"]
    return fmt.interval(-saving["typical"], -saving["low"], -saving["high"])


def data_sets_table(rows: Any) -> str:
    """Imports, newest first; or what a deletion took."""
    if isinstance(rows, dict):
        return _("deleted {requests} requests and {spans} spans").format(**rows)
    head = (_("Data"), _("Number"), _("Format"), _("Requests"), _("Spans"))
    return table(
        head,
        (
            [row["name"], str(row["import_id"]), row["format"], fmt.count(row["requests"] or 0),
             fmt.count(row["spans"] or 0)]
            for row in rows
        ),
    )  # fmt: skip


def metrics_table(rows: list[dict[str, Any]]) -> str:
    """One line per series."""
    head = (_("Metric"), _("Labels"), _("Points"), _("Mean"), "p50", "p90", _("Rate"))

    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.4g}"

    return table(
        head,
        (
            [row["name"], ",".join(f"{k}={v}" for k, v in row["labels"].items())[:60],
             fmt.count(row["points"]), number(row["mean"]), number(row["p50"]),
             number(row["p90"]), number(row["rate"])]
            for row in rows
        ),
        left=2,
    )  # fmt: skip
