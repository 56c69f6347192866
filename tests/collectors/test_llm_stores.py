"""Phoenix, Langfuse, LangSmith and ClickHouse, as servers that answer as documented."""

import json
import re

import pytest
from servers import reply, serving

from analysis.errors import UserError
from collectors import ReadReport, http, pull
from collectors.fields import FieldError
from collectors.records import instant_ns
from collectors.searching import iso_of

T0_S = 1_700_000_000
SINCE, UNTIL = T0_S * 10**9, (T0_S + 100) * 10**9


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(http, "pause", lambda _seconds: None)


def pulled(source, settings=None):
    report = ReadReport()
    batches = list(pull(source, settings or {}, SINCE, UNTIL, report))
    rows = [row for batch in batches for row in batch.table.to_pylist()]
    return sorted(rows, key=lambda row: row["start_ns"]), report


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("2023-11-14T22:13:20Z", 0),
        ("2023-11-14T22:13:20.000000001Z", 1),
        ("2023-11-14 23:13:20.5+01:00", 500_000_000),
        ("2023-11-14T22:13:20.123", 123_000_000),
    ],
)
def test_a_time_keeps_its_nanoseconds_and_its_zone(text, rest):
    assert instant_ns(text, "t") == SINCE + rest


@pytest.mark.parametrize("text", ["soon", "2023-13-40T00:00:00Z", 5])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(FieldError):
        instant_ns(text, "t")
    assert instant_ns(None, "t") is None


def at(number, more_ms=0):
    return iso_of(SINCE + number * 10**9 + more_ms * 10**6)


def phoenix_span(number, **more):
    return {
        "id": f"U3Bhbjo{number}", "name": "chat", "span_kind": "LLM", "parent_id": None,
        "context": {"trace_id": f"{number:032x}", "span_id": f"{number:016x}"},
        "start_time": at(number)[:26] + "+00:00", "end_time": at(number, 40)[:26] + "+00:00",
        "status_code": "ERROR", "attributes": {"llm.model_name": "m", "input.value": "words"},
        "events": [{"name": "First Token Stream Event", "timestamp": at(number, 9)}],
        **more,
    }  # fmt: skip


def phoenix(spans):
    def answer(asked):
        if asked.path == "/v1/projects":
            return reply({"data": [{"id": "UA", "name": "my app"}], "next_cursor": None})
        if asked.path != "/v1/projects/my%20app/spans":
            return reply({"detail": "Not Found"}, 404)
        first = int(asked.query.get("cursor", 0))
        end = first + int(asked.query["limit"])
        following = str(end) if end < len(spans) else None
        return reply({"data": spans[first:end], "next_cursor": following})

    return answer


def test_phoenix_gives_the_spans_of_every_project_page_by_page():
    with serving(phoenix([phoenix_span(n) for n in range(1, 8)])) as server:
        rows, report = pulled(server.url)
        few, _report = pulled("phoenix", {"url": server.url, "project": "my app", "limit": "3"})
    assert rows == few
    assert [int(row["trace_id"], 16) for row in rows] == list(range(1, 8))
    assert rows[0]["end_ns"] - rows[0]["start_ns"] == 40_000_000
    assert json.loads(rows[0]["attributes"]) == {
        "llm.model_name": "m", "openinference.span.kind": "LLM",
    }  # fmt: skip
    assert json.loads(rows[0]["events"])[0]["time_ns"] == SINCE + 1_009_000_000
    assert (rows[0]["status"], report.dropped) == ("error", {"content": 7})
    assert server.asked[-1].query["start_time"] == "2023-11-14T22:13:20.000000Z"


def test_a_span_of_phoenix_that_cannot_be_read_costs_only_itself():
    spans = [phoenix_span(1), phoenix_span(2, start_time="soon"), phoenix_span(3, context={}), 7]
    with serving(phoenix(spans)) as server:
        rows, report = pulled(server.url)
    assert len(rows) == 1
    assert report.rejected_count == 3


def observation(number, **more):
    return {
        "id": f"{number:016x}", "traceId": f"{number:032x}", "type": "GENERATION", "name": "chat",
        "startTime": at(number)[:23] + "Z", "endTime": at(number, 40)[:23] + "Z", "level": "ERROR",
        "completionStartTime": at(number, 9)[:23] + "Z", "parentObservationId": None,
        "model": "m", "usageDetails": {
            "input": 20, "input_cache_read": 80, "output": 7, "total": 107},
        "metadata": {}, "input": "words", **more,
    }  # fmt: skip


def langfuse(found, version=2, lost=0):
    def answer(asked):
        query = asked.query
        if asked.path == "/api/public/health":
            return reply({"status": "OK", "version": "3.90.0"})
        if asked.headers.get("Authorization") != "Basic cGstMTpzay0x":
            return reply({"message": "no"}, 401)
        if asked.path == "/api/public/v2/observations" and version == 2:
            first = int(query.get("cursor", 0))
            end = first + int(query["limit"])
            meta = {"cursor": str(end)} if end < len(found) else {}
            return reply({"data": found[first:end], "meta": meta})
        if asked.path != "/api/public/observations":
            return reply({"message": "Not Found"}, 404)
        size, page = int(query["limit"]), int(query["page"])
        meta = {"page": page, "limit": size, "totalItems": len(found) + lost,
                "totalPages": -(-len(found) // size)}  # fmt: skip
        return reply({"data": found[(page - 1) * size : page * size], "meta": meta})

    return answer


KEYS = {"token": "sk-1", "user": "pk-1"}


@pytest.mark.parametrize("version", [1, 2])
def test_langfuse_gives_every_observation_whatever_its_version(version):
    with serving(langfuse([observation(n) for n in range(1, 8)], version)) as server:
        rows, report = pulled(server.url, KEYS)
        few, _report = pulled("langfuse", {"url": server.url, "limit": "3", **KEYS})
    assert rows == few
    assert len(rows) == 7
    assert (rows[0]["start_ns"], rows[0]["status"]) == (SINCE + 10**9, "error")
    assert json.loads(rows[0]["attributes"]) == {
        "gen_ai.request.model": "m",
        "gen_ai.usage.cache_read.input_tokens": 80,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 7,
        "langfuse.observation.completion_start_time": at(1, 9)[:23] + "Z",
        "langfuse.observation.type": "generation",
    }
    assert report.rejected == []


def test_what_a_client_sent_to_langfuse_counts_before_what_langfuse_made_of_it():
    sent = {
        "attributes": {"gen_ai.request.model": "own", "gen_ai.usage.input_tokens": 5},
        "resourceAttributes": {"service.name": "web", "host.name": "h"},
        "scope": {"name": "my.tracer"},
    }
    event = observation(2, type="EVENT", endTime=None, usageDetails={}, model=None)
    found = [observation(1, metadata=json.dumps(sent)), event]
    with serving(langfuse(found, 1)) as server:
        rows, _report = pulled(server.url, KEYS)
    first = json.loads(rows[0]["attributes"])
    assert (rows[0]["service"], rows[0]["host"], rows[0]["scope"]) == ("web", "h", "my.tracer")
    assert (first["gen_ai.request.model"], first["gen_ai.usage.input_tokens"]) == ("own", 5)
    assert "gen_ai.usage.output_tokens" not in first
    assert rows[1]["end_ns"] == rows[1]["start_ns"]


def test_an_observation_that_langfuse_counts_but_does_not_give_is_counted():
    with serving(langfuse([observation(1)], 1, lost=2)) as server:
        rows, report = pulled(server.url, KEYS)
    assert (len(rows), report.rejected_count) == (1, 2)


def test_langfuse_without_keys_is_a_refusal():
    with serving(langfuse([])) as server, pytest.raises(UserError, match="a refusal"):
        pulled(server.url)


def uuid(number):
    return f"00000000-0000-4000-8000-{number:012x}"


def run_of(number, **more):
    return {
        "id": uuid(number), "trace_id": uuid(number), "parent_run_id": None, "name": "ChatOpenAI",
        "run_type": "llm", "start_time": at(number)[:26], "end_time": at(number, 40)[:26],
        "first_token_time": at(number, 9)[:26], "status": "error", "events": [],
        "extra": {"metadata": {"ls_provider": "openai", "ls_model_name": "m"}},
        "prompt_tokens": 20, "completion_tokens": 7, **more,
    }  # fmt: skip


def langsmith(runs, projects=1):
    def answer(asked):
        if asked.path == "/api/v1/info":
            return reply({"version": "0.12", "batch_ingest_config": {}})
        if asked.headers.get("x-api-key") != "ls":
            return reply({"detail": "Forbidden"}, 403)
        if asked.path == "/api/v1/sessions":
            named = [{"id": uuid(n), "name": f"p{n}"} for n in range(projects)]
            wanted = asked.query.get("name")
            named = [one for one in named if wanted in (None, one["name"])]
            first = int(asked.query["offset"])
            return reply(named[first : first + int(asked.query["limit"])])
        if asked.path != "/api/v1/runs/query":
            return reply("", 404)
        ask = json.loads(asked.body)
        held = runs if ask["session"] == [uuid(0)] else []
        first = int(ask.get("cursor") or 0)
        end = first + ask["limit"]
        following = str(end) if end < len(held) else None
        return reply({"runs": held[first:end], "cursors": {"next": following}})

    return answer


def test_langsmith_gives_the_runs_of_every_project_page_by_page():
    with serving(langsmith([run_of(n) for n in range(1, 8)], projects=130)) as server:
        rows, report = pulled(server.url, {"token": "ls", "project": ""})
        settings = {"url": server.url, "limit": "3", "token": "ls", "project": "p0"}
        few, _report = pulled("langsmith", settings)
    assert rows == few
    assert [row["trace_id"] for row in rows] == [uuid(n).replace("-", "") for n in range(1, 8)]
    assert rows[0]["end_ns"] - rows[0]["start_ns"] == 40_000_000
    assert json.loads(rows[0]["attributes"]) == {
        "gen_ai.request.model": "m", "gen_ai.system": "openai", "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 7, "langsmith.span.kind": "llm",
    }  # fmt: skip
    (first,) = json.loads(rows[0]["events"])
    assert (first["name"], first["time_ns"]) == ("new_token", SINCE + 1_009_000_000)
    assert report.rejected == []


def test_the_tokens_that_a_client_told_langsmith_count_before_the_first_alone():
    events = [{"name": "start"}, *({"name": "new_token", "time": at(1, ms)} for ms in (9, 12))]
    with serving(
        langsmith(
            [run_of(1, events=events), run_of(2, start_time="soon"), run_of(3, run_type="chain")]
        )
    ) as server:
        rows, report = pulled(server.url, {"token": "ls"})
    times = [event["time_ns"] - SINCE for event in json.loads(rows[0]["events"])]
    assert times == [1_009_000_000, 1_012_000_000]
    assert "gen_ai.usage.input_tokens" not in json.loads(rows[1]["attributes"])
    assert (len(rows), report.rejected_count) == (2, 1)


def test_a_project_that_langsmith_does_not_have_is_said():
    with serving(langsmith([])) as server, pytest.raises(UserError, match="found other"):
        pulled("langsmith", {"url": server.url, "token": "ls", "project": "other"})


def clickhouse_row(number):
    start = SINCE + number * 10**9 + 1
    return start, {
        "TraceId": f"{number:032x}", "SpanId": f"{number:016x}", "ParentSpanId": "",
        "SpanName": "chat", "SpanKind": "Client", "ServiceName": "web", "ScopeName": "s",
        "ResourceAttributes": {"service.name": "web"}, "SpanAttributes": {"gen_ai.system": "x"},
        "StatusCode": "STATUS_CODE_ERROR", "event_names": ["e"], "event_attributes": [{"k": "v"}],
        "start_ns": str(start), "duration_ns": "40", "event_ns": [str(start + 3)],
        "link_traces": [f"{9:032x}"], "link_spans": [f"{8:016x}"],
    }  # fmt: skip


def clickhouse(rows):
    def answer(asked):
        if asked.path == "/ping":
            return reply("Ok.\n")
        if "query" not in asked.query:
            return reply("Ok.\n")
        query = asked.query["query"]
        first, end = map(int, re.findall(r"Nano\((\d+)\)", query))
        inside = [row for start, row in rows if first <= start < end]
        if "count()" in query:
            inside = [{"n": str(len(inside))}]
        return reply("".join(json.dumps(row) + "\n" for row in inside))

    return answer


def test_clickhouse_gives_the_rows_of_its_table_in_parts_that_an_answer_holds():
    with serving(clickhouse([clickhouse_row(n) for n in range(1, 30)])) as server:
        rows, report = pulled(server.url)
        few, _report = pulled("clickhouse", {"url": server.url, "limit": "4"})
    assert rows == few
    assert len(rows) == 29
    first = rows[0]
    assert (first["start_ns"], first["end_ns"]) == (SINCE + 10**9 + 1, SINCE + 10**9 + 41)
    assert (first["kind"], first["status"], first["service"]) == ("client", "error", "web")
    assert json.loads(first["events"])[0]["time_ns"] == SINCE + 10**9 + 4
    assert json.loads(first["links"])[0]["span_id"] == f"{8:016x}"
    assert report.rejected == []
    queries = [asked.query["query"] for asked in server.asked if "query" in asked.query]
    assert all(" FROM otel_traces WHERE " in query for query in queries)


def test_a_table_of_clickhouse_is_a_name_and_no_more():
    settings = {"url": "http://127.0.0.1:1", "project": "otel.t; DROP TABLE x"}
    with pytest.raises(UserError, match="the name of a table"):
        pulled("clickhouse", settings)


def test_an_exception_amid_the_rows_of_clickhouse_is_an_error():
    def answer(_asked):
        return reply('{"n": "1"}\nCode: 241. DB::Exception: Memory limit\n')

    with serving(answer) as server, pytest.raises(UserError, match="JSON lines"):
        pulled("clickhouse", {"url": server.url})
