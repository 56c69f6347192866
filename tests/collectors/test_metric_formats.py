import json

import pytest
from exports import read_all, rows

HISTOGRAM = """# HELP t_seconds Time.
# TYPE t_seconds histogram
t_seconds_sum{m="a"} 3
t_seconds_bucket{m="a",le="0.5"} 1
t_seconds_bucket{m="a",le="+Inf"} 2
t_seconds_count{m="a"} 2
t_seconds_bucket{m="b",le="0.5"} 4
t_seconds_count{m="b"} 5
"""


def named(read):
    return {row["name"]: row for row in read}


def test_a_histogram_becomes_one_point_per_label_set():
    first, second = rows(HISTOGRAM)
    assert (first["name"], first["kind"], first["unit"]) == ("t_seconds", "histogram", "s")
    assert json.loads(first["labels"]) == {"m": "a"}
    assert (first["count"], first["sum"]) == (2, 3)
    assert json.loads(first["buckets"]) == [[0.5, 1.0], ["+Inf", 2.0]]
    assert first["flags"] == []
    assert second["sum"] is None


def test_a_missing_last_bucket_is_filled_from_the_count_and_flagged():
    second = rows(HISTOGRAM)[1]
    assert json.loads(second["buckets"]) == [[0.5, 4.0], ["+Inf", 5.0]]
    assert second["flags"] == ["inf_bucket_missing"]


def test_without_declarations_names_and_labels_say_what_a_family_is():
    bare = "".join(line + "\n" for line in HISTOGRAM.splitlines() if line[0] != "#")
    assert [row["kind"] for row in rows(bare)] == ["histogram", "histogram"]
    found = named(rows("requests_total 5\ndepth 2\nused_bytes 7 1700000000001\n"))
    kinds = [found[name]["kind"] for name in ("requests_total", "depth", "used_bytes")]
    assert kinds == ["counter", "unknown", "unknown"]
    assert found["used_bytes"]["time_ns"] == 1700000000001 * 10**6
    assert found["used_bytes"]["unit"] == "bytes"
    assert found["depth"]["time_ns"] is None


def test_counters_keep_the_name_that_was_exposed():
    text = "# TYPE a counter\na 1\n# TYPE b_total counter\nb_total 2\n"
    assert {name: row["kind"] for name, row in named(rows(text)).items()} == {
        "a": "counter",
        "b_total": "counter",
    }


def test_summaries_keep_their_quantiles():
    text = '# TYPE s summary\ns{quantile="0.5"} 2\ns{quantile="0.9"} 4\ns_sum 9\ns_count 3\n'
    row = rows(text)[0]
    assert (row["kind"], row["count"], row["sum"]) == ("summary", 3, 9)
    assert json.loads(row["buckets"]) == [[0.5, 2.0], [0.9, 4.0]]


def test_open_metrics_are_read_with_exemplars_and_times_in_seconds():
    time = "1700000000.123456789"
    text = f'# TYPE c counter\nc_total 5 {time} # {{id="x"}} 1\nc_created 1 {time}\n# EOF\n'
    found = named(rows(text))
    assert found["c_total"]["time_ns"] == 1700000000123456789
    assert found["c_created"]["kind"] == "gauge"


def test_open_metrics_that_the_reference_parser_refuses_are_read_to_the_millisecond():
    text = '# TYPE h histogram\nh_bucket{le="+Inf"} 1 # {id="x"} 1\nh_sum -1\nh_count 1\n# EOF\n'
    assert rows(text)[0]["sum"] == -1
    loose = "# TYPE c counter\nc_total 5 1700000000.123\nc_created 1\n# EOF\n"
    assert named(rows(loose))["c_total"]["time_ns"] == 1700000000123 * 10**6


def test_broken_lines_and_values_that_are_no_numbers_are_counted():
    read, report = read_all('# TYPE a gauge\na 1\na{ 2\nc word\nd NaN\nb{x="1"} 3\n')
    assert len(read) == 2
    counts = {entry.reason: entry.count for entry in report.rejected}
    assert counts == {"a line is not a sample": 2, "a value is not a finite number": 1}
    assert report.rejected[0].example == "line 3"


def test_a_bucket_without_a_bound_is_counted():
    text = '# TYPE h histogram\nh_bucket{le="many"} 1\nh_bucket 2\ng 1\n'
    read, report = read_all(text)
    assert [row["name"] for row in read] == ["g"]
    assert [(entry.reason, entry.count) for entry in report.rejected] == [
        ("a bucket has no bound", 2)
    ]


def answer(kind, *result):
    return {"status": "success", "data": {"resultType": kind, "result": list(result)}}


def test_vectors_and_matrices_become_points():
    metric = {"__name__": "x_total", "job": "j"}
    vector = rows(answer("vector", {"metric": metric, "value": [1700000000.781, "5"]}))
    assert (vector[0]["time_ns"], vector[0]["value"]) == (1700000000781 * 10**6, 5)
    assert (vector[0]["kind"], json.loads(vector[0]["labels"])) == ("counter", {"job": "j"})
    matrix = rows(answer("matrix", {"metric": metric, "values": [[1, "5"], [2, "6"]]}))
    assert [row["time_ns"] for row in matrix] == [10**9, 2 * 10**9]


def test_histogram_series_of_an_answer_are_joined_per_time():
    def series(name, value, **labels):
        return {"metric": {"__name__": f"t_{name}", **labels}, "values": [[1, value], [2, value]]}

    result = [series("bucket", "1", le="0.5"), series("bucket", "2", le="+Inf")]
    read = rows(answer("matrix", *result, series("sum", "3"), series("count", "2")))
    assert len(read) == 2
    assert (read[0]["kind"], read[0]["count"], read[0]["sum"]) == ("histogram", 2, 3)


def test_what_an_answer_holds_and_cannot_be_used_is_counted():
    values = [[1, "NaN"], [2], ["x", "1"], [3, "4"]]
    native = {"metric": {"__name__": "h"}, "histograms": [[1, {}], [2, {}]]}
    read, report = read_all(
        answer("matrix", {"metric": {"__name__": "g"}, "values": values}, native, 5)
    )
    assert len(read) == 1
    assert report.rejected_count == 6
    scalar = read_all(answer("scalar", 1))[1]
    assert "neither a vector nor a matrix" in scalar.rejected[0].reason


def metric(**shape):
    entry = {"scopeMetrics": [{"metrics": [{"name": "m", "unit": "s", **shape}]}]}
    attributes = [{"key": "service.name", "value": {"stringValue": "engine"}}]
    return {"resourceMetrics": [{"resource": {"attributes": attributes}, **entry}]}


def points(*entries, **extra):
    return {"dataPoints": [{"timeUnixNano": "5", **entry} for entry in entries], **extra}


def test_sums_and_gauges_are_read_with_their_labels():
    labels = [{"key": "k", "value": {"stringValue": "v"}}]
    read = rows(metric(sum=points({"asInt": "42", "attributes": labels}, isMonotonic=True)))
    assert (read[0]["kind"], read[0]["value"], read[0]["unit"]) == ("counter", 42, "s")
    assert json.loads(read[0]["labels"]) == {"k": "v", "service.name": "engine"}
    assert rows(metric(sum=points({"asDouble": 1.5})))[0]["kind"] == "gauge"
    delta = points({"asInt": 1}, isMonotonic=True, aggregationTemporality=1)
    assert rows(metric(sum=delta))[0]["flags"] == ["delta"]


def test_explicit_and_exponential_histograms_become_cumulative_buckets():
    explicit = {"count": "4", "sum": 2, "bucketCounts": ["1", "3"], "explicitBounds": [0.5]}
    row = rows(metric(histogram=points(explicit)))[0]
    assert json.loads(row["buckets"]) == [[0.5, 1.0], ["+Inf", 4.0]]
    positive = {"offset": 0, "bucketCounts": ["2", "1"]}
    exponential = {"count": 4, "sum": 9, "scale": 0, "zeroCount": 1, "positive": positive}
    row = rows(metric(exponentialHistogram=points(exponential)))[0]
    assert json.loads(row["buckets"]) == [[1.0, 1.0], [2.0, 3.0], [4.0, 4.0], ["+Inf", 4.0]]
    assert row["kind"] == "histogram"


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ({"gauge": points({"asInt": "x"})}, "asInt is not a number"),
        ({"gauge": points({})}, "a point has no value"),
        ({"gauge": points({"flags": 1})}, "a point has no recorded value"),
        ({"gauge": points({"asDouble": "NaN"})}, "asDouble is not a finite number"),
        ({"histogram": points({"bucketCounts": [1], "explicitBounds": [1]})}, "bucketCounts"),
        ({"histogram": 5}, "histogram is not an object"),
        ({"surprise": {}}, "a metric is of an unknown kind"),
    ],
)
def test_a_broken_point_is_counted_with_its_path(shape, reason):
    read, report = read_all(metric(**shape))
    assert read == []
    assert report.rejected[0].reason.startswith(reason)
    assert report.rejected[0].example.startswith("resourceMetrics[0].scopeMetrics[0].metrics[0]")
