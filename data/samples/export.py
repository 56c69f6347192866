"""Spans as the Collector's file exporter writes them: OTLP/JSON, one request per line."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from data.samples.places import SECOND, Place
from data.samples.spans import Draft

FLUSH_NS: Final = 5 * SECOND
COLLECT_NS: Final = 2 * SECOND
BATCH: Final = 512
RESENT: Final = ("llm-router", "audit-log")
"""Services whose exporter sometimes times out and sends a batch again that had arrived."""

RESENT_SHARE: Final = 0.06


def lines(spans: Iterable[Draft], seed: int) -> Iterator[bytes]:
    """One export request per line, in the order in which the Collector wrote them."""
    written: dict[int, list[str]] = defaultdict(list)
    rng = random.Random(f"{seed}/export")  # noqa: S311 - a sample, not a secret
    for flushed_ns, place, batch in _batches(spans):
        document = _text(_resource_spans(place, batch))
        written[flushed_ns // COLLECT_NS].append(document)
        if place.service in RESENT and rng.random() < RESENT_SHARE:
            written[(flushed_ns + FLUSH_NS) // COLLECT_NS].append(document)
    for _, documents in sorted(written.items()):
        yield f'{{"resourceSpans":[{",".join(documents)}]}}\n'.encode()


def _batches(spans: Iterable[Draft]) -> Iterator[tuple[int, Place, list[Draft]]]:
    """What each process hands over every five seconds: spans in the order of their ends."""
    flushes: dict[tuple[int, str, str, str, int], list[Draft]] = defaultdict(list)
    for span in spans:
        at = _flush_ns(span)
        place = span.place
        flushes[(at, place.service, place.instance, place.version, place.skew_ns)].append(span)
    for (at, *_), flushed in sorted(flushes.items(), key=lambda item: item[0]):
        flushed.sort(key=lambda span: (span.end_ns, span.span_id))
        for first in range(0, len(flushed), BATCH):
            yield at, flushed[first].place, flushed[first : first + BATCH]


def _flush_ns(span: Draft) -> int:
    phase = sum(span.place.instance.encode()) * 37_000_003 % FLUSH_NS
    return (span.end_ns - phase) // FLUSH_NS * FLUSH_NS + FLUSH_NS + phase


def _resource_spans(place: Place, batch: list[Draft]) -> dict[str, Any]:
    scopes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for span in batch:
        scopes[span.scope].append(_span(span))
    return {
        "resource": {"attributes": _attributes(dict(place.resource))},
        "scopeSpans": [{"scope": {"name": name}, "spans": made} for name, made in scopes.items()],
    }


def _span(span: Draft) -> dict[str, Any]:
    """The span on the clock of its process; absent fields are left out as the exporter does."""
    skew = span.place.skew_ns
    made: dict[str, Any] = {"traceId": span.trace_id, "spanId": span.span_id}
    made["parentSpanId"] = span.parent_id
    made |= {"flags": 256, "name": span.name, "kind": span.kind}
    made["startTimeUnixNano"] = str(span.start_ns + skew)
    made["endTimeUnixNano"] = "0" if span.unended else str(span.end_ns + skew)
    made["attributes"] = _attributes(span.attributes)
    if span.events:
        made["events"] = [
            {"timeUnixNano": str(at_ns + skew), "name": name} for name, at_ns in span.events
        ]
    if span.links:
        made["links"] = [{"traceId": span.trace_id, "spanId": to} for to in span.links]
    made["status"] = {"message": span.message, "code": 2} if span.failed else {}
    return made


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value}


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
