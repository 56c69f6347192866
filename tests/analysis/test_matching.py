"""The matcher: first match wins, conditions see the span and its neighbours, and it is quick."""

import time
from typing import Any

import pytest

from analysis.rules import Rule, RuleSet
from analysis.staging.matching import FALLBACK, Matcher
from analysis.tree import Event, Link, Span


def span(key: str = "a", parent: str | None = None, **more: Any) -> Span:
    fields: dict[str, Any] = {
        "key": key, "trace_id": "t", "span_id": key, "parent_id": parent, "name": "work",
        "service": "app", "host": None, "kind": "internal", "status": "unset", "scope": None,
        "raw_start": 0, "raw_end": 1,
    }  # fmt: skip
    return Span(**(fields | more))


def ids(spans: list[Span], *rules: Rule) -> list[str]:
    Matcher(RuleSet(rules)).assign(spans)
    return [node.rule.id for node in spans if node.rule is not None]


HTTP = {"http.request.method": "POST"}


def test_the_first_rule_that_holds_wins():
    first, second = Rule("one", "tools", name="^w"), Rule("two", "tools", name="work")
    assert ids([span()], first, second) == ["one"]
    assert ids([span()], second, first) == ["two"]


def test_a_span_that_no_rule_takes_is_unattributed():
    node = span()
    assert ids([node], Rule("one", "tools", name="^other$")) == ["fallback"]
    assert node.rule is FALLBACK
    assert FALLBACK.stage == "unattributed"


def test_every_condition_has_to_hold():
    wanted = Rule("one", "tools", name="^w", service="^app$", attributes=(("k", True),))
    assert ids([span(attributes={"k": 1})], wanted) == ["one"]
    assert ids([span()], wanted) == ["fallback"]
    assert ids([span(service=None, attributes={"k": 1})], wanted) == ["fallback"]


@pytest.mark.parametrize("value", [503, "503", ["200", "503"], [503]])
def test_a_pattern_reads_numbers_texts_and_lists(value):
    wanted = Rule("one", "tools", attributes=(("code", "^503$"),))
    assert ids([span(attributes={"code": value})], wanted) == ["one"]
    assert ids([span(attributes={"code": "5030"})], wanted) == ["fallback"]


def test_a_truth_value_reads_as_its_small_letter_word():
    wanted = Rule("one", "tools", attributes=(("cold", "^true$"),))
    assert ids([span(attributes={"cold": True})], wanted) == ["one"]
    assert ids([span(attributes={"cold": False})], wanted) == ["fallback"]
    assert ids([span("a", attributes={"cold": True}), span("b", attributes={"cold": "True"})],
               wanted) == ["one", "fallback"]  # fmt: skip


def test_a_key_that_holds_nothing_is_still_there():
    assert ids([span(attributes={"k": 0})], Rule("one", "tools", attributes=(("k", True),))) == [
        "one"
    ]


def test_one_of_several_keys_is_enough():
    wanted = Rule("one", "tools", attributes=(("new|old", "^x$"),))
    assert ids([span(attributes={"old": "x"})], wanted) == ["one"]
    assert ids([span(attributes={"new": "x", "old": "y"})], wanted) == ["one"]
    assert ids([span(attributes={"old": "y"})], wanted) == ["fallback"]


def test_resource_events_scope_and_status_are_seen():
    events = [Event("First Token Stream Event", 5, {})]
    node = span(resource={"pod": "p"}, events=events, scope="lib", status="error")
    for condition in (
        {"resource": (("pod", "^p$"),)}, {"event": "First Token"}, {"scope": "^lib$"},
        {"status": "error"},
    ):  # fmt: skip
        wanted = Rule("one", "tools", **condition)
        assert ids([node, span("b")], wanted) == ["one", "fallback"]


def test_a_server_child_of_another_service_is_seen():
    wanted = Rule("wire", "internal_network", kind="client", server_child=True)
    caller = span(kind="client")
    assert ids([caller, span("b", "a", kind="server", service="other")], wanted)[0] == "wire"
    assert ids([caller, span("b", "a", kind="server")], wanted)[0] == "fallback"
    assert ids([caller, span("b", "a", kind="client", service="other")], wanted)[0] == "fallback"


def test_a_server_below_the_transport_counts_for_the_call_above():
    wanted = Rule("wire", "internal_network", kind="client", server_child=True)
    transport = span("b", "a", kind="client", attributes=HTTP)
    server = span("c", "b", kind="server", service="other")
    assert ids([span(kind="client"), transport, server], wanted) == ["wire", "wire", "fallback"]
    transport.attributes = {}
    assert ids([span(kind="client"), transport, server], wanted) == ["fallback", "wire", "fallback"]


def test_the_absence_of_a_server_child_can_be_asked_for():
    wanted = Rule("opaque", "model", kind="client", server_child=False)
    assert ids([span(kind="client")], wanted) == ["opaque"]
    server = span("b", "a", kind="server", service="other")
    assert ids([span(kind="client"), server], wanted)[0] == "fallback"


def test_a_zipkin_server_half_answers_its_client_half():
    wanted = Rule("wire", "internal_network", kind="client", server_child=True)
    client = span("a", kind="client")
    server = span("a/server", kind="server", service="other", span_id="a", shared=True)
    assert ids([server, client], wanted) == ["fallback", "wire"]


def test_every_record_of_a_span_that_came_twice_has_its_children():
    wanted = Rule("wire", "internal_network", kind="client", server_child=True)
    server = span("b", "a", kind="server", service="other")
    assert ids([span(kind="client"), span(kind="client"), server], wanted)[:2] == ["wire", "wire"]
    call = Rule("call", "model", role="call", kind="server", call_below=False)
    outer = Rule("outer", "app_logic", kind="client", call_below=True)
    assert ids([span(kind="client"), span(kind="client"), server], outer, call)[:2] == [
        "outer", "outer",
    ]  # fmt: skip


def test_a_child_of_link_stands_in_for_a_parent():
    wanted = Rule("wire", "internal_network", server_child=True)
    links = [Link("t", "a", "child_of")]
    server = span("b", kind="server", service="other", links=links)
    assert ids([span(), server], wanted) == ["wire", "fallback"]


def test_a_span_knows_that_it_stands_under_a_call_through_observers():
    call = Rule("call", "model", role="call", name="^chat$")
    seen = Rule("seen", "unattributed", role="observer", under_call=True)
    trace = [span("c", "b"), span("b", "a"), span("a", name="chat")]
    assert ids(trace, call, seen) == ["seen", "seen", "call"]


def test_a_span_knows_that_a_call_stands_below_it():
    outer = Rule("outer", "app_logic", name="^chat$", call_below=True)
    call = Rule("call", "model", role="call", name="^chat$")
    trace = [span("a", name="chat"), span("b", "a"), span("c", "b", name="chat")]
    assert ids(trace, outer, call) == ["outer", "fallback", "call"]


def test_a_cycle_of_parents_is_matched_like_any_other():
    trace = [span("a", "b", kind="client", attributes=HTTP),
             span("b", "a", kind="server", service="other")]  # fmt: skip
    wanted = Rule("wire", "internal_network", kind="client", server_child=True)
    assert ids(trace, wanted) == ["wire", "fallback"]
    assert ids([span("a", "a")], Rule("one", "tools", name="work")) == ["one"]


def test_the_clean_tree_decides_again():
    wanted = Rule("wire", "internal_network", kind="client", server_child=True)
    caller, server = span("a", kind="client"), span("b", kind="server", service="other")
    matcher = Matcher(RuleSet((wanted,)))
    matcher.assign([caller, server])
    assert caller.rule is FALLBACK
    caller.children, server.parent = [server], caller
    matcher.reassign(caller)
    assert caller.rule is wanted


def test_a_placeholder_stays_unattributed():
    node = span(name="", kind="server", placeholder=True)
    assert ids([node], Rule("any", "app_logic", kind="server")) == ["fallback"]


def test_a_hundred_thousand_spans_of_few_shapes_are_quick():
    rules = tuple(
        Rule(f"r{n}", "tools", name=f"^step-{n}$", attributes=((f"k{n % 9}", "^v"),))
        for n in range(250)
    )
    trace = [
        span(str(n), str(n // 2) if n else None, name=f"step-{n % 40}", attributes={"k0": "v"})
        for n in range(100_000)
    ]
    begun = time.process_time()
    Matcher(RuleSet(rules)).assign(trace)
    assert time.process_time() - begun < 3
    assert trace[9].rule is rules[9]
