import csv
import io
import json

import pytest
from conftest import ROOT
from exports import read_all, rows

from collectors import FORMATS
from data.samples.two_requests import two_requests
from data.samples.write_formats import exports

SAMPLES = ROOT / "data" / "samples" / "formats"
GOLDEN = ROOT / "tests" / "golden"
FILES = sorted(exports())
TRACES = ["otlp_json", "otlp_json_lines", "otlp_json_tempo", "jaeger_json", "zipkin_v2"]


def as_csv(read):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(read[0]), lineterminator="\n")
    writer.writeheader()
    for row in read:
        writer.writerow({**row, "flags": " ".join(row["flags"])})
    return out.getvalue()


@pytest.mark.parametrize("name", FILES)
def test_the_samples_on_disk_are_what_the_seeded_script_writes(name):
    assert (SAMPLES / name).read_text(encoding="utf-8") == exports()[name]


@pytest.mark.parametrize("name", FILES)
def test_a_sample_reads_as_its_golden_table(name):
    read, report = read_all(SAMPLES / name)
    golden = (GOLDEN / f"{name.split('.')[0]}.csv").read_text(encoding="utf-8")
    assert as_csv(read) == golden
    assert report.rejected == []
    assert report.bytes_read == (SAMPLES / name).stat().st_size


def test_every_format_has_a_sample_and_says_what_gave_it_away():
    for module in FORMATS:
        name = next(name for name in FILES if name.startswith(module.NAME))
        report = read_all(SAMPLES / name)[1]
        assert report.format == module.NAME
        assert report.reason
        assert module.TITLE


@pytest.mark.parametrize("name", TRACES)
def test_every_trace_format_tells_the_same_two_requests(name):
    read = {row["span_id"]: row for row in rows(SAMPLES / f"{name}.json")}
    steps = two_requests()
    assert len(read) == len(steps)
    for step in steps:
        row = read[step.id]
        assert (row["trace_id"], row["parent_id"]) == (step.trace, step.parent or None)
        assert (row["start_ns"], row["end_ns"]) == (step.start_ns, step.end_ns)
        assert (row["name"], row["service"]) == (step.name, step.service)
        assert (row["status"] == "error") is step.failed
        internal = {"internal", "unspecified"} if name == "zipkin_v2" else {"internal"}
        assert row["kind"] in ({step.kind} if step.kind != "internal" else internal)
        events = [(event["name"], event["time_ns"]) for event in json.loads(row["events"])]
        assert events == list(step.events)


@pytest.mark.parametrize("name", TRACES)
def test_the_prompt_and_the_query_values_of_the_samples_stay_out(name):
    read, report = read_all(SAMPLES / f"{name}.json")
    assert report.dropped == {"content": 2, "url_query": 2}
    assert not any("slow here" in row["attributes"] for row in read)
    kept = rows(SAMPLES / f"{name}.json", keep_content=True)
    assert sum("slow here" in row["attributes"] for row in kept) == 2
