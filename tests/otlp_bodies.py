"""OTLP/JSON export requests as the same requests in protobuf."""

import base64

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

IDS = ("traceId", "spanId", "parentSpanId")


def _with_base64(value):
    """Ids as protobuf's JSON form has them: OTLP/JSON writes hex instead."""
    if isinstance(value, list):
        return [_with_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(held)).decode() if key in IDS else _with_base64(held)
        for key, held in value.items()
    }


def protobuf(document, signal="traces"):
    empty = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest}[signal]
    return ParseDict(_with_base64(document), empty()).SerializeToString()
