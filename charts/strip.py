"""A request in one line: a small picture with one rectangle per stage, for a table's cell."""

from collections.abc import Mapping
from urllib.parse import quote

from analysis.stages import STAGES
from charts.theme import theme

WIDTH, HEIGHT = 200, 14
BOX_WIDTH, BOX_HEIGHT = 208, 32


def strip(stages: Mapping[str, int], dark: bool = False) -> str:
    """A data URI of an SVG: the stages in product order, each as wide as its share.

    Args:
        stages: {stage: ns}; zeros are not drawn.
    """
    look = theme(dark)
    total = sum(stages.values())
    left, top = (BOX_WIDTH - WIDTH) / 2, (BOX_HEIGHT - HEIGHT) / 2
    done, rects = 0, []
    for stage in STAGES:
        ns = stages.get(stage, 0)
        if ns > 0:
            x, width = left + WIDTH * done / total, WIDTH * ns / total
            gap = 0.5 if width > 2 else 0
            rects.append(
                f'<rect x="{x:.2f}" y="{top:g}" width="{width - gap:.2f}" height="{HEIGHT}" '
                f'fill="{look.stage(stage)}"/>'
            )
            done += ns
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" '
        f'viewBox="0 0 {BOX_WIDTH} {BOX_HEIGHT}">{"".join(rects)}</svg>'
    )
    return f"data:image/svg+xml,{quote(svg)}"
