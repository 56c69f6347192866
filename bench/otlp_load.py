"""Export requests as a Collector sends them: recent copies of the sample's requests in protobuf."""

import base64
import gzip
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "samples" / "sample.json.gz"
IDS = ("traceId", "spanId", "parentSpanId")


def with_base64(value: Any) -> Any:
    """Ids as protobuf's JSON form has them: OTLP/JSON writes hex instead."""
    if isinstance(value, list):
        return [with_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(held)).decode() if key in IDS else with_base64(held)
        for key, held in value.items()
    }


def documents() -> list[ExportTraceServiceRequest]:
    with gzip.open(SAMPLE) as lines:
        read = [json.loads(line) for line in lines]
    return [ParseDict(with_base64(document), ExportTraceServiceRequest()) for document in read]


def _spans(message: ExportTraceServiceRequest) -> Iterator[Any]:
    for resource in message.resource_spans:
        for scope in resource.scope_spans:
            yield from scope.spans


class Load:
    """Endless export requests; every round of the sample has trace ids and times of its own."""

    def __init__(self, seed: int, documents_: list[ExportTraceServiceRequest]) -> None:
        self._documents, self._chance = documents_, random.Random(seed)
        self._first = min(s.start_time_unix_nano for d in documents_ for s in _spans(d))

    def bodies(self, batch: int = 20) -> Iterator[tuple[int, bytes]]:
        """(spans, body) of `batch` documents each."""
        while True:
            key = self._chance.getrandbits(128).to_bytes(16, "big")
            shift = time.time_ns() - self._first
            for start in range(0, len(self._documents), batch):
                body = ExportTraceServiceRequest()
                for document in self._documents[start : start + batch]:
                    body.MergeFrom(document)
                yield self._moved(body, key, shift)

    @staticmethod
    def _moved(body: ExportTraceServiceRequest, key: bytes, shift: int) -> tuple[int, bytes]:
        count = 0
        for span in _spans(body):
            count += 1
            span.trace_id = bytes(a ^ b for a, b in zip(span.trace_id, key, strict=True))
            span.start_time_unix_nano += shift
            if span.end_time_unix_nano:
                span.end_time_unix_nano += shift
            for event in span.events:
                event.time_unix_nano += shift
        return count, body.SerializeToString()
