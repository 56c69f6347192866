"""Answers as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from analysis.stages import GROUP_OF
from services.progress import Step
from words import _, fmt, labels, ngettext, phrases, techniques

BAR = 24


def table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> str:
    """Columns of text, each flush to the side that `align` names for it: `l` or `r`."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        parts = [
            cell.ljust(width) if side == "l" else cell.rjust(width)
            for side, cell, width in zip(align, row, widths, strict=True)
        ]
        return "  ".join(parts).rstrip()

    return "\n".join(line(row) for row in cells)


def spans(n: int) -> str:
    """`14,381 spans`."""
    return ngettext("{n} span", "{n} spans", n).format(n=fmt.count(n))


def requests(n: int) -> str:
    """`480 requests`."""
    return ngettext("{n} request", "{n} requests", n).format(n=fmt.count(n))


def progress_line(step: Step) -> str:
    """`reading traces.json · 62 % · 106,210 spans`."""
    phases = {"read": _("reading {name}"), "try": _("trying {name}")}
    doing = phases.get(step.phase, _("deriving {name}"))
    said = [doing.format(name=step.name), fmt.share(step.fraction)]
    return " · ".join([*said, spans(step.spans)] if step.spans else said)


def import_summary(answer: dict[str, Any]) -> str:
    """What came of each file that could be read, and of all together; empty where none could."""
    read = [row for row in answer["files"] if not row["error"]]
    if not read:
        return ""
    lines = [line for row in read for line in _file_lines(row)]
    counts = _("{requests}, {spans} in {seconds} s").format(
        requests=requests(answer["requests"]), spans=spans(answer["spans"]),
        seconds=answer["seconds"],
    )  # fmt: skip
    flags = [f"{labels.flag(flag)} {fmt.count(n)}" for flag, n in sorted(answer["flags"].items())]
    return "\n".join([*lines, counts, *([" · ".join(flags)] if flags else [])])


def _file_lines(row: dict[str, Any]) -> list[str]:
    parts = [row["format"]]
    if row["spans"] or not row["points"]:
        new = _("{n} new").format(n=fmt.count(row["new_spans"]))
        parts.append(f"{spans(row['spans'])}, {new}")
    if n := row["points"]:
        parts.append(ngettext("{n} metric point", "{n} metric points", n).format(n=fmt.count(n)))
    if n := row["duplicates"]:
        parts.append(ngettext("{n} duplicate", "{n} duplicates", n).format(n=fmt.count(n)))
    if n := sum(row["dropped"].values()):
        said = ngettext("{n} private value dropped", "{n} private values dropped", n)
        parts.append(said.format(n=fmt.count(n)))
    if row.get("known"):
        parts.append(_("in the store already"))
    rejects = [f"  {_rejected(entry)}" for entry in row["rejected"]]
    return [f"{row['path']}: {' · '.join(parts)}", *rejects]


def _rejected(entry: dict[str, Any]) -> str:
    said = _("rejected {n}: {reason} ({example})")
    return said.format(**{**entry, "n": fmt.count(entry["count"])})


def request_table(rows: list[dict[str, Any]]) -> str:
    """One line per request."""
    if not rows:
        return _("no requests")
    head = (
        _("Trace"), _("Started (UTC)"), _("Route"), _("E2E"), _("TTFT"), _("Longest stage"), "",
        _("Status"),
    )  # fmt: skip
    return table(head, (_request_row(row) for row in rows), "lllrrlrl")


def _request_row(row: dict[str, Any]) -> list[str]:
    stage = max(row["stages"], key=lambda name: row["stages"][name], default="")
    longest = labels.stage(stage) if stage else "–"
    held = fmt.ms(row["stages"].get(stage)) if stage else "–"
    name = row.get("route") or row["name"]
    times = [fmt.ms(row["e2e_ns"]), fmt.ms(row["ttft_ns"])]
    started = fmt.instant(row["start_ns"], "UTC")
    return [row["trace_id"], started, name[:40], *times, longest, held, row["status"]]


def breakdown_table(answer: dict[str, Any]) -> str:
    """Stages with mean, share and a bar; one block per group with `--by`."""
    if "groups" not in answer:
        return _stages(answer) if answer["requests"] or answer["excluded"] else _("no requests")
    blocks = [f"{_key(group['key'])}\n{_stages(group)}" for group in answer["groups"]]
    return "\n\n".join(blocks) or _("no requests")


def _key(key: str | int | None) -> str:
    """A group's name; a minute is the instant at which it begins."""
    return fmt.instant(key, "UTC", "min") if isinstance(key, int) else key or "–"


def _stages(parts: dict[str, Any]) -> str:
    head = _("{requests}, {left} left out · mean of {band} is {mean}").format(
        requests=requests(parts["requests"]), left=fmt.count(parts["excluded"]),
        band=fmt.count(parts["band_requests"]), mean=fmt.ms(parts["mean_ns"]),
    )  # fmt: skip
    percentiles = " · ".join(f"{p} {fmt.ms(parts[f'{p}_ns'])}" for p in ("p50", "p95", "p99"))
    if parts["aggregate"] == "shared":
        head = " · ".join((head, _("time shared by all spans at work")))
    shown = sorted((s for s in parts["stages"] if s["mean_ns"]), key=lambda s: -s["mean_ns"])
    rows = (
        [labels.stage(s["stage"]), labels.group(GROUP_OF[s["stage"]]), fmt.ms(s["mean_ns"]),
         fmt.share(s["share"]), "█" * round(s["share"] * BAR)]
        for s in shown
    )  # fmt: skip
    body = table((_("Stage"), _("Group"), _("Mean"), _("Share"), ""), rows, "llrrl")
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
    shown = table(head, rows, "rlrrrl") if applying else _("no technique applies")
    return "\n".join([shown, "", _("Do not apply:"), *others])


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
    if not rows:
        return _("no data sets")
    head = (
        _("Number"),
        _("Data"),
        _("Format"),
        _("Requests"),
        _("Spans"),
        _("Points"),
        _("Rejected"),
    )
    return table(head, (_data_set_row(row) for row in rows), "rllrrrr")


def _data_set_row(row: dict[str, Any]) -> list[str]:
    name = _("{name} (sample)").format(name=row["name"]) if row["sample"] else row["name"]
    rejected = sum(entry["count"] for entry in row["rejected"])
    counts = (row["requests"], row["spans"], row["points"], rejected)
    return [str(row["import_id"]), name, row["format"], *map(fmt.count, counts)]


def metrics_table(rows: list[dict[str, Any]]) -> str:
    """One line per series."""
    if not rows:
        return _("no metrics")
    head = (_("Metric"), _("Unit"), _("Labels"), _("Points"), _("Mean"), "p50", "p90", _("Rate"))
    return table(head, (_metric_row(row) for row in rows), "lllrrrrr")


def _metric_row(row: dict[str, Any]) -> list[str]:
    def number(name: str) -> str:
        over = ">" if name in row["over"] else ""
        return "–" if row[name] is None else f"{over}{row[name]:.4g}"

    described = ",".join(f"{key}={value}" for key, value in row["labels"].items())
    figures = (number(name) for name in ("mean", "p50", "p90", "rate"))
    return [row["name"], row["unit"], described[:60], fmt.count(row["points"]), *figures]
