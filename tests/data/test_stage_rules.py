"""The shipped rules: each takes its own example, and their order holds where it must."""

import json
import re
from typing import Any

import pytest

from analysis.rules import MARKS, MEANINGS, PLACES, ROLES, UNITS, Rule
from analysis.stages import STAGES
from analysis.staging.matching import Matcher
from analysis.tree import Event, Span
from data.rules_file import default_rules

RULES = default_rules()
BY_ID = {rule.id: rule for rule in RULES.rules}
ENGINE = {"gen_ai.latency.time_in_queue": 0.003, "gen_ai.latency.time_to_first_token": 0.05}
CALL = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "llama"}


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher(RULES)


def node(key: str, parent: str | None, name: str, kind: str, service: str, **more: Any) -> Span:
    events = [Event(event, None, {}) for event in more.pop("events", [])]
    more = {"status": "unset", "scope": None, **more}
    times = {"raw_start": 0, "raw_end": 1}
    return Span(
        key, "t", key, parent, name, service, None, kind, events=events, **times, **more
    )  # fmt: skip


def staged(example: dict[str, Any]) -> tuple[Span, list[Span]]:
    """The example's span, and its trace with the neighbours that the example names."""
    fields = dict(example)
    near = {key: fields.pop(key, False) for key in ("server_child", "under_call", "call_below")}
    span = node("span", "caller" if near["under_call"] else None, **fields)
    trace = [span]
    if near["under_call"]:
        trace.append(node("caller", None, "chat llama", "client", "app", attributes=CALL))
    if near["server_child"]:
        trace.append(node("callee", "span", "serve", "server", "callee"))
    if near["call_below"]:
        above, service = ("callee", "callee") if near["server_child"] else ("span", span.service)
        trace.append(node("call", above, "llm_request", "internal", str(service)))
    return span, trace


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.id)
def test_an_example_is_taken_by_its_own_rule_and_by_none_above(rule: Rule, matcher: Matcher):
    span, trace = staged(rule.example)
    matcher.assign(trace)
    assert span.rule is not None
    assert span.rule.id == rule.id


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.id)
def test_an_example_carries_what_its_rule_asks_for(rule: Rule):
    example = rule.example
    for place in ("name", "service", "kind", "status", "scope"):
        wanted = getattr(rule, place)
        assert wanted is None or re.search(wanted, example[place])
    for key, _ in rule.attributes:
        assert set(key.split("|")) & set(example["attributes"])
    for key, _ in rule.resource:
        assert set(key.split("|")) & set(example["resource"])
    for place in ("server_child", "under_call", "call_below"):
        wanted = getattr(rule, place)
        assert wanted is None or example.get(place, False) is wanted


def test_every_rule_names_a_stage_a_role_and_a_source_that_exist():
    assert len(BY_ID) == len(RULES.rules)
    for rule in RULES.rules:
        assert rule.stage in STAGES
        assert rule.role in ROLES
        assert rule.source
        assert rule.example


def test_every_pattern_compiles_and_every_mark_is_valid():
    for rule in RULES.rules:
        patterns = [rule.name, rule.service, rule.kind, rule.status, rule.scope, rule.event]
        patterns += [w for _, w in (*rule.attributes, *rule.resource) if isinstance(w, str)]
        patterns += [mark.key for mark in rule.marks if mark.place == "event"]
        for pattern in patterns:
            assert pattern is None or re.compile(pattern)
        for mark in rule.marks:
            assert mark.name in MARKS
            assert mark.place in PLACES
            assert mark.unit in UNITS
            assert mark.meaning in MEANINGS


def test_a_model_call_that_can_be_divided_stands_at_stage_model():
    around = {"internal_network", "external_network", "api_gateway", "mesh_sidecar"}
    assert {rule.stage for rule in RULES.rules if rule.role == "call"} == {"model", *around}


def test_all_drafted_rules_are_here(shared):
    drafted = json.loads((shared / "knowledge" / "stage_rules.draft.json").read_text())
    assert {rule["id"] for rule in drafted} <= set(BY_ID)
    order = [rule.id for rule in RULES.rules]
    assert order[0] == drafted[0]["id"]
    assert order[-1] == drafted[-1]["id"] == "fallback"


def taken(matcher: Matcher, *trace: Span) -> list[str]:
    matcher.assign(list(trace))
    return [span.rule.id for span in trace if span.rule is not None]


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        (ENGINE | {"gen_ai.latency.time_in_model_prefill": 0.04}, "vllm_v1_request"),
        (ENGINE, "vllm_v0_or_trtllm_request"),
        ({"gen_ai.latency.time_to_first_token": 0.05}, "engine_request_ttft_only"),
        ({}, "engine_request_opaque"),
    ],
)
def test_an_engine_span_goes_to_the_rule_that_reads_most_of_it(matcher, attributes, rule):
    span = node("a", None, "llm_request", "server", "vllm", attributes=attributes)
    assert taken(matcher, span) == [rule]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("vllm_v1_request", "vllm_v0_or_trtllm_request"),
        ("sglang_root", "sglang_other"),
        ("litellm_raw_observer", "litellm_call"),
        ("envoy_extproc_observer", "envoy_gateway"),
        ("istio_sidecar", "envoy_gateway"),
        ("kong_auth", "kong"),
        ("connection_go", "cdn_service"),
        ("transport", "client_traced"),
        ("call_over_call_traced", "call_traced"),
        ("call_traced", "genai_call"),
        ("genai_call_stream", "genai_call"),
        ("genai_embeddings", "genai_bare_request_model"),
        ("vector_store_db_system_name", "database_db_system_name"),
        ("asgi_disconnect_observer", "asgi_io"),
        ("name_guard", "any_server"),
    ],
)
def test_the_particular_stands_above_the_general(before, after):
    order = [rule.id for rule in RULES.rules]
    assert order.index(before) < order.index(after)


def test_a_client_call_is_the_wire_once_its_engine_is_traced(matcher):
    client = node("a", None, "chat llama", "client", "app", attributes=CALL)
    http = {"http.request.method": "POST"}
    wire = node("b", "a", "POST", "client", "app", attributes=http)
    server = node("c", "b", "POST /v1/chat/completions", "server", "vllm")
    engine = node("d", "c", "llm_request", "server", "vllm", attributes=ENGINE)
    ids = ["call_over_call_traced", "client_traced", "engine_service_over_call"]
    assert taken(matcher, client, wire, server, engine) == [*ids, "vllm_v0_or_trtllm_request"]
    assert not client.is_call
    assert {mark.name for mark in client.rule.marks} == {"first_chunk", "chunk", "time_per_token"}


def test_a_client_call_keeps_its_tokens_where_the_server_tells_nothing_of_the_call(matcher):
    client = node("a", None, "chat llama", "client", "app", attributes=CALL)
    server = node("b", "a", "POST /v1/chat/completions", "server", "llm-proxy")
    assert taken(matcher, client, server)[0] == "call_traced"
    assert client.is_call
    assert client.rule.stage == "internal_network"


def test_the_transport_of_an_untraced_call_is_an_observer(matcher):
    client = node("a", None, "chat gpt-4o", "client", "app", attributes=CALL)
    http = {"http.request.method": "POST", "server.address": "api.openai.com"}
    wire = node("b", "a", "POST", "client", "app", attributes=http)
    assert taken(matcher, client, wire) == ["genai_call", "transport"]
    assert wire.rule.role == "observer"


def test_a_client_without_a_traced_callee_is_not_called_network(matcher):
    http = {"http.request.method": "POST", "url.full": "http://billing/charge"}
    assert taken(matcher, node("a", None, "POST", "client", "app", attributes=http)) == [
        "any_client"
    ]
    assert BY_ID["any_client"].stage == "unattributed"
