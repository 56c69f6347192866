"""Whatever the bytes: batches, a count of what was left out, or a UserError; never a crash."""

import gzip
import io
import json

from exports import as_bytes, otlp, span
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors import ReadReport, read
from data.samples.write_formats import exports

SAMPLES = sorted(exports().values())
KEYS = (  # noqa: SIM905  # names read best as running text
    "resourceSpans batches scopeSpans spans resource attributes traceId id spanId data traceID "
    "spanID processes tags timestamp resultType result metric values resourceMetrics metrics sum "
    "scopeMetrics gauge histogram dataPoints key value kind status name references logs"
).split()
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=25,
)
RELAXED = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(content):
    report, held = ReadReport(), 0
    try:
        for batch in read(io.BytesIO(content), "file", report):
            assert isinstance(batch, SpanBatch | MetricBatch)
            held += batch.table.num_rows
    except UserError as error:
        said = error
    else:
        said = None
    assert (held + report.rejected_count > 0) or (said and said.expected and said.found)


@RELAXED
@given(st.binary(max_size=200))
def test_any_bytes_end_in_batches_or_in_words(content):
    check(content)
    check(b"\x1f\x8b" + content)
    check(gzip.compress(content))


@RELAXED
@given(VALUES)
def test_any_json_ends_in_batches_or_in_words(value):
    check(as_bytes(value))


@RELAXED
@given(
    VALUES, st.sampled_from(["traceId", "kind", "attributes", "events", "links", "status", "name"])
)
def test_any_value_in_any_field_costs_a_span_at_most(value, field):
    content = as_bytes(otlp(span(**{field: value}), span(spanId="b2")))
    report = ReadReport()
    batches = list(read(io.BytesIO(content), "file", report))
    assert sum(batch.table.num_rows for batch in batches) + report.rejected_count == 2


@RELAXED
@given(st.sampled_from(SAMPLES), st.data())
def test_a_sample_with_a_piece_cut_out_or_changed_never_crashes(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    put = data.draw(st.sampled_from(["", "{", "]", '"', "null", "0", "\x00", "[[", '{"a":1}']))
    check((text[:start] + put + text[end:]).encode())


@RELAXED
@given(st.sampled_from(SAMPLES), VALUES, st.data())
def test_a_sample_with_one_value_replaced_never_crashes(text, value, data):
    if text[0] not in "{[" or "}\n{" in text:
        return
    document = json.loads(text)
    inner, steps = document, data.draw(st.integers(1, 9))
    for _step in range(steps):
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(inner[key], dict | list) or _step == steps - 1:
            inner[key] = value
            break
        inner = inner[key]
    check(as_bytes(document))
