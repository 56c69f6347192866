import pytest
from exports import parsed, read_all, rows

from analysis.errors import UserError


def zipkin_span(**fields):
    made = {"traceId": "ab", "id": "a1", "timestamp": 1_700_000_000_000_001, "duration": 7}
    return {**made, "localEndpoint": {"serviceName": "web", "ipv4": "10.0.0.1"}, **fields}


def one(**fields):
    return rows([zipkin_span(**fields)])[0]


def test_microseconds_become_nanoseconds_and_short_ids_are_padded():
    row = one(parentId="0")
    assert (row["start_ns"], row["end_ns"]) == (
        1_700_000_000_000_001_000,
        1_700_000_000_000_008_000,
    )
    assert (row["trace_id"], row["span_id"]) == ("ab".rjust(32, "0"), "a1".rjust(16, "0"))
    assert row["parent_id"] is None


@pytest.mark.parametrize("fields", [{"duration": 0}, {"duration": None}, {"timestamp": None}])
def test_a_missing_length_is_null_not_zero(fields):
    row = one(**fields)
    assert row["end_ns"] is None
    assert (row["start_ns"] is None) == ("timestamp" in fields)


def test_tags_stay_strings_and_odd_values_are_spelt_out():
    assert parsed(one(tags={"n": "5", "m": 5, "t": True, "e": None})) == {
        "n": "5", "m": "5", "t": "true", "e": "",
    }  # fmt: skip


def test_lists_of_traces_and_single_spans_read_alike():
    plain = rows([zipkin_span()])
    assert rows([[zipkin_span()]]) == plain
    assert rows(zipkin_span()) == plain


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        ({"ipv4": "10.0.0.9"}, "10.0.0.9"),
        ({"ipv6": "2001:db8::1"}, "2001:db8::1"),
        ({"ipv4": "127.0.0.1"}, None),
        ({"ipv4": "169.254.65.45"}, None),
        ({"ipv4": "0.0.0.0"}, None),
        ({"serviceName": "web"}, None),
    ],
)
def test_the_host_is_an_address_that_names_a_machine(endpoint, host):
    assert one(localEndpoint=endpoint)["host"] == host


def test_kinds_shared_halves_errors_and_remote_ends_are_kept():
    remote = {"serviceName": "db", "ipv4": "10.0.0.2", "port": 5432}
    row = one(kind="CLIENT", shared=True, tags={"error": "timeout"}, remoteEndpoint=remote)
    assert (row["kind"], row["shared"], row["status"]) == ("client", True, "error")
    found = parsed(row)
    assert (found["peer.service"], found["net.peer.port"]) == ("db", 5432)
    assert one()["kind"] == "unspecified"
    assert one(tags={"error": "false"})["status"] == "unset"


def test_annotations_become_events():
    events = parsed(one(annotations=[{"timestamp": 5, "value": "Server Start"}]), "events")
    assert events == [{"attributes": {}, "name": "Server Start", "time_ns": 5000}]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"timestamp": "soon"}, "timestamp is not an integer"),
        ({"id": None}, "id is missing"),
        ({"kind": "ODD"}, "kind is not one of its values"),
        ({"tags": []}, "tags is not an object"),
        ({"tags": {"a": {}}}, "tags holds a value that is not text"),
        ({"shared": "yes"}, "shared is not true or false"),
        ({"localEndpoint": "web"}, "localEndpoint is not an object"),
    ],
)
def test_a_broken_span_is_counted_and_its_neighbours_stay(fields, reason):
    read, report = read_all([zipkin_span(id="b2"), zipkin_span(**fields)])
    assert [row["span_id"][-2:] for row in read] == ["b2"]
    assert [(entry.reason, entry.count) for entry in report.rejected] == [(reason, 1)]
    assert report.rejected[0].example.startswith("[1]")


def test_version_1_is_refused_by_its_name():
    endpoint = {"endpoint": {"serviceName": "web"}, "value": "sr", "timestamp": 5}
    for extra in ({"binaryAnnotations": []}, {"annotations": [endpoint]}):
        with pytest.raises(UserError, match="Zipkin JSON, version 1"):
            rows([zipkin_span(**extra)])
