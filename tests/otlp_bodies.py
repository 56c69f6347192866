"""OTLP/JSON export requests as the same requests in protobuf."""

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bench.otlp_load import with_base64


def protobuf(document, signal="traces"):
    empty = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest}[signal]
    return ParseDict(with_base64(document), empty()).SerializeToString()
