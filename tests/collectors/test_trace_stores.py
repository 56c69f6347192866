"""Tempo, Zipkin and Jaeger's third version, as servers that answer in their documented shapes."""

import json

import pytest
from servers import reply, serving

from analysis.errors import UserError
from collectors import ReadReport, http, pull

T0_S = 1_700_000_000
SINCE, UNTIL = T0_S * 10**9, (T0_S + 100) * 10**9


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(http, "pause", lambda _seconds: None)


def pulled(source, settings=None):
    report = ReadReport()
    batches = list(pull(source, settings or {}, SINCE, UNTIL, report))
    return [row for batch in batches for row in batch.table.to_pylist()], report


def numbers(rows):
    return sorted(int(row["trace_id"], 16) for row in rows)


def otlp(number, at_ns, service="web"):
    span = {
        "traceId": f"{number:032x}", "spanId": f"{number:016x}", "name": "chat", "kind": 2,
        "startTimeUnixNano": str(at_ns), "endTimeUnixNano": str(at_ns + 5),
    }  # fmt: skip
    name = {"key": "service.name", "value": {"stringValue": service}}
    return {"resource": {"attributes": [name]}, "scopeSpans": [{"spans": [span]}]}


def starts(count, step_ns=10**9):
    return {number: SINCE + number * step_ns for number in range(1, count + 1)}


def tempo(times, version="v2/traces", lost=(), status=None):
    def answer(asked):
        path, query = asked.path, asked.query
        if path == "/api/search":
            first, last = int(query.get("start", 0)), int(query.get("end", 1 << 40))
            inside = [n for n, at in times.items() if first * 10**9 <= at < last * 10**9]
            shown = [{"traceID": f"{n:x}", "rootServiceName": "web"} for n in inside]
            return reply({"traces": shown[: int(query["limit"])], "metrics": {}})
        if not path.startswith(f"/api/{version}/"):
            return reply("404 page not found", 404)
        number = int(path.rsplit("/", 1)[1], 16)
        if number in lost:
            return reply("trace not found", 404)
        entries = [otlp(number, times[number])]
        if version == "traces":
            return reply({"batches": entries})
        return reply(
            {"trace": {"resourceSpans": entries}, **({"status": status} if status else {})}
        )

    return answer


@pytest.mark.parametrize("version", ["v2/traces", "traces"])
def test_tempo_gives_each_trace_that_its_search_finds(version):
    with serving(tempo(starts(5), version)) as server:
        rows, report = pulled(server.url)
        assert pulled("tempo", {"url": f"{server.url}/api/search"})[0] == rows
    assert numbers(rows) == [1, 2, 3, 4, 5]
    assert (rows[0]["service"], rows[0]["start_ns"]) == ("web", SINCE + 10**9)
    assert (report.format, report.rejected) == ("otlp_json", [])


def test_tempo_is_asked_for_halves_and_for_services_by_name():
    with serving(tempo(starts(60))) as server:
        rows, report = pulled("tempo", {"url": server.url, "limit": "7", "service": 'a"b,c'})
    assert numbers(rows) == list(range(1, 61))
    assert report.rejected == []
    queries = {asked.query["q"] for asked in server.asked if "q" in asked.query}
    assert queries == {'{ resource.service.name = "a\\"b" }', '{ resource.service.name = "c" }'}


def test_what_tempo_cuts_loses_or_shortens_is_counted():
    with serving(tempo(starts(9, 1000), lost=(2,), status="PARTIAL")) as server:
        rows, report = pulled("tempo", {"url": server.url, "limit": "4"})
    assert numbers(rows) == [1, 3, 4]
    told = {entry.reason: entry.count for entry in report.rejected}
    assert told == {
        "the answer was cut off at the limit of traces": 1,
        "a trace that the search found is not there": 1,
        "a trace comes in part: it is too large for Tempo": 3,
    }


def zipkin(times):
    def answer(asked):
        query = asked.query
        if asked.path == "/api/v2/services":
            return reply(["web"])
        if asked.path != "/api/v2/traces":
            return reply("", 404)
        last = int(query["endTs"])
        first = last - int(query["lookback"])
        if first == last:
            return reply("lookback <= 0", 400)
        inside = [n for n, at in times.items() if first <= at // 10**6 <= last]
        spans = [
            {
                "traceId": f"{n:016x}", "id": f"{n:016x}", "name": "chat", "duration": 5,
                "timestamp": times[n] // 1000, "localEndpoint": {"serviceName": "web"},
            }
            for n in inside
        ]  # fmt: skip
        return reply([[span] for span in spans][: int(query["limit"])])

    return answer


def test_zipkin_gives_each_trace_once_however_small_its_answers():
    with serving(zipkin(starts(40))) as server:
        rows, report = pulled(server.url)
        few, _report = pulled("zipkin", {"url": f"{server.url}/zipkin", "limit": "3"})
    assert numbers(rows) == numbers(few) == list(range(1, 41))
    assert (report.format, report.rejected) == ("zipkin_v2", [])
    assert rows[0]["start_ns"] % 10**9 == 0


def test_what_zipkin_cuts_within_two_milliseconds_is_counted():
    with serving(zipkin(starts(9, 1000))) as server:
        rows, report = pulled("zipkin", {"url": server.url, "limit": "4", "service": "web"})
    assert len(rows) == 4
    assert report.rejected[0].example.startswith("at least 1 trace more")
    assert {asked.query["serviceName"] for asked in server.asked} == {"web"}


def jaeger_v3(times, pieces=1):
    def answer(asked):
        query = asked.query
        if asked.path == "/api/v3/services":
            return reply({"services": ["web", "engine"]})
        if asked.path != "/api/v3/traces":
            return reply("", 404)
        first, last = query["query.start_time_min"], query["query.start_time_max"]
        inside = [n for n, at in times.items() if first <= shown(at) <= last]
        inside = inside[: int(query["query.num_traces"])]
        if not inside:
            return reply({"error": {"httpCode": 404, "message": "No traces found"}}, 404)
        entries = [otlp(n, times[n]) for n in inside]
        parts = [entries[k::pieces] for k in range(pieces)]
        return reply("\n".join(json.dumps({"result": {"resourceSpans": p}}) for p in parts))

    return answer


def shown(at_ns):
    from collectors.searching import iso_of

    return iso_of(at_ns)


@pytest.mark.parametrize("pieces", [1, 3])
def test_jaeger_v3_gives_the_traces_of_all_services_once(pieces):
    with serving(jaeger_v3(starts(30), pieces)) as server:
        rows, report = pulled(server.url)
        few, _report = pulled("jaeger_v3", {"url": f"{server.url}/api/v3", "limit": "4"})
    assert numbers(rows) == numbers(few) == list(range(1, 31))
    assert (report.format, report.rejected) == ("otlp_json", [])


def test_what_jaeger_v3_cuts_within_a_millisecond_is_counted():
    with serving(jaeger_v3(starts(9, 1000))) as server:
        rows, report = pulled("jaeger_v3", {"url": server.url, "limit": "4", "service": "web"})
    assert len(rows) == 4
    assert report.rejected[0].reason == "the answer was cut off at the limit of traces"


@pytest.mark.parametrize("source", ["tempo", "zipkin", "jaeger_v3"])
def test_an_answer_of_another_shape_is_one_error(source):
    with serving(lambda _asked: reply('"words"')) as server, pytest.raises(UserError) as error:
        pulled(source, {"url": server.url, "service": "web"})
    assert "another answer" in str(error.value) or "traces as OTLP" in str(error.value)


@pytest.mark.parametrize("source", ["tempo", "zipkin", "jaeger_v3"])
def test_a_token_goes_with_every_question(source):
    with serving(lambda _asked: reply("", 401)) as server:
        with pytest.raises(UserError, match="access with these credentials"):
            pulled(server.url, {"token": "t"})
        with pytest.raises(UserError, match="access with these credentials"):
            pulled(source, {"url": server.url, "token": "t", "header": "X-Key"})
    held = {(a.headers.get("Authorization"), a.headers.get("x-api-key")) for a in server.asked[:-1]}
    assert held == {("Bearer t", None), (None, "t")}  # the latter is how LangSmith takes one
    assert server.asked[-1].headers["X-Key"] == "t"
