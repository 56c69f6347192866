"""From spans to stages: client spans, observers, retries, and pieces that tile every span."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import every, tree, trees

from analysis.critical_path import partition
from analysis.metrics import segments, stage_sums
from analysis.rules import Mark, Rule, RuleSet
from analysis.staging.matching import Matcher
from analysis.staging.pieces import adopt_servers, overlaid, stage
from analysis.tree import Piece

CHUNK = Mark("first_chunk", "chunk", unit="ns", meaning="offset")
RULES = RuleSet(
    (
        Rule("wire", "internal_network", kind="client", server_child=True),
        Rule("watch", "unattributed", "observer", name="^watch"),
        Rule(
            "transport", "unattributed", "observer", kind="client", under_call=True,
            attributes=(("http.request.method", True),),
            marks=(Mark("processing", "took", unit="ns"),),
        ),
        Rule("call", "model", "call", name="^chat", marks=(CHUNK,)),
        Rule("retry", "retries_backoff", "retry", name="^Retry"),
        Rule("gateway", "api_gateway", service="^gw$"),
        Rule("app", "app_logic", name="^app"),
    )
)  # fmt: skip
HTTP = {"http.request.method": "POST"}


def staged(*lines, **columns):
    root = tree(*lines, **columns)
    return root, stage(root, Matcher(RULES))


def sums(root):
    return {name: ns for name, ns in stage_sums(segments(partition(root))).items() if ns}


def pieces(span):
    return [(piece.stage, piece.start, piece.end) for piece in span.pieces]


def test_a_client_of_a_traced_server_is_the_wire():
    root, _ = staged("app . 0 100 web", "c app 10 90 web client", "s c 30 60 app server")
    assert sums(root) == {"app_logic": 20, "internal_network": 50, "unattributed": 30}


def test_a_server_beside_its_client_moves_under_it_first():
    root, _ = staged("app . 0 100 web", "c app 10 90 web client", "s app 30 60 other server")
    assert [child.key for child in root.children] == ["c"]
    assert sums(root) == {"app_logic": 20, "internal_network": 50, "unattributed": 30}


def adopted(*lines, **columns):
    root = tree(*lines, **columns)
    adopt_servers(root)
    return {span.key: span.parent.key for span in every(root)[1:]}


def test_the_smallest_call_around_a_server_adopts_it():
    lines = ("a . 0 100 web", "wide a 0 100 web client", "near a 20 70 web client")
    assert adopted(*lines, "s a 30 60 x server")["s"] == "near"


def test_each_call_adopts_one_server():
    lines = ("a . 0 100 web", "c1 a 0 90 web client", "c2 a 0 80 web client")
    found = adopted(*lines, "s1 a 10 70 x server", "s2 a 10 60 y server")
    assert {found["s1"], found["s2"]} == {"c1", "c2"}


@pytest.mark.parametrize(
    "server", ["s a 5 60 x server", "s a 30 95 x server", "s a 30 60 web server", "s a 30 60 x"]
)
def test_a_server_that_does_not_fit_stays_where_it_is(server):
    assert adopted("a . 0 100 web", "c a 10 90 web client", server)["s"] == "a"


def test_a_database_call_adopts_nobody():
    lines = ("a . 0 100 web", "c a 10 90 web client", "s a 30 60 x server")
    assert adopted(*lines, c={"attributes": {"db.system": "redis"}})["s"] == "a"


def test_a_call_that_has_its_server_adopts_no_second_one():
    lines = ("a . 0 100 web", "c a 10 90 web client", "own c 20 40 x server")
    assert adopted(*lines, "s a 50 60 y server")["s"] == "a"


LAYERS = ("a . 0 100 web", "c a 10 90 web client", "s a 15 85 x server", "t a 20 80 x server")


def test_the_layers_of_a_server_that_answers_a_call_lie_in_one_another():
    found = adopted(*LAYERS, "deep t 30 70 x", "late a 40 95 x server")
    assert (found["s"], found["t"], found["deep"], found["late"]) == ("c", "s", "t", "a")
    root, _ = staged("app . 0 100 web", *(line.replace(" a ", " app ") for line in LAYERS[1:]))
    assert sums(root) == {"app_logic": 20, "internal_network": 10, "unattributed": 70}
    assert root.children[0].children[0].children[0].key == "t"


@pytest.mark.parametrize(
    "column", [{"service": "y"}, {"host": "h2"}, {"kind": "internal"}, {"blocking": False}]
)
def test_a_span_of_another_process_or_kind_is_no_layer(column):
    root = tree(*LAYERS)
    for span in every(root):
        span.host = "h1" if span.service == "x" else None
        for name, value in column.items() if span.key == "t" else ():
            setattr(span, name, value)
    adopt_servers(root)
    assert {span.key: span.parent.key for span in every(root)[1:]}["t"] == "a"


def test_the_layers_of_a_server_under_its_call_lie_in_one_another_too():
    lines = ("c . 0 100 web client", "s c 10 90 x server", "t c 20 80 x server")
    lines += ("u c 30 70 x server", "v c 75 85 x server", "same c 30 70 x server")
    found = adopted(*lines)
    assert found == {"s": "c", "t": "s", "same": "t", "u": "same", "v": "s"}


def test_layers_beside_their_call_come_under_it_and_then_into_one_another():
    found = adopted(*LAYERS, "u a 30 70 x server")
    assert (found["s"], found["t"], found["u"]) == ("c", "s", "t")


def test_a_second_server_is_no_layer_where_no_call_is_traced():
    found = adopted("a . 0 100 web", "s a 15 85 x server", "t a 20 80 x server")
    assert found == {"s": "a", "t": "a"}


def test_the_transport_of_a_call_bears_the_calls_stages():
    root, found = staged(
        "chat . 0 100_000 web", "http chat 10_000 90_000 web client",
        chat={"attributes": {"chunk": 40_000}}, http={"attributes": HTTP},
    )  # fmt: skip
    http = root.children[0]
    assert http.observer
    assert pieces(http) == [("model", 10_000, 40_000), ("decode", 40_000, 90_000)]
    assert sums(root) == {"model": 40_000, "decode": 60_000}
    assert list(found.calls) == ["chat"]


def test_headers_of_the_transport_cut_the_call():
    root, _ = staged(
        "chat . 0 100_000 web client", "http chat 10_000 90_000 web client",
        http={"attributes": HTTP | {"took": "70000"}},
    )  # fmt: skip
    assert sums(root) == {"external_network": 30_000, "model": 70_000}


def test_a_span_that_repeats_its_call_changes_no_stage():
    root, found = staged("app . 0 100", "chat app 10 90", "chat2 chat 10 90")
    assert root.children[0].children[0].observer
    assert list(found.calls) == ["chat"]
    assert sums(root) == {"app_logic": 20, "model": 80}


def test_an_observer_without_a_call_keeps_its_own_stage():
    root, _ = staged("app . 0 100", "watch app 10 90", "x app 20 50", x={"name": "app 2"})
    assert sums(root) == {"app_logic": 50, "unattributed": 50}


def test_failed_attempts_and_the_gaps_behind_them_are_backoff():
    failed, ok = {"status": "error", "name": "POST"}, {"name": "POST"}
    root, found = staged(
        "app . 0 100 gw", "one app 10 20 gw client", "deep one 12 18 x server",
        "two app 30 40 gw client", "three app 50 90 gw client", one=failed, two=failed, three=ok,
    )  # fmt: skip
    assert sums(root) == {"api_gateway": 60, "retries_backoff": 40}
    assert found.wasted == {"one", "deep", "two"}
    assert ("retries_backoff", 20, 30) in pieces(root)


def test_a_gap_between_transports_under_a_call_is_backoff():
    root, found = staged(
        "chat . 0 100_000", "one chat 5_000 10_000 web client", "two chat 30_000 95_000 web client",
        chat={"attributes": {"chunk": 50_000}},
        one={"attributes": HTTP, "status": "error", "name": "POST"},
        two={"attributes": HTTP, "name": "POST"},
    )  # fmt: skip
    assert sums(root) == {"model": 25_000, "decode": 50_000, "retries_backoff": 25_000}
    assert found.wasted == {"one"}


def test_the_attempt_that_counted_is_no_retry():
    same = {"name": "Retry"}
    root, _ = staged(
        "gate . 0 100 gw", "r1 gate 0 40 gw", "r2 gate 40 100 gw", "app r2 50 90", r1=same, r2=same
    )
    assert sums(root) == {"retries_backoff": 40, "api_gateway": 20, "app_logic": 40}


def test_siblings_that_overlap_by_a_hair_are_noted():
    root, _ = staged(
        "app . 0 100_000", "b app 0 50_000", "c app 49_500 90_000", "d app 85_000 99_000"
    )
    assert root.children[1].flags == {"overlapping_siblings": 500}
    assert root.children[2].flags == {}


def test_a_wrapper_around_one_call_lends_it_its_tokens():
    tokens = {"attributes": {"gen_ai.usage.output_tokens": 9, "gen_ai.request.model": "m"}}
    _, found = staged("app . 0 100", "chat app 10 90", app=tokens)
    assert (found.calls["chat"].usage.output, found.calls["chat"].model) == (9, "m")
    _, found = staged("app . 0 100", "chat app 10 40", "chat2 app 50 90", app=tokens)
    assert found.calls["chat"].usage.output is None


@given(trees(observers=False), st.data())
def test_pieces_tile_every_span_whatever_its_rule(root, data):
    for span in every(root):
        span.name = data.draw(st.sampled_from(["chat", "Retry", "watch", "app", "other"]))
        span.kind = data.draw(st.sampled_from(["client", "server", "internal"]))
        span.status = data.draw(st.sampled_from(["error", "ok"]))
        span.service = data.draw(st.sampled_from(["gw", "x", None]))
    found = stage(root, Matcher(RULES))
    for span in found.spans:
        edge = span.start
        for piece in span.pieces:
            assert piece.start == edge <= piece.end
            edge = piece.end
        assert edge == span.end
    assert sum(sums(root).values()) == root.end - root.start


edges = st.integers(-5, 45)


@given(st.lists(st.tuples(edges, edges).map(sorted), max_size=6))
def test_gaps_laid_over_pieces_leave_them_tiled(gaps):
    laid = overlaid([Piece("a", 0, 15), Piece("b", 15, 40)], gaps, "gap")
    owner = {at: piece.stage for piece in laid for at in range(piece.start, piece.end)}
    for at in range(40):
        inside = any(low <= at < high for low, high in gaps)
        assert owner.pop(at) == ("gap" if inside else "a" if at < 15 else "b")
    assert owner == {}
