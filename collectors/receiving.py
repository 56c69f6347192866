"""The body of an OTLP export request, as batches: unpacked, decoded, through the gate."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
import pyarrow as pa

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.draft import Draft, Point
from collectors.formats import otlp_json, otlp_metrics, otlp_protobuf
from collectors.gate import Gate
from collectors.report import ReadReport
from words import _

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"

MAX_BODY: Final = 64 << 20
"""Bytes of one request, unpacked; exporters send batches of a few MB at most."""

_CHUNK: Final = 1 << 16

Rows = Callable[[bytes, str, ReadReport], Iterator[Draft | Point]]


class TooLargeError(Exception):
    """A body beyond `MAX_BODY`; `limit` in bytes."""

    def __init__(self, limit: int = MAX_BODY) -> None:
        self.limit = limit
        super().__init__(limit)


def _json_rows(module: Any) -> Rows:
    def rows(body: bytes, where: str, report: ReadReport) -> Iterator[Draft | Point]:
        try:
            document = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UserError(_("a whole JSON document"), str(error)[:200], where) from error
        if not isinstance(document, dict):
            raise UserError(_("an export request, a JSON object"), type(document).__name__, where)
        yield from module.rows(document, "", report)

    return rows


READERS: Final[dict[tuple[str, str], Rows]] = {
    ("traces", PROTOBUF): otlp_protobuf.traces,
    ("metrics", PROTOBUF): otlp_protobuf.metrics,
    ("traces", JSON): _json_rows(otlp_json),
    ("metrics", JSON): _json_rows(otlp_metrics),
}
"""(signal, content type) -> what reads its bodies."""


def unpacked(body: bytes, encoding: str, limit: int = MAX_BODY) -> bytes:
    """The body without its content encoding (gzip, deflate, zstd or none).

    Raises:
        TooLargeError: it unpacks to more than `limit` bytes; no more than that is ever held.
        UserError: an unknown encoding, or bytes that are not of it.
    """
    if encoding in ("", "identity"):
        return _within(io.BytesIO(body), limit)
    try:
        if encoding in ("gzip", "zstd"):
            return _within(pa.input_stream(pa.BufferReader(body), compression=encoding), limit)
        if encoding == "deflate":
            return _inflated(body, limit)
    except (OSError, pa.ArrowInvalid, zlib.error) as error:
        expected = _("a whole body packed as {name}").format(name=encoding)
        raise UserError(expected, str(error)[:200]) from error
    raise UserError(_("gzip, zstd, deflate or no content encoding"), encoding[:80])


def _within(stream: Any, limit: int) -> bytes:
    found = bytearray()
    while chunk := stream.read(_CHUNK):
        found += chunk
        if len(found) > limit:
            raise TooLargeError(limit)
    return bytes(found)


def _inflated(body: bytes, limit: int) -> bytes:
    reader = zlib.decompressobj()
    found = reader.decompress(body, limit + 1)
    if len(found) > limit:
        raise TooLargeError(limit)
    if not reader.eof:
        raise zlib.error(_("it is cut off"))
    return found


def received(
    signal: str, kind: str, body: bytes, report: ReadReport
) -> list[SpanBatch | MetricBatch]:
    """The batches of one unpacked export request; the report counts what was left out.

    Args:
        signal: traces or metrics.
        kind: `PROTOBUF` or `JSON`.

    Raises:
        UserError: the bytes are no export request.
    """
    gate, where = Gate(report), f"/v1/{signal}"
    report.format, report.bytes_read = "otlp", len(body)
    found: list[SpanBatch | MetricBatch] = []
    for record in READERS[signal, kind](body, where, report):
        gate.add(record)
        found += gate.batches()
    return [*found, *gate.batches(final=True)]
