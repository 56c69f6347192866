"""The OpenTelemetry SDK for JavaScript exports to a running app."""

import json
import os
import shutil
import subprocess
import time

import pytest
from browser_app import App
from programs_there import ROOT, program

SCRIPT = ROOT / "tests" / "programs" / "node" / "send.mjs"


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The script beside the packages it imports."""
    program("node")
    packages = program("node_modules")
    folder = tmp_path_factory.mktemp("node")
    shutil.copy(SCRIPT, folder)
    (folder / "node_modules").symlink_to(packages)
    return folder / SCRIPT.name


@pytest.fixture(scope="module")
def app(tmp_path_factory, script):
    running = App(tmp_path_factory.mktemp("node_app"))
    yield running
    running.stop()


def sent(app, script, encoding, histogram="node.other.duration"):
    environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": app.url}
    done = subprocess.run(
        ["node", str(script), encoding, histogram],
        capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert not done.stderr
    return done.stdout.strip()


def once(found):
    began = time.monotonic()
    while time.monotonic() - began < 60:
        if row := found():
            return row
        time.sleep(0.2)
    return pytest.fail("it never came")


def asked(app, command):
    return json.loads(app.run(command, "--json")[1])


@pytest.mark.parametrize("encoding", ["proto", "json"])
def test_what_it_exports_is_among_the_requests(app, script, encoding):
    trace_id = sent(app, script, encoding)
    row = once(lambda: {r["trace_id"]: r for r in asked(app, "requests")}.get(trace_id))
    assert (row["service"], row["model"], row["output_tokens"]) == ("node-app", "tiny", 3)
    assert row["stages"]["model"] >= 19_000_000
    assert sum(row["stages"].values()) == row["e2e_ns"]


def test_its_histogram_is_among_the_metrics(app, script):
    sent(app, script, "proto", "node.queue.duration")
    row = once(lambda: {m["name"]: m for m in asked(app, "metrics")}.get("node.queue.duration"))
    assert (row["kind"], row["unit"]) == ("histogram", "s")
    assert row["mean"] == pytest.approx(1.85)
