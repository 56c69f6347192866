"""How fast the app takes OTLP: spans a second that are acknowledged, and how soon they are stored.

One sender posts protobuf bodies of some hundred spans at a set rate to a real `slowpath serve`; the
baseline is what parsing the same bodies costs in this process.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bench.otlp_load import Load, documents

ROOT = Path(__file__).resolve().parent.parent
HEADERS = {"Content-Type": "application/x-protobuf"}
BODIES = 400
"""Different bodies that are made before the clock runs."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class App:
    """A `slowpath serve` of its own."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        command = [sys.executable, "-c", "from cli import main; main()"]
        options = ["--db", str(folder / "bench.duckdb"), "serve", "--port", str(self.port)]
        log = (folder / "serve.log").open("wb")
        self.process = subprocess.Popen([*command, *options], cwd=ROOT, stdout=log, stderr=log)
        while not self._answers():
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz", timeout=2).ok
        except requests.RequestException:
            return False

    def health(self) -> dict:
        return requests.get(f"{self.url}/healthz", timeout=30).json()

    def memory_mb(self) -> float:
        """Resident memory now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def cpu_s(self) -> float:
        """CPU seconds of all its threads so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


def sent(app: App, rate: float, seconds: float) -> dict:
    """Post at `rate` spans a second (as fast as answers come where that is not reached)."""
    session, times, spans, refused = requests.Session(), [], 0, 0
    bodies = Load(int(rate), documents()).bodies(20)
    made = [next(bodies) for _body in range(BODIES)]
    began, cpu = time.monotonic(), app.cpu_s()
    most_memory, most_lag = 0.0, 0.0
    for turn in range(10**9):
        count, body = made[turn] if turn < len(made) else next(bodies)
        at = time.monotonic()
        status = session.post(f"{app.url}/v1/traces", data=body, headers=HEADERS).status_code
        times.append(time.monotonic() - at)
        spans, refused = spans + count * (status == 200), refused + (status != 200)
        if turn % 50 == 0:
            most_memory = max(most_memory, app.memory_mb())
            most_lag = max(most_lag, app.health()["receiving"]["lag_s"])
        passed = time.monotonic() - began
        if passed > seconds:
            break
        time.sleep(max(0.0, spans / rate - passed))
    times.sort()
    return {
        "spans_per_s": spans / passed, "refused": refused,
        "p50_ms": times[len(times) // 2] * 1e3, "p99_ms": times[int(len(times) * 0.99)] * 1e3,
        "lag_s": most_lag, "memory_mb": most_memory,
        "cpu_us_per_span": (app.cpu_s() - cpu) / max(1, spans) * 1e6,
    }  # fmt: skip


def parsing_us() -> float:
    """The baseline: CPU microseconds a span to parse the same bodies and nothing else."""
    bodies = Load(1, documents()).bodies(20)
    made = [next(bodies) for _body in range(40)]
    at = time.process_time()
    for _count, body in made:
        ExportTraceServiceRequest().ParseFromString(body)
    return (time.process_time() - at) / sum(count for count, _body in made) * 1e6


def run(rates: list[float], seconds: float) -> None:
    """A row for each rate, and how long the store needs to catch up after the last."""
    baseline = parsing_us()
    print(f"parsing alone: {baseline:.2f} us of CPU a span")
    print("asked/s  got/s  refused  p50 ms  p99 ms  lag s  MB  CPU us/span  x baseline")
    with tempfile.TemporaryDirectory() as folder:
        app = App(Path(folder))
        for rate in rates:
            row = sent(app, rate, seconds)
            print(
                f"{rate:7,.0f} {row['spans_per_s']:6,.0f} {row['refused']:8} {row['p50_ms']:7.1f}"
                f" {row['p99_ms']:7.1f} {row['lag_s']:6.1f} {row['memory_mb']:4,.0f}"
                f" {row['cpu_us_per_span']:12.1f} {row['cpu_us_per_span'] / baseline:11.1f}",
                flush=True,
            )
        at = time.monotonic()
        while (state := app.health()["receiving"])["waiting"] and time.monotonic() - at < 600:
            time.sleep(0.5)
        print(f"caught up in {time.monotonic() - at:.1f} s: {json.dumps(state)}")
        app.stop()
