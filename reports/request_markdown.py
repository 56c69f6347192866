"""One request as Markdown: its answer, its facts, its stages and the spans that held them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reports.markdown import plain, table
from words import _, fmt, labels, page_labels, times

MOST: Final = 12
"""Spans listed, those with most time on the critical path first."""


def request_markdown(shown: Mapping[str, Any], answer: str, tz: str = "UTC") -> str:
    """The whole text; `shown` is the answer of `slowpath show --json`."""
    request = shown["request"]
    e2e = request["e2e_ns"] or 1
    title = f"{request['route'] or request['name']} {request['service'] or ''}".strip()
    started = times.instant(request["start_ns"], tz)
    facts = [title, started, _("trace {id}").format(id=request["trace_id"])]
    facts += [request["model"]] if request["model"] else []
    stages = sorted(request["stages"].items(), key=lambda item: -item[1])
    lines = [f"# {plain(answer)}", "", plain(" · ".join(facts)), ""]
    lines += table(
        [_("Stage"), _("Time"), _("Share")],
        [[labels.stage(stage), fmt.ms(ns), fmt.share(ns / e2e)] for stage, ns in stages],
        2,
    )
    held = sorted((s for s in shown["spans"] if s["self_ns"]), key=lambda s: -s["self_ns"])
    lines += table(
        [_("Span"), _("Service"), _("Stage"), _("On the path")],
        [
            [plain(page_labels.span_name(s["name"], s["key"])), plain(s["service"] or ""),
             labels.stage(s["stage"]), fmt.ms(s["self_ns"])]
            for s in held[:MOST]
        ],
        1,
    )  # fmt: skip
    return "\n".join(lines)
