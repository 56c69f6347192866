"""SERVER spans of one process that lost sight of each other, put back into one another."""

from __future__ import annotations

from collections import defaultdict

from analysis.cleaning.orphans import Enclosures
from analysis.tree import Span


def nest_servers(parent: Span) -> None:
    """Hang SERVER spans beside a call under the server that answers it, where they lie within.

    A server that opens a span for each of its layers, all from the caller's headers, makes them
    siblings of the call, so that the outermost would hide the work of the others. Same service and
    host, one call around them: they are layers, not calls of their own.
    """
    answering: defaultdict[tuple[str | None, str | None], list[Span]] = defaultdict(list)
    for call in parent.children:
        for span in call.children if call.kind != "server" else ():
            if span.kind == "server" and span.blocking and span.service != call.service:
                answering[span.service, span.host].append(span)
    if not answering:
        return
    around = {process: Enclosures(spans) for process, spans in answering.items()}
    for process, spans in answering.items():
        around[process].add(spans)
    layers = [span for span in parent.children if span.kind == "server" and span.blocking]
    moved: set[str] = set()
    for span in layers:
        known = around.get((span.service, span.host))
        host = known.smallest(span, span.end) if known is not None else None
        if host is not None:
            moved.add(span.key)
            span.parent = host
            host.children.append(span)
    if moved:
        parent.children = [child for child in parent.children if child.key not in moved]
