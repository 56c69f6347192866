import codecs
import gzip
import json
import random

import pytest
from exports import attribute, otlp, read_all, rows, span

from analysis.errors import UserError

GOOD = json.dumps(otlp(span()))
OTHER = json.dumps(otlp(span(spanId="00000000000000b2")))
NOISE = random.Random(1).randbytes(400)
DEEP = '{"arrayValue":{"values":[' * 60 + '{"stringValue":"x"}' + "]}}" * 60


def refusal(content):
    with pytest.raises(UserError) as error:
        read_all(content)
    assert error.value.where.startswith("file.json")
    return str(error.value)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "an empty file"),
        (b" \n\t ", "an empty file"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "an HTML page"),
        (b"<?xml version='1.0'?><a/>", "XML"),
        (b"\x89PNG\r\n\x1a\n" + NOISE, "a PNG image"),
        (b"\xff\xd8\xff\xe0" + NOISE, "a JPEG image"),
        (b"%PDF-1.7 text", "a PDF"),
        (b"PK\x03\x04" + NOISE, "a zip archive"),
        (NOISE, "binary data"),
        (b"a,b,c\n1,2,3\n", "a CSV table"),
        (b'[2026-01-30T12:10:13.279Z] "GET /details HTTP/1.1" 200', "an access log"),
        (b"some notes\non two lines", "text that is neither JSON nor a metrics page"),
        (b"42", "neither an object nor a list"),
        (b"[]", "an empty list"),
        (b"{}", "an empty object"),
        (b'{"spam": 1, "eggs": []}', "an object with spam, eggs"),
        (b'[[["a"]]]', "a list whose first item is a list"),
        (b'{"resourceSpans": []}', "without any (otlp_json)"),
        (b'{"data": [], "errors": null}', "without any (jaeger_json)"),
        (b'{"status": "error", "errorType": "bad_data"}', "Prometheus error answer"),
        (gzip.compress(NOISE), "binary data"),
        (gzip.compress(GOOD.encode())[:-12], "cut off"),
        (b"\x1f\x8b" + NOISE, "damaged"),
        (codecs.BOM_UTF16_LE + b"a", "bytes that are not"),
    ],
)
def test_what_is_no_export_is_refused_by_what_it_is(content, found):
    assert found in refusal(content)


def test_truncated_json_names_the_place_and_imports_nothing():
    assert "line 1, column 241" in refusal(GOOD[:240])
    pretty = json.dumps(json.loads(GOOD), indent=1)
    message = refusal(pretty[: pretty.index("endTime")])
    assert "cut off" in message
    assert f"line {pretty[: pretty.index('endTime')].count(chr(10)) + 1}," in message


def test_malformed_json_names_the_place_and_shows_no_content():
    message = refusal(GOOD.replace('"name": "chat"', '"name" "secret"'))
    assert "malformed" in message
    assert "line 1, column" in message
    assert "secret" not in message


@pytest.mark.parametrize("content", ["[" * 300 + "]" * 300, "[" * 200_000, '{"a":' * 5000])
def test_deep_nesting_is_refused_and_never_overflows_the_stack(content):
    assert "nested at most" in refusal(content)


def test_an_attribute_nested_too_deeply_costs_only_its_span():
    deep = json.loads(f'{{"key": "a", "value": {DEEP}}}')
    read, report = read_all(otlp(span(attributes=[deep]), span(spanId="b2")))
    assert [row["span_id"][-2:] for row in read] == ["b2"]
    assert report.rejected[0].reason == "an attribute is nested deeper than 48 levels"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("9" * 19 + "9", "a time is out of range"),
        ('"' + "9" * 5000 + '"', "startTimeUnixNano is not an integer"),
        ("NaN", "startTimeUnixNano is not an integer"),
        ("1e400", "startTimeUnixNano is not an integer"),
        ("true", "startTimeUnixNano is not an integer"),
        ('"-5"', "startTimeUnixNano is negative"),
    ],
)
def test_a_time_that_is_no_time_costs_only_its_span(value, reason):
    broken = json.dumps(otlp(span(startTimeUnixNano="HERE"), span(spanId="b2")))
    read, report = read_all(broken.replace('"HERE"', value))
    assert [row["span_id"][-2:] for row in read] == ["b2"]
    assert [(entry.reason, entry.count) for entry in report.rejected] == [(reason, 1)]
    assert "resourceSpans[0].scopeSpans[0].spans[0]" in report.rejected[0].example


def test_a_number_too_long_for_any_machine_is_refused():
    assert "a number is too long" in refusal(GOOD.replace('"1700000000000000000"', "9" * 5000))


def test_the_last_of_duplicate_keys_counts():
    assert rows(GOOD.replace('"name": "chat"', '"name": "x", "name": "chat"'))[0]["name"] == "chat"


def test_half_a_surrogate_pair_and_bytes_that_are_not_utf_8_are_replaced():
    assert rows(GOOD.replace("chat", "ch\\ud800at"))[0]["name"] == "ch?at"
    assert rows(GOOD.encode().replace(b"chat", b"ch\xffat"))[0]["name"] == "ch\ufffdat"


def test_numbers_that_json_has_not_become_their_names():
    extra = [attribute("low", doubleValue="-Infinity"), attribute("odd", doubleValue="NaN")]
    read = rows(json.dumps(otlp(span(attributes=extra))))
    assert json.loads(read[0]["attributes"]) == {"low": "-Infinity", "odd": "NaN"}


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, b"\xef\xbb\xbf\n"])
def test_a_byte_order_mark_is_no_part_of_the_json(mark):
    assert len(rows(mark + GOOD.encode())) == 1
    assert len(rows(GOOD.encode("utf-16"))) == 1
    assert len(rows(codecs.BOM_UTF16_BE + GOOD.encode("utf-16-be"))) == 1


def test_gzip_inside_gzip_is_unpacked_but_no_deeper():
    once = gzip.compress(GOOD.encode())
    assert len(rows(gzip.compress(once))) == 1
    assert "gzip inside gzip inside gzip" in refusal(gzip.compress(gzip.compress(once)))


def test_a_decompression_bomb_is_stopped():
    assert "unpacks to more than 64 MB" in refusal(gzip.compress(b"[" + b" " * 80_000_000, 9))


@pytest.mark.parametrize(
    ("text", "spans", "example"),
    [
        (f'{GOOD}\n{{"resourceSpans": [{{"reso\n{OTHER}\n', 2, "line 2, column 26"),
        (f'{{"resourceSpans": [{{"reso\n{OTHER}\n', 1, "line 1, column 26"),
        (f"{GOOD}\n{OTHER[:50]}", 1, "line 2, column 51"),
        (f"{GOOD}\nhello there\n{OTHER}", 2, "line 2, column 1"),
        (f'{GOOD}\n{{"resourceLogs": []}}\n{OTHER}', 2, "line 2: OTLP logs"),
    ],
)
def test_a_broken_line_among_json_lines_costs_only_itself(text, spans, example):
    read, report = read_all(text)
    assert len(read) == spans
    assert report.rejected_count == 1
    assert report.rejected[0].example.startswith(example)


def test_documents_may_follow_each_other_in_any_way():
    pretty = json.dumps(json.loads(OTHER), indent=2)
    for between in ("", " ", "\n", "\r\n\r\n", ",\n", "\n\x1e"):
        assert len(rows(GOOD + between + pretty)) == 2
        assert len(rows(pretty + between + GOOD)) == 2
        assert len(rows(pretty + between + pretty.replace("b2", "c3"))) == 2
