"""SERVER spans of one process that lost sight of each other, put back into one another."""

from __future__ import annotations

from collections import defaultdict

from analysis.cleaning.orphans import Enclosures
from analysis.tree import Span

_Process = tuple[str | None, str | None]


def nest_servers(parent: Span) -> None:
    """Hang SERVER spans that are layers of one server into one another.

    A server that opens a span for each of its layers, all from the caller's headers, makes them
    siblings, and the outermost hides the work of the others. One call, same service and host, one
    inside the other: these are layers and not calls of their own. Layers beside the call itself
    come under it first.
    """
    if _calls(parent):
        _nest(_layers(parent, parent.service))
    else:
        _gather(parent)
    parent.children = [child for child in parent.children if child.parent is parent]


def _calls(span: Span) -> bool:
    return span.kind == "client" or (span.is_call and span.kind != "server")


def _layers(parent: Span, caller: str | None) -> dict[_Process, list[Span]]:
    """The servers under a span, by process, of other services than the caller's."""
    found: defaultdict[_Process, list[Span]] = defaultdict(list)
    for span in parent.children:
        if span.kind == "server" and span.blocking and span.service not in (None, caller):
            found[span.service, span.host].append(span)
    return found


def _gather(parent: Span) -> None:
    """Hang servers beside a call that lie in the server that answers it under the call."""
    answering: defaultdict[_Process, list[Span]] = defaultdict(list)
    for call in parent.children if _layers(parent, None) else ():
        for process, spans in _layers(call, call.service).items() if _calls(call) else ():
            answering[process] += spans
    around = {process: Enclosures(spans) for process, spans in answering.items()}
    for process, spans in answering.items():
        around[process].add(spans)
    for process, spans in _layers(parent, None).items() if answering else ():
        for span in spans:
            host = around[process].smallest(span, span.end) if process in around else None
            if host is not None and host.parent is not None:
                _move(span, host.parent)


def _nest(layers: dict[_Process, list[Span]]) -> None:
    for spans in layers.values():
        open_now: list[Span] = []
        for span in sorted(spans, key=lambda span: (span.start, -span.end, span.key)):
            while open_now and open_now[-1].end < span.end:
                open_now.pop()
            if open_now:
                _move(span, open_now[-1])
            open_now.append(span)


def _move(span: Span, parent: Span) -> None:
    span.parent = parent
    parent.children.append(span)
