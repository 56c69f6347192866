"""Drawings as inline SVG without a script: donut, stacked bands, saving bars, strips."""

import math
from collections.abc import Iterable, Mapping
from html import escape

from analysis.attribution import Breakdown, StageShare
from analysis.stages import GROUP_OF, STAGES
from words import _, fmt, labels

OUTER, INNER = (100.0, 146.0), (62.0, 98.0)
CENTRE = 150.0


def variable(identifier: str) -> str:
    """The CSS variable of a stage, or of a group as `g-inference`."""
    return f"var(--{identifier.replace('_', '-')})"


def donut(parts: Breakdown, caption: str) -> str:
    """Groups inside, stages outside, from 12 o'clock clockwise, the largest first."""
    total = sum(part.mean_ns for part in parts.stages)
    groups = _by_group(parts.stages)
    inner = [
        (f"g-{group}", labels.group(group), sum(p.mean_ns for p in rows)) for group, rows in groups
    ]
    outer = [(p.stage, labels.stage(p.stage), p.mean_ns) for _group, rows in groups for p in rows]
    body = _ring(outer, total, OUTER) + _ring(inner, total, INNER)
    label = _("Share of each stage in {total}; the table beside has the same figures").format(
        total=fmt.ms(total)
    )
    return (
        f'<svg class="donut" viewBox="0 0 300 300" role="img" aria-label="{escape(label)}">{body}'
        f'<text x="150" y="152" class="total">{fmt.ms(total)}</text>'
        f'<text x="150" y="172" class="note">{escape(caption)}</text></svg>'
    )


def _by_group(stages: Iterable[StageShare]) -> list[tuple[str, list[StageShare]]]:
    groups: dict[str, list[StageShare]] = {}
    for part in sorted(stages, key=lambda p: (-p.mean_ns, p.stage)):
        if part.mean_ns > 0:
            groups.setdefault(GROUP_OF.get(part.stage, "unattributed"), []).append(part)
    return sorted(groups.items(), key=lambda item: (-sum(p.mean_ns for p in item[1]), item[0]))


def _ring(slices: list[tuple[str, str, int]], total: int, radii: tuple[float, float]) -> str:
    done, paths = 0, []
    for identifier, name, ns in slices:
        start, end = done / total, (done + ns) / total
        title = f"{name}: {fmt.ms(ns)}, {fmt.share(ns / total)}"
        paths.append(
            f'<path d="{_sector(start, end, radii)}" fill="{variable(identifier)}" '
            f'stroke="var(--bg)" stroke-width="1"><title>{escape(title)}</title></path>'
        )
        done += ns
    return "".join(paths)


def _sector(start: float, end: float, radii: tuple[float, float]) -> str:
    end = min(end, start + 0.99999)  # a whole circle has no two ends
    large = 1 if end - start > 0.5 else 0
    low, high = radii

    def point(share: float, radius: float) -> str:
        angle = 2 * math.pi * share
        return f"{CENTRE + radius * math.sin(angle):.2f} {CENTRE - radius * math.cos(angle):.2f}"

    return (
        f"M{point(start, high)}A{high:g} {high:g} 0 {large} 1 {point(end, high)}"
        f"L{point(end, low)}A{low:g} {low:g} 0 {large} 0 {point(start, low)}Z"
    )


def bands(rows: Mapping[str, Breakdown]) -> str:
    """One stacked bar per band on one scale, stages in product order, the total behind."""
    means = {band: parts.mean_ns or 0 for band, parts in rows.items()}
    longest = max(means.values(), default=0) or 1
    bars, width, left, height = [], 580.0, 58.0, 38
    for i, (band, parts) in enumerate(rows.items()):
        y, total = i * height + 4, means[band]
        bars.append(f'<text x="0" y="{y + 18}" class="label">{escape(labels.band(band))}</text>')
        bars.append(_stack(parts, left, y, width / longest))
        end = left + width * total / longest
        bars.append(f'<text x="{end + 8:.1f}" y="{y + 18}" class="strong">{fmt.ms(total)}</text>')
    label = ", ".join(f"{labels.band(band)} {fmt.ms(ns)}" for band, ns in means.items())
    return (
        f'<svg class="bands" viewBox="0 0 705 {len(rows) * height + 4}" role="img" '
        f'aria-label="{escape(label)}">{"".join(bars)}</svg>'
    )


def _stack(parts: Breakdown, x: float, y: float, scale: float) -> str:
    ns_of, drawn = {part.stage: part.mean_ns for part in parts.stages}, []
    for stage in STAGES:
        ns = ns_of.get(stage, 0)
        if ns <= 0:
            continue
        width, name = ns * scale, labels.stage(stage)
        title = f"{name}: {fmt.ms(ns)}"
        drawn.append(
            f'<rect x="{x:.2f}" y="{y:g}" width="{width:.2f}" height="27" fill="{variable(stage)}" '
            f'stroke="var(--bg)" stroke-width="{0.7 if width > 2 else 0}">'
            f"<title>{escape(title)}</title></rect>"
        )
        if width > 7.0 * len(name) + 8:
            drawn.append(
                f'<text x="{x + width / 2:.2f}" y="{y + 18:g}" class="on" '
                f'style="fill:{variable(f"on-{stage}")}">{escape(name)}</text>'
            )
        x += width
    return "".join(drawn)


def saving(low_ns: int, typical_ns: int, high_ns: int, scale_ns: int, stage: str) -> str:
    """A bar from 0 to the typical saving, a whisker from low to high; one scale for all rows."""

    def at(ns: int) -> float:
        return 1 + 244 * min(max(ns, 0), scale_ns) / scale_ns if scale_ns > 0 else 1.0

    left, right, end = at(low_ns), at(high_ns), at(typical_ns)
    text = fmt.interval(-typical_ns, -high_ns, -low_ns)
    return (
        f'<svg class="saving" viewBox="0 0 250 22" role="img" aria-label="{escape(text)}">'
        f'<rect x="1" y="4" width="{end - 1:.1f}" height="13" rx="2" fill="{variable(stage)}"/>'
        f'<path d="M{left:.1f} 10.5H{right:.1f}M{left:.1f} 6V15M{right:.1f} 6V15" '
        'stroke="var(--ink)" stroke-width="1.5" fill="none"/></svg>'
    )


def strip(stages: Mapping[str, int]) -> str:
    """A request as one thin bar, its stages in product order."""
    total = sum(stages.values()) or 1
    x, rects = 0.0, []
    for stage in STAGES:
        ns = stages.get(stage, 0)
        if ns > 0:
            width = 110 * ns / total
            title = f"{labels.stage(stage)}: {fmt.ms(ns)}"
            rects.append(
                f'<rect x="{x:.2f}" y="0" width="{width:.2f}" height="11" '
                f'fill="{variable(stage)}"><title>{escape(title)}</title></rect>'
            )
            x += width
    return (
        '<svg class="strip" viewBox="0 0 110 11" role="img" '
        f'aria-label="{escape(longest(stages))}">{"".join(rects)}</svg>'
    )


def longest(stages: Mapping[str, int]) -> str:
    """The longest stage in words: `Request queue 11.4 s`."""
    if not any(stages.values()):
        return fmt.MISSING
    stage = max(STAGES, key=lambda name: stages.get(name, 0))
    return f"{labels.stage(stage)} {fmt.ms(stages[stage])}"
