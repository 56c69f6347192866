"""One request as an indented tree for a terminal."""

from __future__ import annotations

from typing import Any

from words import _, fmt, labels, ngettext

WIDTH = 40


def request_tree(answer: dict[str, Any]) -> str:
    """The request, its spans with a small bar each, its model calls, its siblings."""
    request = answer["request"]
    head = _("{name} · {e2e} · first token {ttft} · {status}").format(
        name=request["name"] or _("(never arrived)"), e2e=fmt.ms(request["e2e_ns"]),
        ttft=fmt.ms(request["ttft_ns"]), status=request["status"],
    )  # fmt: skip
    started = fmt.instant(request["start_ns"], "UTC")
    place = _("trace {trace}, started {time} UTC").format(trace=request["trace_id"], time=started)
    flags = ", ".join(labels.flag(flag) for flag in request["flags"])
    return "\n".join(
        [head, place, *([flags] if flags else []), *(_line(s, request) for s in answer["spans"]),
         *map(_call, answer["calls"]), *_others(answer["other_requests"])]
    )  # fmt: skip


def _line(span: dict[str, Any], request: dict[str, Any]) -> str:
    name = "  " * span["depth"] + (span["name"] or _("(never arrived)"))
    service = span["service"] or "–"
    own = fmt.ms(span["self_ns"]) if span["self_ns"] else ""
    cells = f"{name[:48]:<48} {service[:16]:<16} {_bar(span, request)}"
    return f"{cells} {own:>9} {labels.stage(span['stage'])}".rstrip()


def _bar(span: dict[str, Any], request: dict[str, Any]) -> str:
    origin, total = int(request["start_ns"]), max(1, int(request["e2e_ns"]))
    first = (int(span["start_ns"]) - origin) * WIDTH // total
    last = (int(span["end_ns"]) - origin) * WIDTH // total
    first, last = max(0, min(first, WIDTH - 1)), max(0, min(last, WIDTH))
    mark = "█" if span["self_ns"] else "░" if span["blocking"] else "╌"
    return " " * first + (mark * max(1, last - first)).ljust(WIDTH - first)


def _call(call: dict[str, Any]) -> str:
    """A model call as one line; what its telemetry does not say is a dash."""
    times = _("queue {queue}, prefill {prefill}, first token {first}, decode {decode}").format(
        queue=fmt.ms(call["queue_ns"]), prefill=fmt.ms(call["prefill_ns"]),
        first=fmt.ms(call["first_token_ns"]), decode=fmt.ms(call["decode_ns"]),
    )  # fmt: skip
    counts = _("{input} in, {output} out").format(
        input=fmt.tokens(call["input_tokens"]), output=fmt.tokens(call["output_tokens"])
    )
    said = _("model call {model}: {times}, {counts}")
    return said.format(model=call["model"] or "–", times=times, counts=counts)


def _others(rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return []
    n = len(rows)
    head = ngettext("{n} other request in this trace:", "{n} other requests in this trace:", n)
    return [head.format(n=n), *map(_other, rows)]


def _other(row: dict[str, Any]) -> str:
    return f"  {row['trace_id']}/{row['root_span_id']}  {row['name']}  {fmt.ms(row['e2e_ns'])}"
