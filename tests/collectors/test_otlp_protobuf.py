"""OTLP in protobuf reads as the same export in JSON; bodies are unpacked within limits."""

import gzip
import json
import zlib

import pyarrow as pa
import pytest
from conftest import ROOT
from exports import otlp, rows, span
from otlp_bodies import protobuf

from analysis.errors import UserError
from collectors import JSON, PROTOBUF, ReadReport, TooLargeError, received, unpacked

SAMPLES = ROOT / "data" / "samples"


def taken(body, signal="traces", kind=PROTOBUF):
    report = ReadReport()
    batches = received(signal, kind, body, report)
    return [row for batch in batches for row in batch.table.to_pylist()], report


def sample_documents():
    with gzip.open(SAMPLES / "sample.json.gz") as lines:
        return [json.loads(line) for line in lines][::9]


def test_the_sample_in_protobuf_reads_as_in_json():
    for document in sample_documents():
        assert taken(protobuf(document))[0] == rows(document)


def test_metrics_in_protobuf_read_as_in_json():
    path = SAMPLES / "formats" / "otlp_metrics.json"
    document = json.loads(path.read_text())
    read, report = taken(protobuf(document, "metrics"), "metrics")
    assert read == rows(path)
    assert report.rejected == []


VALUES = [
    {"stringValue": "häß"},
    {"intValue": str(-(2**63))},
    {"doubleValue": 0.1},
    {"doubleValue": "NaN"},
    {"doubleValue": "-Infinity"},
    {"boolValue": False},
    {"bytesValue": "AAEC"},
    {"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "two"}, {}]}},
    {"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": True}}]}},
    {},
]


@pytest.mark.parametrize("value", VALUES)
def test_every_kind_of_value_reads_as_in_json(value):
    document = otlp(span(attributes=[{"key": "thing", "value": value}]))
    assert taken(protobuf(document))[0] == rows(document)


def test_events_links_status_and_missing_ends_read_as_in_json():
    linked = {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "2"}
    shim = [{"key": "opentracing.ref_type", "value": {"stringValue": "follows_from"}}]
    full = span(
        kind=3,
        status={"code": 2},
        endTimeUnixNano="0",
        events=[{"name": "first", "timeUnixNano": "1700000000000000007"}, {"name": "no time"}],
        links=[linked, {**linked, "attributes": shim}],
    )
    document = otlp(full, service_name="api", host_name="node-1")
    assert taken(protobuf(document))[0] == rows(document)


def test_a_span_without_ids_is_counted_and_the_others_are_taken():
    document = otlp(span(), span(spanId=""), span(spanId="00000000000000ab", kind=2))
    read, report = taken(protobuf(document))
    assert len(read) == 2
    assert [row.count for row in report.rejected] == [1]
    assert "resourceSpans[0].scopeSpans[0].spans[1]" in report.rejected[0].example


@pytest.mark.parametrize("signal", ["traces", "metrics"])
@pytest.mark.parametrize("kind", [PROTOBUF, JSON])
def test_bytes_of_another_kind_are_one_clear_error(signal, kind):
    with pytest.raises(UserError) as caught:
        taken(b"\x0a\xff\xff\xff\xff\xff", signal, kind)
    assert caught.value.where == f"/v1/{signal}"


@pytest.mark.parametrize(
    ("kind", "body"), [(PROTOBUF, b""), (JSON, b"{}"), (JSON, b'{"resourceSpans": []}')]
)
def test_an_empty_request_brings_nothing_and_is_no_error(kind, body):
    assert taken(body, kind=kind) == ([], ReadReport(format="otlp", bytes_read=len(body)))


PACKED = {
    "": lambda body: body,
    "identity": lambda body: body,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": lambda body: pa.compress(body, codec="zstd", asbytes=True),
}


@pytest.mark.parametrize("encoding", PACKED)
def test_every_encoding_is_unpacked_within_its_limit(encoding):
    body = bytes(range(256)) * 4000
    packed = PACKED[encoding](body)
    assert unpacked(packed, encoding, len(body)) == body
    with pytest.raises(TooLargeError):
        unpacked(packed, encoding, len(body) - 1)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_a_damaged_body_is_an_error(encoding):
    packed = PACKED[encoding](b"some text " * 1000)
    for body in (packed[:-5], b"no such thing", b"\x00" + packed):
        with pytest.raises(UserError):
            unpacked(body, encoding)


def test_an_unknown_encoding_is_refused_by_name():
    with pytest.raises(UserError) as caught:
        unpacked(b"x", "br")
    assert caught.value.found == "br"
