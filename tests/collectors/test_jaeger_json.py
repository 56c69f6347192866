import pytest
from exports import parsed, read_all, rows

TRACE = "5b8efff798038103d269b633813fc60c"


def reference(span_id, kind="CHILD_OF", trace=TRACE):
    return {"refType": kind, "traceID": trace, "spanID": span_id}


def jaeger_span(**fields):
    made = {
        "traceID": TRACE,
        "spanID": "a1",
        "operationName": "chat",
        "startTime": 1_700_000_000_000_001,
        "duration": 7,
        "processID": "p1",
    }
    return {**made, **fields}


def trace(*spans, **fields):
    tags = [{"key": "hostname", "type": "string", "value": "web-1"}]
    processes = {"p1": {"serviceName": "web", "tags": tags}}
    return {"traceID": TRACE, "spans": list(spans), "processes": processes, **fields}


def one(**fields):
    return rows({"data": [trace(jaeger_span(**fields))]})[0]


def tag(key, value, kind="string"):
    return {"key": key, "type": kind, "value": value}


def test_microseconds_become_nanoseconds_exactly():
    row = one()
    assert row["start_ns"] == 1_700_000_000_000_001_000
    assert row["end_ns"] == 1_700_000_000_000_008_000
    assert (row["service"], row["host"]) == ("web", "web-1")


def test_an_answer_a_bare_trace_and_the_inner_model_read_alike():
    plain = rows({"data": [trace(jaeger_span())]})
    assert rows(trace(jaeger_span())) == plain
    inner = jaeger_span(process=trace()["processes"]["p1"], depth=0)
    assert rows({"data": {"traceID": TRACE, "spans": [inner], "services": []}}) == plain


def test_tags_take_their_declared_types():
    tags = [tag("a", "12", "int64"), tag("b", 13, "int64"), tag("c", "true", "bool")]
    tags += [tag("d", False, "bool"), tag("e", "1.5", "float64"), tag("f", 2, "float64")]
    tags += [tag("g", "text"), tag("h", "many", "int64"), tag("i", 9223372036854775807, "int64")]
    found = parsed(one(tags=tags))
    expected = {"a": 12, "b": 13, "c": True, "d": False, "e": 1.5, "f": 2.0, "g": "text"}
    assert found == {**expected, "h": "many", "i": 9223372036854775807}
    assert type(found["f"]) is float


def test_several_values_of_one_tag_are_all_kept():
    assert parsed(one(tags=[tag("k", "a"), tag("k", "b"), tag("k", "b")]))["k"] == ["a", "b", "b"]


@pytest.mark.parametrize(
    ("tags", "status"),
    [
        ([tag("otel.status_code", "OK")], "ok"),
        ([tag("otel.status_code", "ERROR")], "error"),
        ([tag("error", True, "bool")], "error"),
        ([tag("error", "false")], "unset"),
        ([], "unset"),
    ],
)
def test_the_status_comes_from_the_tags(tags, status):
    assert one(tags=tags)["status"] == status


def test_kind_scope_and_warnings_come_from_tags_and_beside_them():
    tags = [tag("span.kind", "client"), tag("otel.library.name", "lib")]
    row = one(tags=tags, warnings=["clock skew"])
    assert (row["kind"], row["scope"]) == ("client", "lib")
    assert parsed(row)["jaeger.warnings"] == ["clock skew"]
    assert one(tags=[tag("otel.scope.name", "s")])["scope"] == "s"
    assert one(tags=[tag("span.kind", "odd")])["kind"] == "unspecified"


@pytest.mark.parametrize(
    ("fields", "parent", "links"),
    [
        ({"references": [reference("b2")]}, "b2", []),
        ({"references": [reference("b2", "FOLLOWS_FROM")]}, "b2", ["follows_from"]),
        ({"references": [reference("b2", trace="77")]}, None, ["link"]),
        ({"references": [reference("b2"), reference("c3")]}, "b2", ["child_of"]),
        (
            {"references": [reference("c3", "FOLLOWS_FROM"), reference("b2")]},
            "b2",
            ["follows_from"],
        ),
        ({"parentSpanID": "d4"}, "d4", []),
        ({"parentSpanID": "0"}, None, []),
        ({"references": []}, None, []),
    ],
)
def test_references_become_parent_and_links(fields, parent, links):
    row = one(**fields)
    assert row["parent_id"] == (parent and parent.rjust(16, "0"))
    assert [link["type"] for link in parsed(row, "links")] == links


def test_logs_become_events():
    log = {
        "timestamp": 1_700_000_000_000_003,
        "fields": [tag("event", "first"), tag("n", 1, "int64")],
    }
    bare = {"timestamp": 5, "fields": [tag("level", "info")]}
    events = parsed(one(logs=[log, bare]), "events")
    assert events[0]["name"] == "first"
    assert events[0]["time_ns"] == 1_700_000_000_000_003_000
    assert events[0]["attributes"] == {"n": 1}
    assert events[1]["name"] == "log"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"startTime": "x"}, "startTime is not an integer"),
        ({"duration": {}}, "duration is not an integer"),
        ({"spanID": None}, "spanID is missing"),
        ({"tags": 5}, "tags is not a list"),
        ({"references": ["b2"]}, "references is not an object"),
        ({"process": {"serviceName": 1}}, "serviceName is not text"),
    ],
)
def test_a_broken_span_is_counted_and_its_neighbours_stay(fields, reason):
    export = {"data": [trace(jaeger_span(**fields), jaeger_span(spanID="b2"))]}
    read, report = read_all(export)
    assert [row["span_id"][-2:] for row in read] == ["b2"]
    assert [(entry.reason, entry.count) for entry in report.rejected] == [(reason, 1)]
    assert report.rejected[0].example.startswith("data[0].spans[0]")


def test_a_broken_process_costs_only_its_own_spans():
    export = trace(jaeger_span(), jaeger_span(spanID="b2", processID="p2"))
    export["processes"]["p2"] = {"serviceName": "x", "tags": "none"}
    read, report = read_all(export)
    assert len(read) == 1
    assert report.rejected[0].reason == "tags is not a list"


def test_absent_times_are_null_and_hand_made_ones_near_zero_stay():
    assert one(startTime=None)["start_ns"] is None
    assert one(duration=None)["end_ns"] is None
    row = one(startTime=0, duration=700)
    assert (row["start_ns"], row["end_ns"], row["flags"]) == (0, 700_000, [])


def test_ids_that_are_not_hex_are_kept():
    row = one(traceID="trace-123", spanID="span-1")
    assert (row["trace_id"], row["span_id"]) == ("trace-123", "span-1")
