"""Small marks as HTML with inline styles: the legend, and the bar of a ranked saving."""

import html
from collections.abc import Sequence

from analysis.stages import GROUP_OF, HARNESS
from charts.pie import Slice
from charts.theme import Theme, theme
from words import _, fmt, labels

FRONT = ("inference", "application", "client", "unattributed")


def legend(stages: Sequence[Slice], dark: bool = False) -> str:
    """Two lines: the groups outside the harness, then the harness opened into its parts."""
    look = theme(dark)
    shares: dict[str, float] = {}
    for stage, _ns, share in stages:
        group = GROUP_OF.get(stage, "unattributed")
        shares[group] = shares.get(group, 0.0) + share
    front = [_entry(group, shares[group], look) for group in FRONT if shares.get(group)]
    parts = sorted((g for g in HARNESS if shares.get(g)), key=lambda g: (-shares[g], g))
    harness = fmt.share(sum(shares[group] for group in parts))
    head = (
        f'<span style="color:{look.soft};margin-right:14px">{_("Harness")} '
        f'<b style="color:{look.ink}">{harness}</b> =</span>'
    )
    rows = [
        "".join(front),
        head + "".join(_entry(g, shares[g], look) for g in parts) if parts else "",
    ]
    lines = "".join(f"<div>{row}</div>" for row in rows if row)
    return f'<div style="color:{look.ink};font-size:0.93rem;line-height:1.6">{lines}</div>'


def _entry(group: str, share: float, look: Theme) -> str:
    return (
        '<span style="white-space:nowrap;margin-right:14px">'
        f"{swatch(look.groups[group])}{html.escape(labels.group(group))} "
        f"<b>{fmt.share(share)}</b></span> "
    )


def swatch(colour: str) -> str:
    """The 10 px square that carries a colour beside its name."""
    return (
        f'<span style="display:inline-block;width:10px;height:10px;border-radius:2px;'
        f'background:{colour};margin-right:5px"></span>'
    )


def saving_bar(
    low_ns: int, typical_ns: int, high_ns: int, scale_ns: int, stage: str, dark: bool = False
) -> str:
    """A bar from 0 to the typical saving with a whisker from low to high, 22 px high.

    Args:
        low_ns, typical_ns, high_ns: a saving is positive; a negative one is a loss.
        scale_ns: what the full width stands for; the same for all rows.
        stage: the stage that is freed; it gives the colour.
    """
    look = theme(dark)
    text = fmt.interval(-typical_ns, -high_ns, -low_ns)

    def at(ns: int) -> float:
        return 100 * min(max(ns, 0), scale_ns) / scale_ns if scale_ns > 0 else 0.0

    left, right = at(low_ns), at(high_ns)
    tip = f"position:absolute;top:6px;height:10px;width:2px;background:{look.ink}"
    return (
        f'<div role="img" aria-label="{html.escape(text)}" '
        'style="position:relative;height:22px;width:100%">'
        f'<div style="position:absolute;left:0;top:5px;height:12px;width:{at(typical_ns):.2f}%;'
        f'background:{look.stage(stage)};border-radius:2px"></div>'
        f'<div style="position:absolute;top:10px;height:2px;left:{left:.2f}%;'
        f'width:{right - left:.2f}%;background:{look.ink}"></div>'
        f'<div style="{tip};left:calc({left:.2f}% - 1px)"></div>'
        f'<div style="{tip};left:calc({right:.2f}% - 1px)"></div></div>'
    )
