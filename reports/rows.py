"""The rows and sentences of a report, the same for every format, as plain text."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from analysis.attribution import Breakdown
from analysis.flags import FLAGS
from analysis.stages import GROUP_OF, STAGES
from reports.data import Figure, ReportData
from words import _, fmt, labels, ngettext, times
from words.phrases import days, percentile


class Card(NamedTuple):
    """A headline figure: what, how much, and its interval or what it leaves out."""

    label: str
    value: str
    note: str


class StageRow(NamedTuple):
    """A line of the table of stages; `stage` is empty for the rest."""

    stage: str
    label: str
    group: str
    time: str
    share: str


def cards(data: ReportData) -> list[Card]:
    """The headline figures."""
    return [_card(figure, data) for figure in data.figures]


def _card(figure: Figure, data: ReportData) -> Card:
    if figure.id == "requests":
        left_out = sum((data.excluded or {}).values())
        note = _("{count} left out").format(count=fmt.count(left_out))
        return Card(_("Requests"), fmt.count(figure.value), note if left_out else "")
    if figure.id == "within_slo":
        label = _("Within SLO {limit}").format(limit=fmt.plain(data.slo_ns))
        return Card(label, fmt.attainment(figure.value), _shares(figure))
    objective, _line, name = figure.id.partition("_")
    label = f"{labels.objective(objective)} {name}"
    return Card(label, fmt.ms(figure.value), _lengths(figure))


def _lengths(figure: Figure) -> str:
    known = figure.low is not None and figure.high is not None
    return fmt.between(figure.value, figure.low, figure.high) if known else ""


def _shares(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    low, high = (f"{100 * x:.1f}" for x in (figure.low, figure.high))
    return _("{first} to {second}").format(first=low, second=high)


def band_name(data: ReportData) -> str:
    """The shown band inside a sentence: `p95`."""
    return percentile(data.band)


def band_caption(data: ReportData) -> str:
    """Of how many requests the shown band is the mean, and what it adds up to."""
    parts = data.shown
    if parts is None:
        return ""
    return ngettext(
        "Mean share of the {count} request from {low} to {high}. Slices add up to {total}.",
        "Mean share of the {count} requests from {low} to {high}. Slices add up to {total}.",
        parts.band_requests,
    ).format(
        count=fmt.count(parts.band_requests),
        low=f"p{100 * parts.low:.3g}",
        high=f"p{100 * parts.high:.3g}",
        total=fmt.ms(parts.mean_ns),
    )


def stage_rows(parts: Breakdown, most: int = 9) -> list[StageRow]:
    """The largest stages, then the rest as one row."""
    present = sorted(
        (p for p in parts.stages if p.mean_ns > 0), key=lambda p: (-p.mean_ns, p.stage)
    )
    shown = present if len(present) == most + 1 else present[:most]
    rows = [
        StageRow(
            p.stage,
            labels.stage(p.stage),
            labels.group(GROUP_OF.get(p.stage, "unattributed")),
            fmt.ms(p.mean_ns),
            fmt.share(p.share),
        )
        for p in shown
    ]
    if rest := present[len(shown) :]:
        label = ngettext(
            "{count} more stage, in the appendix", "{count} more stages, in the appendix", len(rest)
        ).format(count=len(rest))
        ns, share = sum(p.mean_ns for p in rest), sum(p.share for p in rest)
        rows.append(StageRow("", label, "", fmt.ms(ns), fmt.share(share)))
    return rows


def all_stages(bands: Mapping[str, Breakdown]) -> list[tuple[str, list[str]]]:
    """Every stage that has time in some band: stage id, then time and share per band."""
    found = []
    for stage in STAGES:
        cells = []
        for parts in bands.values():
            part = next((p for p in parts.stages if p.stage == stage), None)
            cells.append((part.mean_ns, part.share) if part else (0, 0.0))
        if any(ns for ns, _share in cells):
            texts = [text for ns, share in cells for text in (fmt.ms(ns), fmt.share(share))]
            found.append((stage, texts))
    totals = [t for parts in bands.values() for t in (fmt.ms(parts.mean_ns), fmt.share(1))]
    return [*found, ("", totals)]


def saving(finding: Mapping[str, Any]) -> str:
    """A technique's change with its interval: `−1.19 s (−1.42 to −0.83)`."""
    range_ = finding["saving_ns"]
    return fmt.interval(-range_["typical"], -range_["high"], -range_["low"])


def effort(finding: Mapping[str, Any]) -> str:
    """`0.5 to 2 days, low risk`; what is not known is left out."""
    known = [
        days(finding["effort_days"]) if finding.get("effort_days") is not None else "",
        labels.risk(str(finding["risk"])) if finding.get("risk") else "",
    ]
    return ", ".join(part for part in known if part)


def request_cells(request: Mapping[str, Any], data: ReportData) -> list[str]:
    """Started, route, E2E, TTFT, longest stage, tokens in and out."""
    route = request.get("route") or request.get("name") or fmt.MISSING
    return [
        times.instant(request["start_ns"], data.tz, "s"),
        str(route),
        fmt.ms(request["e2e_ns"]),
        fmt.ms(request.get("ttft_ns")),
        fmt.count(request.get("input_tokens")),
        fmt.count(request.get("output_tokens")),
    ]


def limits(data: ReportData) -> list[str]:
    """What the figures do not show, a sentence each."""
    flags, excluded = data.flags or {}, sum((data.excluded or {}).values())
    known = next((int(f.value) for f in data.figures if f.id == "requests" and f.value), 0)
    lines = []
    if excluded:
        lines.append(
            _("{count} of {all} requests have no usable length and are left out of percentiles.")
            .format(count=fmt.count(excluded), all=fmt.count(known))
        )  # fmt: skip
    if moved := flags.get("skew_corrected"):
        lines.append(
            ngettext(
                "{count} span was moved to its caller’s clock.",
                "{count} spans were moved to their callers’ clocks.",
                moved,
            ).format(count=fmt.count(moved))
        )
    parts = data.shown.stages if data.shown else ()
    if share := next((p.share for p in parts if p.stage == "unattributed"), 0.0):
        lines.append(
            _("{share} of {band} is unattributed.").format(
                share=fmt.share(share), band=band_name(data)
            )
        )
    lines.append(
        _("This report contains no prompt text.")
        if data.content_stored
        else _("Prompts and answers were never stored.")
    )
    return lines


def flag_rows(data: ReportData) -> list[tuple[str, str, str]]:
    """Flag, count, and what it means and does, in the order of the list of all flags."""
    counts = data.flags or {}
    return [
        (
            labels.flag(name),
            fmt.count(counts[name]),
            f"{labels.flag_meaning(name)} {labels.flag_effect(name)}",
        )
        for name in FLAGS
        if counts.get(name)
    ]


def origin(data: ReportData) -> str:
    """Version, data sets and date in one line."""
    sets = ", ".join(data.data_sets)
    line = _("slowpath {version} · data: {sets} · contains no prompt text").format(
        version=data.version, sets=sets
    )
    if data.made_ns is None:
        return line
    return f"{line} · {times.instant(data.made_ns, data.tz, 'min')}"
