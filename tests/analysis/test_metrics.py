"""The figures of a request: the answer, its first token, its tokens, its names."""

import pytest
from trees import every, tree

from analysis.critical_path import partition
from analysis.metrics import (
    answer_call,
    counted_calls,
    first_token,
    identity,
    on_path,
    segments,
    stage_sums,
    token_columns,
    tpot_ns,
)
from analysis.rules import Mark, Rule, RuleSet
from analysis.stages import STAGES
from analysis.staging.matching import Matcher
from analysis.staging.pieces import stage

US = 1_000


def offset(name):
    return Mark(name, name, unit="us", meaning="offset")


RULES = RuleSet(
    (
        Rule("engine", "model", "call", name="^engine", marks=(offset("first_token"),)),
        Rule("over", "app_logic", name="^chat", call_below=True, marks=(offset("first_chunk"),)),
        Rule("call", "model", "call", name="^chat", marks=(offset("first_chunk"),)),
        Rule("browser", "client_network", name="^fetch", marks=(offset("response_start"),)),
        Rule("proxy", "api_gateway", name="^proxy", marks=(offset("first_byte"),)),
    )
)


class Request:
    """A request whose times are given in µs."""

    def __init__(self, *lines, **attributes):
        columns = {key: {"attributes": value} for key, value in attributes.items()}
        self.root = tree(*lines, **columns)
        for span in every(self.root):
            span.start, span.end = span.start * US, span.end * US
        self.staged = stage(self.root, Matcher(RULES))
        self.slices = partition(self.root)
        self.path = on_path(owned.span for owned in self.slices)
        self.call = answer_call(self.staged, self.path)

    @property
    def seen(self):
        found = first_token(self.staged, self.call)
        return found and (found.source, found.at / US)

    @property
    def answer(self):
        return self.call and self.call.span.key


def test_the_answer_is_the_last_streaming_call():
    lines = ("app . 0 1000", "chat1 app 10 300", "chat2 app 300 900", "chat3 app 900 990")
    first = {"first_chunk": 100}
    assert Request(*lines, chat1=first, chat2=first).answer == "chat2"


def test_without_a_streaming_call_the_last_one_is_the_answer_and_has_no_first_token():
    request = Request("app . 0 1000", "chat1 app 10 300", "chat2 app 300 900")
    assert (request.answer, request.seen) == ("chat2", None)


def test_a_call_that_is_not_on_the_path_is_no_answer():
    lines = ("app . 0 1000", "chat1 app 10 900", "chat2 app 100 600")
    assert Request(*lines, chat1={}, chat2={"first_chunk": 100}).answer == "chat1"
    assert Request("app . 0 1000").answer is None


CHAIN = (
    "fetch . 0 1000", "proxy fetch 10 990", "chat proxy 20 980 app client",
    "engine chat 50 900 gpu server",
)  # fmt: skip
SEEN = {
    "chat": {"first_chunk": 400},
    "fetch": {"response_start": 450},
    "proxy": {"first_byte": 430},
    "engine": {"first_token": 300},
}


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (("chat", "fetch", "proxy", "engine"), ("client_chunk", 420)),
        (("fetch", "proxy", "engine"), ("response_start", 450)),
        (("proxy", "engine"), ("proxy_first_byte", 440)),
        (("engine",), ("engine", 350)),
    ],
)
def test_the_first_token_is_taken_where_it_is_seen_nearest_to_the_reader(known, expected):
    assert Request(*CHAIN, **{key: SEEN[key] for key in known}).seen == expected


def test_of_two_proxies_the_outermost_counts():
    lines = ("proxy . 0 1000", "proxy2 proxy 10 990", "chat proxy2 20 980")
    seen = {"proxy": {"first_byte": 500}, "proxy2": {"first_byte": 400}}
    request = Request(*lines, chat={"gen_ai.request.stream": True}, **seen)
    assert request.seen == ("proxy_first_byte", 500)


def test_headers_that_leave_before_the_model_answers_are_no_first_token():
    lines = ("fetch . 0 9000", "engine fetch 50 8900 gpu server")
    request = Request(*lines, fetch={"response_start": 60}, engine={"first_token": 5000})
    assert request.seen == ("engine", 5050)


def test_an_answer_that_is_not_streamed_has_no_first_token():
    request = Request(*CHAIN[:3], fetch=SEEN["fetch"], chat={"gen_ai.request.stream": False})
    assert request.seen is None


def test_a_doubtful_first_chunk_of_a_wrapper_is_flagged_and_left_out():
    request = Request(*CHAIN, chat={"first_chunk": 2000}, engine=SEEN["engine"])
    assert request.seen == ("engine", 350)
    assert request.staged.spans[2].flags == {"first_token_outside_span": 1_040_000}


@pytest.mark.parametrize(("tokens", "expected"), [(76, 10_000), (1, None), (0, None), (8, 107_143)])
def test_time_per_token_leaves_the_first_one_out(tokens, expected):
    attributes = {"first_chunk": 250, "gen_ai.usage.output_tokens": tokens}
    request = Request("chat . 0 1000", chat=attributes)
    assert tpot_ns(request.call, None) == expected


def test_the_requests_counts_are_the_answers_and_totals_stand_beside():
    usage = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}
    answer = {**usage, "first_chunk": 100, "gen_ai.usage.input_tokens": 70}
    lines = ("app . 0 1000", "chat1 app 10 300", "chat2 app 300 900")
    request = Request(*lines, chat1=usage, chat2=answer)
    found = token_columns(request.staged, request.call)
    assert (found["input_tokens"], found["total_input_tokens"]) == (70, 80)
    assert (found["cached_tokens"], found["total_cached_tokens"]) == (None, None)
    assert found["n_calls"] == 2


def test_a_call_inside_a_call_is_counted_once():
    tokens = {"gen_ai.usage.output_tokens": 5}
    lines = ("app . 0 1000", "engine app 10 900", "engine2 engine 20 800")
    request = Request(*lines, engine=tokens, engine2=tokens)
    assert [call.span.key for call, _ in counted_calls(request.staged)] == ["engine"]
    assert token_columns(request.staged, None)["total_output_tokens"] == 5
    request = Request(*lines, engine2=tokens)
    assert token_columns(request.staged, None)["total_output_tokens"] == 5


def test_stages_before_the_first_token_are_the_same_partition_cut_off():
    request = Request("app . 0 1000", "chat app 100 900", chat={"first_chunk": 300})
    parts = segments(request.slices)
    before = {name: ns for name, ns in stage_sums(parts, 400 * US).items() if ns}
    assert before == {"unattributed": 100 * US, "model": 300 * US}
    assert list(stage_sums(parts)) == list(STAGES)


def test_a_request_is_named_by_its_root_and_its_first_server_span():
    root = tree("app . 0 100 web", "in app 10 90 web server")
    root.children[0].attributes["http.route"] = "/v1/chat"
    root.resource = {"service.version": 2.1}
    found = identity(stage(root, Matcher(RULES)))
    names = {key: found[key] for key in ("name", "route", "service", "version", "status")}
    assert names == {
        "name": "app", "route": "/v1/chat", "service": "web", "version": "2.1", "status": "ok",
    }  # fmt: skip


def test_a_request_without_a_server_span_has_no_route():
    found = identity(stage(tree("app . 0 100"), Matcher(RULES)))
    assert (found["route"], found["version"], found["raw_e2e_ns"]) == (None, None, 100)


def test_a_placeholder_speaks_through_its_children():
    root = tree("gone . 0 100", "b gone 10 90 web")
    root.placeholder, root.service, root.raw_start = True, None, None
    root.flags["root_missing"] = None
    root.children[0].status = "error"
    found = identity(stage(root, Matcher(RULES)))
    assert (found["service"], found["status"], found["raw_e2e_ns"]) == ("web", "error", None)
    assert found["excluded"]


def test_a_failing_status_code_fails_the_request():
    root = tree("app . 0 100")
    root.attributes["http.response.status_code"] = 503
    assert identity(stage(root, Matcher(RULES)))["status"] == "error"
