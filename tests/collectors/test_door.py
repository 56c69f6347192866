import json

import pytest
from exports import attribute, otlp, parsed, read_all, rows, span

from analysis.cleaning import evidence
from analysis.staging import usage
from collectors import ReadReport
from collectors.door import Door, stripped_address
from collectors.secrets import CONTENT, TIMING_HEADERS, treatment
from data.rules_file import default_rules

CONTENT_KEYS = [
    "gen_ai.prompt", "gen_ai.prompt.0.content", "gen_ai.completion.1.content",
    "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions",
    "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "llm.prompts.0.user",
    "llm.completions.0", "llm.input_messages.0.message.content",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", "input.value",
    "output.value", "traceloop.entity.input", "traceloop.entity.output", "ai.prompt",
    "ai.prompt.messages", "ai.response.text", "ai.response.object", "ai.response.toolCalls",
    "ai.toolCall.args", "ai.toolCall.result", "langfuse.observation.input",
    "langfuse.trace.output", "langsmith.inputs", "retrieval.documents.0.document.content",
    "db.statement", "db.query.text", "exception.message", "exception.stacktrace",
    "http.request.body",
]  # fmt: skip
CREDENTIAL_KEYS = [
    "authorization", "http.request.header.authorization", "http.request.header.cookie",
    "http.response.header.set-cookie", "api_key", "x-api-key", "openai.api_key", "apiKey",
    "auth.access_token", "refreshToken", "db.password", "client_secret", "user_api_key_hash",
    "aws.secret_access_key", "token",
]  # fmt: skip
KEPT_KEYS = [
    "gen_ai.usage.input_tokens", "gen_ai.usage.completion_tokens", "gen_ai.request.model",
    "gen_ai.prompt_tokens", "gen_ai.token.type", "gen_ai.latency.time_to_first_token",
    "llm.token_count.prompt", "llm.model_name", "ai.usage.promptTokens", "ai.operationId",
    "ai.response.msToFirstChunk", "gen_ai.response.finish_reasons", "db.system.name",
    "exception.type", "error.type", "session.id", "http.route", "http.request.method",
    "http.request.body.size", "input.mime_type", "gen_ai.tool.name", "openinference.span.kind",
    "guid:x-request-id", "time_per_output_token", "user_api_key_alias",
    "traceloop.span.kind", "retrieval.top_k", "langfuse.observation.type",
]  # fmt: skip


@pytest.mark.parametrize("key", CONTENT_KEYS)
def test_content_stays_out_unless_asked_for(key):
    assert treatment(key) == "content"
    export = otlp(span(attributes=[attribute(key, stringValue="secret words")]))
    read, report = read_all(export)
    assert parsed(read[0]) == {}
    assert report.dropped == {"content": 1}
    kept, report = read_all(export, keep_content=True)
    assert parsed(kept[0]) == {key: "secret words"}
    assert report.dropped == {}


@pytest.mark.parametrize("key", CREDENTIAL_KEYS)
def test_credentials_never_get_in(key):
    export = otlp(span(attributes=[attribute(key, stringValue="hunter2")]))
    for keep_content in (False, True):
        read, report = read_all(export, keep_content=keep_content)
        assert parsed(read[0]) == {}
        assert report.dropped == {"credentials": 1}


@pytest.mark.parametrize("key", KEPT_KEYS)
def test_what_explains_time_stays(key):
    assert treatment(key) == "keep"


def test_every_row_of_the_content_table_is_lower_case_exact_or_starred():
    for key in CONTENT:
        assert treatment(key.replace("*", "x")) == "content", key


def test_what_marks_tokens_and_streaming_are_read_from_passes():
    keys = {*usage.INPUT_KEYS, *usage.CACHED_KEYS, *usage.OUTPUT_KEYS, *usage.STREAM_KEYS}
    keys |= {*usage.MODEL_KEYS, *evidence.KEYS}
    for rule in default_rules().rules:
        keys |= {mark.key for mark in rule.marks if mark.place == "attribute"}
    lost = {key for key in keys if treatment(key) not in ("keep", "parameters")}
    assert not lost


@pytest.mark.parametrize("name", TIMING_HEADERS)
def test_captured_timing_headers_stay(name):
    header = name.replace("*", "remaining-requests")
    assert treatment(f"http.response.header.{header}") == "keep"
    assert treatment(f"http.response.header.{header.replace('-', '_')}") == "keep"


@pytest.mark.parametrize(
    "key",
    ["http.request.header.user-agent", "http.response.header.x-user", "ai.request.headers.host",
     "rpc.grpc.request.metadata.tenant", "http.request.headers"],
)  # fmt: skip
def test_other_captured_headers_stay_out_and_are_counted(key):
    values = {"values": [{"stringValue": "v"}]}
    export = otlp(span(attributes=[attribute(key, arrayValue=values)]))
    for keep_content in (False, True):
        read, report = read_all(export, keep_content=keep_content)
        assert parsed(read[0]) == {}
        assert report.dropped == {"headers": 1}


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("url.full", "https://h/p?q=my+words&n=5#top", "https://h/p?q=REDACTED&n=REDACTED#top"),
        ("http.url", "http://h:80/p?a=1;b=2", "http://h:80/p?a=REDACTED;b=REDACTED"),
        ("http.target", "/search?q=words", "/search?q=REDACTED"),
        ("url.query", "q=words&page=2", "q=REDACTED&page=REDACTED"),
        ("url.path", "/v1/traces", "/v1/traces"),
        ("url.full", "https://h/v1/traces", "https://h/v1/traces"),
        ("my.link", "https://h/p?token=abc", "https://h/p?token=REDACTED"),
        ("url.full", "https://h/p?flag", "https://h/p?flag"),
    ],
)
def test_query_values_of_addresses_are_replaced_and_their_names_kept(key, value, kept):
    read, report = read_all(otlp(span(attributes=[attribute(key, stringValue=value)])))
    assert parsed(read[0]) == {key: kept}
    assert report.dropped == ({"url_query": 1} if value != kept else {})


def test_user_names_in_addresses_go_wherever_they_stand():
    address = attribute("db.url", stringValue="postgres://me:pw@host/db")
    read, report = read_all(otlp(span(attributes=[address])))
    assert parsed(read[0]) == {"db.url": "postgres://host/db"}
    assert report.dropped == {"credentials": 1}
    assert stripped_address("https://u:p@h/x?k=v") == "https://h/x?k=REDACTED"


def test_names_of_spans_and_events_lose_their_query_values():
    event = {"name": "GET /a?b=c", "timeUnixNano": "5"}
    read, report = read_all(otlp(span(name="GET /x?q=words", events=[event])))
    assert read[0]["name"] == "GET /x?q=REDACTED"
    assert parsed(read[0], "events")[0]["name"] == "GET /a?b=REDACTED"
    assert report.dropped == {"url_query": 2}


def test_events_and_resources_pass_the_same_door():
    said = [attribute("gen_ai.prompt", stringValue="words"), attribute("n", intValue="1")]
    message = [attribute("message", stringValue="words")]
    events = [
        {"name": "gen_ai.content.prompt", "attributes": said},
        {"name": "gen_ai.choice", "attributes": message},
        {"name": "log", "attributes": message},
    ]
    read, report = read_all(otlp(span(events=events), api_key="k", service_name="web"))
    kept = [event["attributes"] for event in parsed(read[0], "events")]
    assert kept == [{"n": 1}, {}, {"message": "words"}]
    assert parsed(read[0], "resource") == {"service.name": "web"}
    assert report.dropped == {"content": 2, "credentials": 1}


def test_tokens_are_known_by_their_looks_too():
    door = Door(report := ReadReport())
    kept = door.attributes({"a": "Bearer abcdefghijk", "b": "sk-" + "a" * 20, "c": "basic"})
    assert kept == {"c": "basic"}
    assert report.dropped == {"credentials": 2}


def test_command_lines_lose_the_values_of_secret_options_only():
    door = Door(report := ReadReport())
    arguments = ["serve", "--api-key", "k1", "--port", "80", "-Dx.password=pw"]
    kept = door.attributes({"process.command_args": arguments})["process.command_args"]
    assert kept == ["serve", "--api-key", "REDACTED", "--port", "80", "-Dx.password=REDACTED"]
    line = door.attributes({"process.command_line": "run --token abc --n 5"})
    assert line == {"process.command_line": "run --token REDACTED --n 5"}
    assert report.dropped == {"credentials": 3}


def test_of_call_parameters_the_settings_stay():
    said = {"stream": True, "max_tokens": 5, "model": "m", "tools": [{"name": "t"}], "stop": "a\nb"}
    door = Door(report := ReadReport())
    kept = door.attributes({"llm.invocation_parameters": json.dumps(said)})
    assert json.loads(kept["llm.invocation_parameters"]) == {
        "stream": True,
        "max_tokens": 5,
        "model": "m",
    }
    assert report.dropped == {"content": 1}


def test_nested_objects_are_searched_and_numbers_are_no_content():
    nested = {"request": {"authorization": "x", "prompt": "words", "n": 1}, "output": 5}
    door = Door(report := ReadReport())
    assert door.attributes(nested) == {"request": {"n": 1}, "output": 5}
    assert report.dropped == {"credentials": 1, "content": 1}


def test_attributes_that_may_all_pass_are_not_copied():
    attributes = {"a": 1, "b": ["x"], "c": {"d": "e"}}
    assert Door(ReadReport()).attributes(attributes) is attributes


def test_jaeger_and_zipkin_pass_the_same_door():
    process = {"serviceName": "web", "tags": []}
    tags = [{"key": "input.value", "type": "string", "value": "words"}]
    jaeger = {
        "traceID": "ab",
        "spanID": "cd",
        "operationName": "o",
        "tags": tags,
        "process": process,
    }
    zipkin = {"traceId": "ab", "id": "cd", "timestamp": 5, "tags": {"input.value": "words"}}
    for export in ({"data": [{"traceID": "ab", "spans": [jaeger], "processes": {}}]}, [zipkin]):
        assert "words" not in rows(export)[0]["attributes"]
        assert read_all(export)[1].dropped == {"content": 1}
