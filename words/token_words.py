"""What a model call says of the gaps between its tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from words import _, fmt, ngettext


def gaps(call: Mapping[str, Any]) -> str:
    """Median, p99 and largest gap, between tokens or between chunks; "" where none is known.

    Args:
        call: `token_gaps`, `itl_unit`, `itl_p50_ns`, `itl_p99_ns`, `itl_max_ns`, `output_tokens`.
    """
    count = call["token_gaps"]
    if not count:
        return ""
    figures = _("median {median}, p99 {p99}, largest {largest}").format(
        median=fmt.rate_ms(call["itl_p50_ns"]),
        p99=fmt.rate_ms(call["itl_p99_ns"]),
        largest=fmt.rate_ms(call["itl_max_ns"]),
    )
    if call["itl_unit"] == "token":
        said = ngettext(
            "Gap between tokens (ITL): {figures}, of {n} gap",
            "Gaps between tokens (ITL): {figures}, of {n} gaps",
            count,
        )
        return said.format(figures=figures, n=fmt.count(count))
    said = ngettext(
        "Gap between chunks: {figures}, of {n} gap; {held}",
        "Gaps between chunks: {figures}, of {n} gaps; {held}",
        count,
    )
    return said.format(figures=figures, n=fmt.count(count), held=_held(count + 1, call))


def _held(chunks: int, call: Mapping[str, Any]) -> str:
    """Why these are no gaps between tokens."""
    tokens = call["output_tokens"]
    if tokens is None:
        return _("a chunk may hold several tokens")
    said = _("{chunks} chunks for {tokens}, so a chunk may hold several or none")
    return said.format(chunks=fmt.count(chunks), tokens=fmt.tokens(tokens))


def reported(call: Mapping[str, Any]) -> str:
    """A mean per token that the emitter itself gives; "" where it gives none."""
    mean_ns = call["reported"].get("time_per_token")
    if not mean_ns:
        return ""
    return _("The emitter reports a mean of {mean}").format(mean=fmt.per_token(mean_ns))
