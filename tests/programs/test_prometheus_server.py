"""A Prometheus server scrapes an engine's metrics, and is asked for them."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import requests
from browser_app import free_port
from command_line import run
from programs_there import Running, program

CONFIG = """
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: engine
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""
PAGE = """# TYPE vllm:request_queue_time_seconds histogram
vllm:request_queue_time_seconds_bucket{{le="0.5"}} {half}
vllm:request_queue_time_seconds_bucket{{le="+Inf"}} {count}
vllm:request_queue_time_seconds_sum {sum}
vllm:request_queue_time_seconds_count {count}
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting 3
"""


class Engine(BaseHTTPRequestHandler):
    """Each scrape sees two more requests that waited 0.4 s and 0.8 s."""

    scrapes = 0

    def do_GET(self):
        n = Engine.scrapes = Engine.scrapes + 1
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(PAGE.format(half=n, count=2 * n, sum=1.2 * n).encode())

    def log_message(self, *_args):
        pass


@pytest.fixture(scope="module")
def engine():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


@pytest.fixture(scope="module")
def server(tmp_path_factory, engine):
    where, folder, port = program("prometheus"), tmp_path_factory.mktemp("prometheus"), free_port()
    (folder / "config.yml").write_text(CONFIG.format(port=engine))
    running = Running(
        [where, f"--config.file={folder}/config.yml", f"--storage.tsdb.path={folder}/data",
         f"--web.listen-address=127.0.0.1:{port}"],
        f"http://127.0.0.1:{port}/-/ready", folder / "log",
    )  # fmt: skip
    running.url = f"http://127.0.0.1:{port}"
    running.wait(lambda: scraped(running.url) >= 6)
    yield running
    running.stop()


def scraped(url):
    query = {"query": "vllm:request_queue_time_seconds_count[10m]"}
    found = requests.get(f"{url}/api/v1/query", params=query, timeout=5).json()["data"]["result"]
    return len(found[0]["values"]) if found else 0


def test_what_it_scraped_is_pulled_with_its_means_and_bounds(server, tmp_path):
    database = tmp_path / "a.duckdb"
    pulled = run(database, "collect", server.url, "--json").json
    assert pulled["files"][0]["points"] >= 2
    found = {row["name"]: row for row in run(database, "metrics", "--json").json}
    queue = found["vllm:request_queue_time_seconds"]
    assert (queue["kind"], queue["unit"]) == ("histogram", "s")
    assert queue["mean"] == pytest.approx(0.6)
    assert found["vllm:num_requests_waiting"]["mean"] == 3
