"""Random traces, as awkward as they come: `trace_rows()` for records, `nodes(rows)` for spans.

Times lie on a grid of whole milliseconds, so that ties and touching spans are common; `skew`
moves whole hosts, `cycles` lets a span name a later one as its parent.
"""

from typing import Any

from builders import MS, T0, TRACE, row, span_id
from hypothesis import strategies as st

from analysis.parsing import parse
from analysis.rules import Rule
from analysis.spans import KINDS, SpanBatch
from analysis.tree import Span

CALL = Rule("call", "model", role="call")
SERVICES = ("web", "gateway", "engine", "-")
HOSTS = (None, "h1", "h2", "h3")


def nodes(rows: list[dict[str, Any]]) -> list[Span]:
    """The parsed spans of one trace; those named `chat` are model calls."""
    parsed = parse(SpanBatch.from_rows(rows).table).get(TRACE, [])
    for span in parsed:
        span.rule = CALL if span.name == "chat" else None
    return parsed


@st.composite
def _one(draw: st.DrawFn, number: int, skews: dict[Any, int], ids: list[str]) -> dict[str, Any]:
    host = draw(st.sampled_from(HOSTS))
    service = draw(st.sampled_from(SERVICES))
    start = draw(st.integers(0, 60)) + skews.get(host or service, 0)
    length = draw(st.one_of(st.integers(1, 80), st.sampled_from([-5, 0])))
    begin, end = draw(st.sampled_from([(start, start + length)] * 8 + [(start, "-"), ("-", "-")]))
    kind = draw(st.sampled_from(KINDS))
    name = draw(st.sampled_from(["chat", "work", "work"]))
    line = f"s{number} {draw(st.sampled_from(ids))} {service} {kind} {begin} {end} {name}"
    columns: dict[str, Any] = {"host": host}
    if draw(st.integers(0, 3)) == 0:
        columns["attributes"] = {"gen_ai.request.stream": True}
        columns["events"] = [{"name": "e", "time_ns": T0 + start * MS, "attributes": {}}]
    if draw(st.integers(0, 7)) == 0:
        target = span_id(draw(st.sampled_from(ids)))
        kind = draw(st.sampled_from(["link", "follows_from", "child_of"]))
        columns["links"] = [{"trace_id": TRACE, "span_id": target, "type": kind}]
    columns["shared"] = draw(st.integers(0, 15)) == 0
    return row(line, **columns)


@st.composite
def trace_rows(
    draw: st.DrawFn, max_spans: int = 12, skew: bool = True, cycles: bool = True
) -> list[dict[str, Any]]:
    """The records of one trace, in any order, with lost parents, partial records and copies."""
    names = [*HOSTS[1:], *SERVICES]
    moves = st.sampled_from([0, 0, 0, 3, -40, 200, -500])
    skews = {name: draw(moves) if skew else 0 for name in names}
    count = draw(st.integers(1, max_spans))
    everyone = [f"s{number}" for number in range(count)]
    found = []
    for number in range(count):
        known = everyone if cycles else everyone[:number]
        ids = [*known, *known, ".", "lost", "gone"] if number else [".", ".", "lost"]
        found.append(draw(_one(number, skews, ids)))
    for copied in draw(st.lists(st.integers(0, count - 1), max_size=2)):
        found.append(_again(found[copied], draw(st.sampled_from(["copy", "late", "half", "part"]))))
    return draw(st.permutations(found))


def _again(record: dict[str, Any], how: str) -> dict[str, Any]:
    """A second record under the same id: an exact copy, a later end, a server half, a part."""
    if how == "late" and record["end_ns"] is not None:
        return {**record, "end_ns": record["end_ns"] + 7 * MS}
    if how == "half":
        return {**record, "kind": "server", "shared": True, "service": "other", "host": None}
    return {**record, "end_ns": None} if how == "part" else dict(record)
