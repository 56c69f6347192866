"""Servers that keep traces, filled through their own ingest, give back the same requests."""

import gzip
import os
import time

import pytest
import requests
from browser_app import free_port
from command_line import run
from conftest import ROOT
from programs_there import Running, program

SAMPLE = ROOT / "data" / "samples" / "sample.json.gz"
SAMPLE_NS = 1_773_302_400 * 10**9
FORMATS = ROOT / "data" / "samples" / "formats"
WINDOW = ("--since", 1_789_999_000 * 10**9, "--until", 1_790_001_000 * 10**9)


@pytest.fixture(scope="module")
def zipkin(tmp_path_factory):
    java, port = program("java"), free_port()
    command = [java, "-Xmx256m", "-jar", program("zipkin.jar"), f"--server.port={port}"]
    url, log = f"http://127.0.0.1:{port}", tmp_path_factory.mktemp("zipkin") / "log"
    running = Running(command, f"{url}/health", log, **os.environ)
    running.url = url
    yield running
    running.stop()


@pytest.fixture(scope="module")
def jaeger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jaeger")
    running = Running([program("jaeger")], "http://127.0.0.1:16686/api/services", folder / "log")
    running.url = "http://127.0.0.1:16686"
    yield running
    running.stop()


def asked(database):
    """What every request took, by trace."""
    rows = run(database, "requests", "--json").json
    return {row["trace_id"]: (row["e2e_ns"], row["stages"]) for row in rows}


def imported(path, database):
    assert run(database, "import", path).code == 0
    return asked(database)


def kept(server, path, count):
    """Wait until the server lists so many traces."""
    server.wait(lambda: len(requests.get(f"{server.url}{path}", timeout=5).json()) >= count)


def test_zipkin_gives_back_the_requests_that_it_was_sent(zipkin, tmp_path):
    export = FORMATS / "zipkin_v2.json"
    headers = {"Content-Type": "application/json"}
    spans = f"{zipkin.url}/api/v2/spans"
    requests.post(spans, export.read_bytes(), headers=headers, timeout=20).raise_for_status()
    kept(zipkin, "/api/v2/traces?endTs=1790001000000&lookback=2000000", 2)
    database = tmp_path / "pulled.duckdb"
    assert run(database, "collect", zipkin.url, *WINDOW).code == 0
    assert asked(database) == imported(export, tmp_path / "direct.duckdb")
    again = run(database, "collect", zipkin.url, *WINDOW, "--json").json
    assert again["files"][0]["new_spans"] == 0


@pytest.fixture(scope="module")
def sent(jaeger):
    """How many requests of the sample Jaeger holds."""
    headers = {"Content-Type": "application/json"}
    with gzip.open(SAMPLE) as lines:
        for line in lines:
            done = requests.post(
                "http://127.0.0.1:4318/v1/traces", line, headers=headers, timeout=20
            )
            done.raise_for_status()
    time.sleep(3)  # its batches
    return jaeger


@pytest.fixture(scope="module")
def direct(tmp_path_factory):
    return imported(SAMPLE, tmp_path_factory.mktemp("direct") / "direct.duckdb")


def pulled(url, database):
    window = ("--since", SAMPLE_NS, "--until", SAMPLE_NS + 2 * 3600 * 10**9)
    assert run(database, "collect", url, *window).code == 0
    return asked(database)


def test_jaeger_gives_back_the_sample_by_version_3_of_its_api(sent, direct, tmp_path):
    assert len(direct) == 480
    assert pulled(f"{sent.url}/api/v3", tmp_path / "pulled.duckdb") == direct


def test_jaeger_gives_back_the_sample_by_version_1_to_the_microsecond(sent, direct, tmp_path):
    found = pulled(sent.url, tmp_path / "pulled.duckdb")
    assert found.keys() == direct.keys()
    for trace, (e2e_ns, stages) in direct.items():
        assert abs(found[trace][0] - e2e_ns) < 2000, "start and length are cut to microseconds"
        assert found[trace][1] == pytest.approx(stages, abs=50_000)
