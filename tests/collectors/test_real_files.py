"""Files that real tools wrote: read whole or refused by name, nothing lost without a count."""

import gzip
import json
import re

import pytest
from conftest import SHARED, shared_files
from exports import read_all

from analysis.errors import UserError

READ = ("otlp", "jaeger", "zipkin", "tempo", "prometheus", "prometheus_api")
FILES = [path for path in shared_files("real/*/*") if path.is_file()]
TRACES = [
    path
    for path in FILES
    if path.parent.name in READ[:4] and path.name != "v1_trainticket_preserve.json"
]
REFUSED = [path for path in FILES if path not in TRACES and path.parent.name not in READ[4:]]


def ident(path):
    return str(path.relative_to(SHARED / "real"))


def spans_in(path):
    """The spans of a file, counted by another way than the reader's."""
    key = {"otlp": "spanId", "tempo": "spanId", "jaeger": "operationName"}.get(path.parent.name)
    text = path.read_text(encoding="utf-8")
    documents = (
        [json.loads(line) for line in text.splitlines()]
        if "jsonl" in path.name
        else [json.loads(text)]
    )
    return sum(
        count(document, key or "id", "name" if key == "spanId" else "") for document in documents
    )


def count(value, key, also):
    if isinstance(value, list):
        return sum(count(item, key, also) for item in value)
    if not isinstance(value, dict):
        return 0
    here = key in value and (not also or also in value)
    return here + sum(
        count(held, key, also) for name, held in value.items() if name != "references"
    )


@pytest.mark.parametrize("path", TRACES, ids=ident)
def test_every_span_of_a_real_trace_file_comes_out_or_is_counted(path):
    rows, report = read_all(path)
    assert len(rows) + report.rejected_count == spans_in(path)
    assert report.rejected == []
    assert all(re.fullmatch(r"[0-9a-f]{32}|.*[^0-9a-f].*", row["trace_id"]) for row in rows)
    assert all(re.fullmatch(r"[0-9a-f]{16}|.*[^0-9a-f].*", row["span_id"]) for row in rows)


@pytest.mark.parametrize("path", REFUSED, ids=ident)
def test_every_other_real_file_is_refused_in_words(path):
    with pytest.raises(UserError) as error:
        read_all(path)
    assert "no known format" not in str(error.value)
    assert "neither JSON nor" not in str(error.value)


@pytest.mark.parametrize("path", [p for p in FILES if p.parent.name == "prometheus"], ids=ident)
def test_every_sample_of_a_metrics_page_belongs_to_a_point(path):
    rows, report = read_all(path)
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    held = sum(parts(row) for row in rows)
    assert held == len(lines)
    assert report.rejected == []


def parts(row):
    buckets = len(json.loads(row["buckets"])) - ("inf_bucket_missing" in row["flags"])
    single = row["value"] is not None
    return single + buckets + (row["sum"] is not None) + (row["count"] is not None)


def test_a_packed_copy_reads_as_the_plain_file(shared):
    path = shared / "real" / "tempo" / "istio_bookinfo_batches.json"
    plain = read_all(path)[0]
    assert read_all(gzip.compress(path.read_bytes()))[0] == plain
    assert read_all(gzip.compress(gzip.compress(path.read_bytes())))[0] == plain
    assert len(plain) == 8


def test_an_api_answer_gives_a_point_per_value(shared):
    rows, _report = read_all(shared / "real" / "prometheus_api" / "thanos_matrix_dedup.json")
    assert len(rows) == 301
    assert rows[0]["time_ns"] == 1598471700 * 10**9
    assert rows[0]["value"] == 1596610196
