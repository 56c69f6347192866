"""What Jaeger says of an end that it wrote over is taken at its word, in both of its shapes."""

import pytest
from exports import attribute, otlp, rows, span

from collectors.sanitized import original_end

SAID = (
    "Negative duration detected, sanitizing end timestamp. Original end timestamp: {} +0000 UTC, "
    "adjusted to: 2026-03-12 08:09:15.072900001 +0000 UTC"
)
START_NS = 1_773_302_955_072_900_000


@pytest.mark.parametrize(
    ("told", "end_ns"),
    [
        ("1970-01-01 00:00:00", None),
        ("2026-03-12 08:09:14", 1_773_302_954_000_000_000),
        ("2026-03-12 08:09:14.5", 1_773_302_954_500_000_000),
        ("2026-03-12 08:09:15.072899999", START_NS - 1),
    ],
)
def test_the_end_is_the_one_that_was_recorded(told, end_ns):
    warnings = ["clock skew adjustment disabled", SAID.format(told)]
    assert original_end(START_NS + 1, {"@jaeger@warnings": warnings}) == end_ns
    assert original_end(START_NS + 1, {"jaeger.warnings": warnings[1]}) == end_ns


@pytest.mark.parametrize("other", [None, "", 7, ["clock skew adjustment disabled"], {}])
def test_other_warnings_leave_the_end(other):
    assert original_end(5, {"@jaeger@warnings": other}) == 5


def test_a_span_that_has_not_ended_comes_back_as_one_from_either_shape():
    warning = SAID.format("1970-01-01 00:00:00")
    told = {"arrayValue": {"values": [{"stringValue": warning}]}}
    sent = span(endTimeUnixNano="1700000000000000001",
                attributes=[attribute("@jaeger@warnings", **told)])  # fmt: skip
    assert rows(otlp(sent))[0]["end_ns"] is None
    kept = {"traceID": "1" * 32, "spanID": "a1", "operationName": "chat", "processID": "p1",
            "startTime": 1_700_000_000_000_000, "duration": 0, "warnings": [warning]}  # fmt: skip
    trace = {"traceID": "1" * 32, "spans": [kept], "processes": {"p1": {"serviceName": "web"}}}
    assert rows({"data": [trace]})[0]["end_ns"] is None
