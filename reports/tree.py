"""One request as an indented tree for a terminal."""

from __future__ import annotations

from typing import Any

from words import _, fmt, labels

WIDTH = 40


def request_tree(answer: dict[str, Any]) -> str:
    """The request, its spans with a small bar each, and its model calls."""
    request = answer["request"]
    head = _("{name} · {e2e} · first token {ttft} · {status}").format(
        name=request["name"], e2e=fmt.ms(request["e2e_ns"]), ttft=fmt.ms(request["ttft_ns"]),
        status=request["status"],
    )  # fmt: skip
    flags = ", ".join(labels.flag(flag) for flag in request["flags"])
    lines = [head, *([flags] if flags else []), *(_line(s, request) for s in answer["spans"])]
    return "\n".join(lines)


def _line(span: dict[str, Any], request: dict[str, Any]) -> str:
    name = "  " * span["depth"] + (span["name"] or _("(never arrived)"))
    service = span["service"] or "–"
    own = fmt.ms(span["self_ns"]) if span["self_ns"] else ""
    cells = f"{name[:48]:<48} {service[:16]:<16} {_bar(span, request)}"
    return f"{cells} {own:>9} {labels.stage(span['stage'])}".rstrip()


def _bar(span: dict[str, Any], request: dict[str, Any]) -> str:
    total = max(1, request["e2e_ns"])
    first = (span["start_ns"] - request["start_ns"]) * WIDTH // total
    last = (span["end_ns"] - request["start_ns"]) * WIDTH // total
    first, last = max(0, min(first, WIDTH - 1)), max(0, min(last, WIDTH))
    mark = "█" if span["self_ns"] else "░" if span["blocking"] else "╌"
    drawn: str = " " * first + (mark * max(1, last - first)).ljust(WIDTH - first)
    return drawn
