"""The OpenTelemetry SDK exports to a running app, whose pages and command show it at once."""

import json
import time

import pytest
from browser_app import App
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExportResult,
)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    running = App(tmp_path_factory.mktemp("receiving"), SLOWPATH_OTLP_TOKEN="s3cret")
    yield running
    running.stop()


def exporter(app, token="s3cret", **options):
    headers = {"Authorization": f"Bearer {token}"}
    return OTLPSpanExporter(f"{app.url}/v1/traces", headers=headers, timeout=20, **options)


def chat(provider):
    """One request as an SDK records it; returns its trace id."""
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("POST /chat", kind=trace.SpanKind.SERVER) as root:
        with tracer.start_as_current_span("chat", kind=trace.SpanKind.CLIENT) as call:
            call.set_attribute("gen_ai.request.model", "tiny")
            call.set_attribute("gen_ai.usage.output_tokens", 3)
            time.sleep(0.02)
        return f"{root.get_span_context().trace_id:032x}"


def requests(app):
    return {row["trace_id"]: row for row in json.loads(app.run("requests", "--json")[1])}


def once_seen(app, trace_id):
    """The row of a trace, once it is among the requests."""
    started = time.monotonic()
    while time.monotonic() - started < 60:
        if row := requests(app).get(trace_id):
            return row
        time.sleep(0.2)
    return pytest.fail("the request never came")


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip])
def test_what_the_sdk_exports_is_among_the_requests(app, compression):
    provider = TracerProvider(resource=Resource.create({"service.name": "sdk"}))
    provider.add_span_processor(BatchSpanProcessor(exporter(app, compression=compression)))
    trace_id = chat(provider)
    assert provider.force_flush(20_000)
    row = once_seen(app, trace_id)
    provider.shutdown()
    assert row["service"] == "sdk"
    assert (row["model"], row["output_tokens"]) == ("tiny", 3)
    assert sum(row["stages"].values()) == row["e2e_ns"] > 20_000_000


def test_a_wrong_token_is_told_to_the_sdk_and_brings_nothing(app):
    before = len(requests(app))
    provider = TracerProvider()
    tracer = provider.get_tracer("test")
    span = tracer.start_span("x")
    span.end()
    assert exporter(app, "wrong").export([span]) is SpanExportResult.FAILURE
    assert len(requests(app)) == before


def test_an_app_that_is_killed_right_after_the_answer_loses_nothing(tmp_path):
    running = App(tmp_path, SLOWPATH_OTLP_TOKEN="s3cret")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter(running)))
    trace_id = chat(provider)
    running.process.kill()
    running.process.wait()
    again = App(tmp_path)
    assert once_seen(again, trace_id)["trace_id"] == trace_id
    again.stop()
