"""`slowpath collect URL` against servers that answer as recorded, and against those that do not."""

import json
import socket
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest
from command_line import answer, run

from collectors import http

T0_S = 1_700_000_000
SINCE, UNTIL = T0_S * 10**9, (T0_S + 600) * 10**9
WINDOW = ("--since", SINCE, "--until", UNTIL)
PAGE = """# TYPE t_seconds histogram
t_seconds_bucket{le="+Inf"} 4
t_seconds_sum 2
t_seconds_count 4
"""


def jaeger_trace(number):
    def span(own, parent, service, start_us, length_us):
        references = [{"refType": "CHILD_OF", "traceID": f"{number:032x}", "spanID": parent}]
        return {
            "traceID": f"{number:032x}", "spanID": own, "operationName": service,
            "references": references if parent else [], "startTime": start_us,
            "duration": length_us, "processID": service, "tags": [],
        }  # fmt: skip

    at = (T0_S + number) * 1_000_000
    spans = [span("a1", "", "web", at, 100_000), span("b2", "a1", "engine", at + 20_000, 60_000)]
    processes = {name: {"serviceName": name, "tags": []} for name in ("web", "engine")}
    return {"traceID": f"{number:032x}", "spans": spans, "processes": processes}


def jaeger(path, query):
    if path == "/api/services":
        return {"data": ["web", "engine"], "errors": None}
    if path == "/api/traces":
        first, last = int(query["start"]), int(query["end"])
        traces = map(jaeger_trace, range(1, 6))
        inside = [t for t in traces if first <= t["spans"][0]["startTime"] <= last]
        return {"data": inside[: int(query.get("limit", 20))], "errors": None}
    return None


def langfuse(path, _query):
    def seen(own, parent, kind, start_ms, end_ms, **more):
        return {
            "id": own, "traceId": "ab" * 16, "type": kind, "name": kind.lower(),
            "parentObservationId": parent, "startTime": clock(start_ms), "endTime": clock(end_ms),
            "usageDetails": {}, "metadata": {}, **more,
        }  # fmt: skip

    def clock(after_ms):
        return f"2023-11-14T22:13:21.{after_ms:03d}Z"

    if path == "/api/public/health":
        return {"status": "OK", "version": "3.1"}
    if path != "/api/public/observations":
        return None
    used = {"input": 20, "input_cache_read": 80, "output": 7}
    call = {"completionStartTime": clock(250), "model": "m", "usageDetails": used}
    found = [seen("a" * 16, None, "SPAN", 0, 900)]
    found.append(seen("b" * 16, "a" * 16, "GENERATION", 100, 800, **call))
    return {"data": found, "meta": {"page": 1, "totalItems": 2, "totalPages": 1}}


def prometheus(path, query):
    if path == "/api/v1/query":
        return {"status": "success", "data": {"resultType": "scalar", "result": [1, "1"]}}
    if path == "/api/v1/label/__name__/values":
        return {"status": "success", "data": ["vllm:num_requests_waiting"]}
    if path == "/api/v1/query_range":
        values = [[int(float(query["start"])), "3"], [int(float(query["start"])) + 60, "5"]]
        series = {"metric": {"__name__": "vllm:num_requests_waiting"}, "values": values}
        return {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
    return None


def metrics_page(path, _query):
    return PAGE if path == "/metrics" else None


def html(_path, _query):
    return "<!doctype html><html><body>a web page</body></html>"


def nothing(_path, _query):
    return None


@pytest.fixture
def serving():
    """Starts servers that answer as a function says (None is 404); gives their addresses."""
    running = []

    def start(reply):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                parts = urlsplit(self.path)
                query = {key: values[0] for key, values in parse_qs(parts.query).items()}
                said = reply(parts.path, query)
                body = (said if isinstance(said, str) else json.dumps(said)).encode()
                self.send_response(404 if said is None else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        running.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(http, "pause", lambda _seconds: None)


def test_traces_of_a_jaeger_are_pulled_and_once_more_change_nothing(serving, tmp_path):
    database, url = tmp_path / "a.duckdb", serving(jaeger)
    came = answer(database, "collect", url, *WINDOW)
    (file,) = came["files"]
    assert (file["format"], came["requests"], came["spans"]) == ("jaeger_json", 5, 10)
    before = answer(database, "requests")
    assert [row["e2e_ns"] for row in before] == [100_000_000] * 5
    again = answer(database, "collect", url, *WINDOW)
    assert (again["files"][0]["new_spans"], again["spans"]) == (0, 10)
    assert answer(database, "requests") == before


def test_a_call_that_langfuse_kept_has_its_first_chunk_and_its_tokens(serving, tmp_path):
    database, url = tmp_path / "a.duckdb", serving(langfuse)
    came = answer(database, "collect", url, *WINDOW, "--user", "pk", "--token", "sk")
    assert (came["requests"], came["spans"]) == (1, 2)
    (row,) = answer(database, "requests")
    assert (row["e2e_ns"], row["ttft_ns"], row["model"]) == (900_000_000, 250_000_000, "m")
    assert (row["input_tokens"], row["cached_tokens"], row["output_tokens"]) == (100, 80, 7)
    again = answer(database, "collect", url, *WINDOW, "--user", "pk", "--token", "sk")
    assert again["files"][0]["new_spans"] == 0


def test_a_pull_since_the_last_one_goes_on_where_that_ended(serving, tmp_path):
    database, asked = tmp_path / "a.duckdb", []

    def watched(path, query):
        asked.extend([int(query["start"])] if "start" in query else [])
        return jaeger(path, query)

    def pull(until_s, *more):
        asked.clear()
        url = serving(watched) if not more else more[0]
        end = ("--until", (T0_S + until_s) * 10**9)
        return url, answer(database, "collect", url, "--since", "last", *end)

    url, first = pull(4)
    assert (first["requests"], asked[0]) == (4, (T0_S + 4 - 3600) * 1_000_000)
    _url, second = pull(600, url)
    assert (second["files"][0]["new_spans"], asked[0]) == (2, (T0_S + 4 - 300) * 1_000_000)
    _url, third = pull(601, url)
    assert (third["files"][0]["new_spans"], third["files"][0]["data_set"]) == (0, None)
    assert len(answer(database, "datasets")) == 2
    assert len(answer(database, "requests")) == 5


def test_a_pull_that_fails_does_not_move_where_the_next_one_begins(serving, tmp_path):
    database, down = tmp_path / "a.duckdb", []

    def shaky(path, query):
        return None if down else jaeger(path, query)

    url = serving(shaky)
    answer(database, "collect", url, "--since", "last", "--until", (T0_S + 1) * 10**9)
    down.append(1)
    done = run(database, "collect", url, "--since", "last", "--until", (T0_S + 9000) * 10**9)
    refused(done, "nothing at this address")
    down.clear()
    answer(database, "collect", url, "--since", "last", "--until", (T0_S + 9001) * 10**9)
    assert len(answer(database, "requests")) == 5


def test_a_prometheus_and_a_metrics_page_are_pulled(serving, tmp_path):
    database = tmp_path / "a.duckdb"
    came = answer(database, "collect", serving(prometheus), *WINDOW)
    assert (came["files"][0]["format"], came["files"][0]["points"]) == ("prometheus_api", 2)
    page = answer(database, "collect", f"{serving(metrics_page)}/metrics")
    assert (page["files"][0]["format"], page["files"][0]["points"]) == ("prometheus_text", 1)
    names = {row["name"]: row["points"] for row in answer(database, "metrics")}
    assert names == {"vllm:num_requests_waiting": 2, "t_seconds": 1}


def refused(done, said):
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("slowpath: ")
    assert done.err.count("\n") == 1
    assert said in done.err


@pytest.mark.parametrize(
    ("reply", "said"), [(html, "another service"), (nothing, "nothing at this address (404)")]
)
def test_an_address_of_something_else_is_one_clear_line(serving, tmp_path, reply, said):
    refused(run(tmp_path / "a.duckdb", "collect", serving(reply)), said)
    assert answer(tmp_path / "a.duckdb", "datasets") == []


def test_a_refused_connection_is_one_clear_line(tmp_path):
    refused(run(tmp_path / "a.duckdb", "collect", "http://127.0.0.1:1"), "a refused connection")


def test_a_server_that_never_answers_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.setattr(http, "READ_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        refused(run(tmp_path / "a.duckdb", "collect", url), "none in time")
        assert time.monotonic() - began < 30


def test_a_jaeger_without_traces_in_the_window_says_so(serving, tmp_path):
    done = run(tmp_path / "a.duckdb", "collect", serving(jaeger), "--since", 1, "--until", 2)
    refused(done, "at least one usable span or metric point")


def test_a_token_reaches_the_service_and_is_kept_nowhere(serving, tmp_path, monkeypatch):
    monkeypatch.setenv("JAEGER_KEY", "hush-hush")
    url = serving(jaeger).replace("//", "//me:pass-word@")
    came = answer(tmp_path / "a.duckdb", "collect", url, *WINDOW, "--token", "env:JAEGER_KEY")
    assert came["requests"] == 5
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"hush-hush" not in held
    assert b"pass-word" not in held


def test_a_reference_to_no_secret_is_one_clear_line(serving, tmp_path):
    done = run(tmp_path / "a.duckdb", "collect", serving(jaeger), "--token", "env:NO_SUCH_KEY")
    refused(done, "env:NO_SUCH_KEY")
