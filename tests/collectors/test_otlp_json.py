import pytest
from exports import attribute, otlp, parsed, read_all, rows, span

from collectors import ReadReport
from collectors.formats import otlp_json

SPAN = "resourceSpans[0].scopeSpans[0].spans[0]"


def one(**fields):
    return rows(otlp(span(**fields)))[0]


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("traceId", None, "traceId is missing"),
        ("traceId", "0" * 32, "traceId is missing"),
        ("spanId", "", "spanId is missing"),
        ("spanId", ["a"], "spanId is not an id"),
        ("name", 5, "name is not text"),
        ("kind", 17, "kind is not one of its values"),
        ("kind", "SPAN_KIND_ODD", "kind is not one of its values"),
        ("status", "OK", "status is not an object"),
        ("status", {"code": 9}, "status is not one of its values"),
        ("startTimeUnixNano", "abc", "startTimeUnixNano is not an integer"),
        ("endTimeUnixNano", 1.5, "endTimeUnixNano is not an integer"),
        ("attributes", {"a": 1}, "attributes is not a list"),
        ("attributes", [{"value": {}}], "attributes holds an entry without a key"),
        ("events", [5], "events is not an object"),
        ("links", "x", "links is not a list"),
    ],
)
def test_a_field_of_the_wrong_type_rejects_its_span_and_no_neighbour(field, value, reason):
    export = otlp(span(**{field: value}), span(spanId="00000000000000b2"))
    read, report = read_all(export)
    assert [row["span_id"] for row in read] == ["00000000000000b2"]
    assert [(entry.reason, entry.count) for entry in report.rejected] == [(reason, 1)]
    assert report.rejected[0].example.startswith(f"{SPAN}: {field}") or field == "status"


def test_equal_reasons_are_counted_together_with_the_first_place():
    export = otlp(span(), *(span(startTimeUnixNano="abc") for _ in range(3)))
    report = read_all(export)[1]
    assert report.rejected[0].count == 3
    assert report.rejected[0].example.endswith('spans[1]: startTimeUnixNano: "abc"')


def test_a_broken_resource_counts_the_spans_that_it_costs():
    export = otlp(span(), span(spanId="b2"))
    export["resourceSpans"][0]["resource"] = {"attributes": "none"}
    export["resourceSpans"] += otlp(span(spanId="c3"))["resourceSpans"]
    read, report = read_all(export)
    assert len(read) == 1
    assert report.rejected_count == 2


def test_attribute_values_keep_their_types():
    values = {
        "text": {"stringValue": "a"},
        "flag": {"boolValue": False},
        "list": {"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "b"}]}},
        "map": {"kvlistValue": {"values": [attribute("k", doubleValue=1)]}},
        "bytes": {"bytesValue": "AAE="},
        "empty": {},
        "odd": {"intValue": "many"},
        "big": {"intValue": "-9223372036854775808"},
    }
    row = one(attributes=[{"key": key, "value": value} for key, value in values.items()])
    assert parsed(row) == {
        "text": "a",
        "flag": False,
        "list": [1, "b"],
        "map": {"k": 1.0},
        "bytes": "AAE=",
        "empty": None,
        "odd": "many",
        "big": -(2**63),
    }


def test_the_order_of_attributes_does_not_change_the_record():
    pair = [attribute("b", intValue="1"), attribute("a", intValue="2")]
    assert one(attributes=pair) == one(attributes=pair[::-1])


def test_zero_and_absent_times_are_null_not_zero():
    row = one(startTimeUnixNano="0", endTimeUnixNano=None)
    assert (row["start_ns"], row["end_ns"]) == (None, None)


def test_times_may_be_numbers_and_stay_exact():
    row = one(startTimeUnixNano=1700000000123456789, endTimeUnixNano=1.7e18)
    assert (row["start_ns"], row["end_ns"]) == (1700000000123456789, 1700000000000000000)


def test_ids_in_base64_upper_case_and_short_form_become_padded_hex():
    row = one(traceId="W47/95gDgQPSabYzgT/GDA==", spanId="AAAAAAAAAAI=", parentSpanId="A1")
    assert row["trace_id"] == "5b8efff798038103d269b633813fc60c"
    assert (row["span_id"], row["parent_id"]) == ("0000000000000002", "00000000000000a1")
    assert one(parentSpanId="0000000000000000")["parent_id"] is None


def test_links_carry_the_type_that_their_attribute_names():
    def link(kind):
        named = [attribute("opentracing.ref_type", stringValue=kind)] if kind else []
        return {"traceId": "ab", "spanId": "cd", "attributes": named}

    row = one(links=[link("child_of"), link("follows_from"), link("odd"), link("")])
    assert [found["type"] for found in parsed(row, "links")] == [
        "child_of",
        "follows_from",
        "link",
        "link",
    ]
    assert parsed(row, "links")[0]["trace_id"] == "ab".rjust(32, "0")


@pytest.mark.parametrize("wrapper", ["trace", "result"])
def test_the_wrappers_of_tempo_and_jaeger_are_looked_through(wrapper):
    assert len(rows({wrapper: otlp(span())})) == 1
    assert len(rows([otlp(span()), otlp(span(spanId="b2"))])) == 2


def test_old_scopes_bare_spans_and_original_names_are_read():
    old = otlp(span())
    scoped = old["resourceSpans"][0].pop("scopeSpans")
    renamed = [{"instrumentationLibrary": {"name": "lib"}, "spans": scoped[0]["spans"]}]
    old["resourceSpans"][0]["instrumentationLibrarySpans"] = renamed
    assert rows(old)[0]["scope"] == "lib"
    assert rows(span())[0]["name"] == "chat"
    snake = {"trace_id": "ab", "span_id": "cd", "name": "n", "start_time_unix_nano": "5"}
    export = {"resource_spans": [{"scope_spans": [{"spans": [snake]}]}]}
    assert rows(export)[0]["start_ns"] == 5


@pytest.mark.parametrize(
    ("resource", "host"),
    [
        ({"host_name": "h", "service_instance_id": "i"}, "h"),
        ({"service_instance_id": "i"}, "i"),
        ({"service_name": "web"}, None),
    ],
)
def test_the_host_is_what_names_the_clock(resource, host):
    assert rows(otlp(span(), **resource))[0]["host"] == host


def test_a_document_without_line_breaks_is_named_by_path_alone():
    report = ReadReport()
    assert list(otlp_json.rows(otlp(5), "line 3: ", report)) == []
    assert report.rejected[0].example == f"line 3: {SPAN}: span: 5"


@pytest.mark.parametrize("down", [1000, 10**6], ids=["us", "ms"])
def test_a_file_in_another_unit_is_scaled_as_a_whole_and_flagged(down):
    start = 1_700_000_000_000_000_000
    fields = {"startTimeUnixNano": start // down, "endTimeUnixNano": (start + 10**8) // down}
    event = {"name": "first", "timeUnixNano": (start + 10**7) // down}
    read = rows(otlp(*(span(spanId=f"a{n}", events=[event], **fields) for n in range(1, 4))))
    assert {row["start_ns"] for row in read} == {start}
    assert {row["end_ns"] for row in read} == {start + 10**8}
    assert parsed(read[0], "events")[0]["time_ns"] == start + 10**7
    assert all(row["flags"] == ["unit_inferred"] for row in read)


def test_one_odd_time_does_not_change_the_unit_of_a_file():
    odd = span(spanId="b2", startTimeUnixNano="1700000000000000")
    read = rows(otlp(span(), odd))
    assert [row["flags"] for row in read] == [[], []]
    assert read[1]["start_ns"] == 1700000000000000
