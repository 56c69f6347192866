import pytest
from servers import reply, serving

from analysis.errors import UserError
from collectors import SOURCES, ReadReport, http, pull
from collectors.sources import prometheus

T0_US = 1_700_000_000_000_000
SECOND_US = 1_000_000
SINCE, UNTIL = T0_US * 1000, (T0_US + 100 * SECOND_US) * 1000


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(http, "pause", lambda _seconds: None)


def pulled(source, settings=None, since=SINCE, until=UNTIL):
    report = ReadReport()
    batches = list(pull(source, settings or {}, since, until, report))
    return [row for batch in batches for row in batch.table.to_pylist()], report


def trace(number, at_us):
    span = {
        "traceID": f"{number:032x}",
        "spanID": f"{number:016x}",
        "operationName": "chat",
        "startTime": at_us,
        "duration": 5,
        "processID": "p1",
        "tags": [{"key": "input.value", "type": "string", "value": "words"}],
    }
    return {
        "traceID": span["traceID"],
        "spans": [span],
        "processes": {"p1": {"serviceName": "web"}},
    }


def jaeger(traces):
    """Answers as Jaeger's query service does: the latest `limit` traces of the range."""

    def answer(asked):
        if asked.path == "/api/services":
            return reply({"data": ["web", "engine"], "errors": None})
        if asked.path != "/api/traces":
            return reply("<html>Jaeger UI</html>", 404)
        start, end = int(asked.query["start"]), int(asked.query["end"])
        found = [t for t in traces if start <= t["spans"][0]["startTime"] <= end]
        return reply({"data": found[::-1][: int(asked.query["limit"])], "errors": None})

    return answer


def test_jaeger_gives_the_traces_of_all_services_once():
    traces = [trace(n, T0_US + n * SECOND_US) for n in range(1, 6)]
    with serving(jaeger(traces)) as server:
        rows, report = pulled("jaeger", {"url": server.url})
        assert pulled(server.url)[0] == rows
    assert sorted(int(row["trace_id"], 16) for row in rows) == [1, 2, 3, 4, 5]
    assert report.format == "jaeger_json"
    assert report.dropped == {"content": 5}
    assert {asked.query.get("service") for asked in server.asked} == {None, "web", "engine"}


def test_jaeger_is_asked_for_halves_where_an_answer_reaches_the_limit():
    traces = [trace(n, T0_US + n * SECOND_US) for n in range(1, 41)]
    with serving(jaeger(traces)) as server:
        rows, report = pulled("jaeger", {"url": server.url, "service": "web", "limit": "7"})
    assert len(rows) == 40
    assert report.rejected == []


def test_what_jaeger_cuts_within_a_millisecond_is_counted():
    traces = [trace(n, T0_US + 5) for n in range(1, 10)]
    with serving(jaeger(traces)) as server:
        rows, report = pulled("jaeger", {"url": server.url, "service": "web", "limit": "4"})
    assert len(rows) == 4
    assert report.rejected[0].reason == "the answer was cut off at the limit of traces"
    assert report.rejected[0].example.startswith("web, at least 1 trace more")


def test_settings_are_checked_in_words():
    with pytest.raises(UserError, match="a value for url"):
        pulled("jaeger", {})
    with pytest.raises(UserError, match="a whole number above zero for limit"):
        pulled("jaeger", {"url": "http://h", "limit": "many"})
    with pytest.raises(UserError, match="an address or one of jaeger, jaeger_v3, tempo"):
        pulled("grafana", {})


PAGE = '# TYPE t histogram\nt_bucket{le="+Inf"} 4\nt_sum 2\nt_count 4\n'


def test_a_metrics_page_is_scraped_whatever_its_address():
    with serving(
        lambda asked: reply(PAGE) if asked.path == "/metrics" else reply("", 404)
    ) as server:
        rows, report = pulled(f"{server.url}/metrics")
    assert [(row["name"], row["count"]) for row in rows] == [("t", 4)]
    assert report.format == "prometheus_text"


def prometheus_server(asked):
    if asked.path == "/api/v1/query":
        return reply({"status": "success", "data": {"resultType": "scalar", "result": [1, "1"]}})
    if asked.path != "/api/v1/query_range":
        return reply("", 404)
    result = []
    if '"vllm:num_requests_waiting"' in asked.query["query"]:
        metric = {"__name__": "vllm:num_requests_waiting"}
        result = [{"metric": metric, "values": [[int(asked.query["start"]), "3"]]}]
    return reply({"status": "success", "data": {"resultType": "matrix", "result": result}})


def test_a_prometheus_server_is_asked_for_the_known_families_that_it_keeps():
    names = ["up", "vllm:time_to_first_token_seconds_bucket", "vllm:num_requests_waiting"]

    def answer(asked):
        kept = asked.path == "/api/v1/label/__name__/values"
        return reply({"status": "success", "data": names}) if kept else prometheus_server(asked)

    with serving(answer) as server:
        rows, report = pulled(server.url)
    assert [(row["name"], row["value"]) for row in rows] == [("vllm:num_requests_waiting", 3)]
    assert report.format == "prometheus_api"
    assert [asked.query["query"] for asked in server.asked if "start" in asked.query] == [
        '{__name__=~"vllm:time_to_first_token_seconds(_bucket|_sum|_count|_total)?"}',
        '{__name__=~"vllm:num_requests_waiting"}',
    ]


def test_a_server_that_does_not_say_what_it_keeps_is_asked_for_every_known_family():
    with serving(prometheus_server) as server:
        pulled(server.url)
    asked = [asked for asked in server.asked if "start" in asked.query]
    assert len(asked) == len(prometheus.HISTOGRAMS) + len(prometheus.SINGLE)


def test_named_families_are_asked_alone_with_token_and_step():
    settings = {"families": "vllm:num_requests_waiting", "step_s": "30", "token": "t"}
    with serving(prometheus_server) as server:
        rows, _report = pulled("prometheus", {"url": f"{server.url}/", **settings})
    assert len(rows) == 1
    assert server.asked[-1].query["step"] == "30"
    assert server.asked[-1].headers["Authorization"] == "Bearer t"


def test_a_long_range_is_cut_into_answers_that_a_server_gives():
    settings = {"families": "vllm:num_requests_waiting", "step_s": "1"}
    until = SINCE + 25_000 * 10**9
    with serving(prometheus_server) as server:
        rows, _report = pulled("prometheus", {"url": server.url, **settings}, until=until)
    ranges = [asked.query for asked in server.asked if "start" in asked.query]
    assert len(rows) == len(ranges) == 3
    assert all(int(r["end"]) - int(r["start"]) < prometheus.MAX_POINTS for r in ranges)
    assert int(ranges[-1]["end"]) == until // 10**9


def test_an_address_that_is_something_else_is_refused_in_words():
    with serving(lambda _asked: reply("<html></html>")) as server:
        with pytest.raises(UserError, match="found another service"):
            pulled(server.url)
        with pytest.raises(UserError, match="a metrics page or a Prometheus server"):
            pulled("prometheus", {"url": server.url})
    with pytest.raises(UserError, match="a refused connection"):
        pulled("http://127.0.0.1:1")


def test_every_source_says_what_it_asks_for():
    for module in SOURCES:
        names = [field.name for field in module.FIELDS]
        assert names[0] == "url"
        assert module.FIELDS[0].required
        assert len(set(names)) == len(names)
        assert [field.name for field in module.FIELDS if field.secret] == ["token"]
        assert module.TITLE
