from builders import MS, rows
from cleaned import by_name, cleaned, link, ms, roots_of
from strategies import nodes

from analysis.cleaning import clean

OTHER = "0" * 31 + "1"


def parents(found):
    return {name: span.parent.name if span.parent else None for name, span in found.items()}


def test_an_all_zero_parent_is_none():
    found = cleaned("a . web server 0 100 chat", a={"parent_id": "0" * 16})
    assert (found["a"].parent_id, found["a"].flags) == (None, {})


def test_a_child_of_link_stands_in_for_a_missing_parent():
    found = cleaned(
        "g . web client 20 80 generate",
        "c . web server 0 100 chat",
        "d . web internal 40 70 decode",
        g=link("c", "child_of"),
        d=link("g", "child_of"),
    )
    assert parents(found) == {"g": "chat", "c": None, "d": "generate"}
    assert all(span.blocking and not span.flags for span in found.values())


def test_a_reference_into_another_trace_is_a_link_and_no_parent():
    columns = link("c", "child_of", OTHER)
    assert len(roots_of("c . web server 0 9 x", "d . web server 20 30 y", d=columns)) == 2


def test_a_span_that_is_its_own_parent_is_a_root():
    found = cleaned("a a web server 0 100 chat", "b a web client 10 60 generate")
    assert parents(found) == {"a": None, "b": "chat"}
    assert found["a"].flags == {"parent_cycle": None}


def test_a_cycle_is_cut_at_its_earliest_span_and_others_keep_their_place():
    found = cleaned(
        "a c web server 5 100 first",
        "b a web internal 10 90 second",
        "c b web internal 20 80 third",
        "d c web internal 30 40 outside",
    )
    assert parents(found) == {"a": None, "b": "first", "c": "second", "d": "third"}
    assert {name for name, span in found.items() if span.flags} == {"a"}


def test_a_lone_server_under_an_absent_parent_is_an_ordinary_request():
    for kind in ("server", "consumer"):
        (root,) = roots_of(f"a lost web {kind} 0 100 chat", "b a web client 10 60 generate")
        assert (root.name, root.flags, root.placeholder) == ("chat", {"root_remote": None}, False)


def test_children_of_one_absent_parent_hang_under_one_placeholder():
    found = cleaned("r dead gateway server 10 60 retrieve", "g dead gateway client 70 95 generate")
    placeholder = found["missing/dead"]
    assert ms(placeholder) == (10, 95)
    assert placeholder.placeholder
    assert placeholder.flags == {"root_missing": None}
    assert [child.name for child in placeholder.children] == ["retrieve", "generate"]
    assert (placeholder.stage, placeholder.raw_start) == ("unattributed", None)


def test_a_lone_span_of_another_kind_under_an_absent_parent_is_no_whole_request():
    (root,) = roots_of("a lost web client 0 100 generate")
    assert root.flags == {"root_missing": None}


def test_every_absent_parent_has_a_placeholder_of_its_own():
    roots = roots_of("a x web client 0 10 one", "b y web client 2 8 two")
    assert [ms(root) for root in roots] == [(0, 10), (2, 8)]


def test_several_roots_of_a_trace_are_several_requests_in_time_order():
    roots = roots_of("a . web server 50 90 second", "b . web server 0 40 first")
    assert [root.name for root in roots] == ["first", "second"]


def test_an_orphan_hangs_under_the_smallest_span_that_encloses_it():
    found = cleaned(
        "a . web server 0 100 chat",
        "b a web internal 10 90 agent",
        "c b web internal 20 60 tool",
        "o lost web client 30 50 generate",
    )
    assert found["o"].parent is found["c"]
    assert found["o"].flags == {"parent_missing": None}
    assert found["a"].flags == {}


def test_the_same_service_comes_before_a_smaller_span_of_another():
    found = cleaned(
        "a . web server 0 100 chat",
        "c a other internal 20 60 tool",
        "o lost web client 30 50 generate",
    )
    assert found["o"].parent is found["a"]


def test_an_orphan_may_hang_inside_a_larger_orphan():
    found = cleaned(
        "a . web server 0 100 chat",
        "p lost web internal 20 80 agent",
        "o gone web client 30 50 generate",
    )
    assert found["o"].parent is found["p"]
    assert found["p"].parent is found["a"]


def test_an_orphan_that_nothing_encloses_hangs_under_the_root_that_runs_at_its_start():
    found = cleaned(
        "a . web server 0 100 chat",
        "b . web server 200 300 chat",
        "o lost web client 290 300.5 generate",
    )
    assert found["o"].parent is found["b"]
    assert found["o"].flags == {"parent_missing": None, "outside_parent": MS // 2}


def test_an_orphan_after_all_roots_is_kept_beside_the_last_one():
    found = cleaned("a . web server 0 100 chat", "o lost web client 150 160 flush")
    assert found["o"].parent is found["a"]
    assert not found["o"].blocking
    assert found["o"].flags == {"parent_missing": None, "no_ancestor_running": 50 * MS}


def test_a_lone_server_while_no_root_runs_is_a_request_of_its_own():
    roots = roots_of("a . web server 0 100 chat", "o lost web server 150 160 next")
    assert [root.name for root in roots] == ["chat", "next"]
    assert roots[1].flags == {"root_remote": None}


def test_beside_a_remote_request_enclosed_orphans_join_it_and_others_get_a_placeholder():
    found = cleaned(
        "a lost web server 0 100 chat",
        "o gone web client 10 20 one",
        "p away web client 300 310 two",
    )
    assert found["o"].parent is found["a"]
    assert found["missing/away"].children == [found["p"]]


def test_spans_tied_by_a_plain_link_only_are_not_waited_for():
    found = cleaned(
        "a . web server 0 100 chat", "b . batch internal 10 90 step", "c b batch internal 20 80 x",
        b=link("a"),
    )  # fmt: skip
    assert found["b"].parent is found["a"]
    assert (found["b"].blocking, found["b"].flags) == (False, {"linked_only": None})
    assert found["b"].parent_id is None


def test_links_that_go_round_leave_the_earliest_span_a_root():
    columns = {"a": link("b"), "b": link("a")}
    (root,) = roots_of("a . web server 0 100 chat", "b . web server 10 90 step", **columns)
    assert (root.name, root.flags, root.blocking) == ("chat", {}, True)
    (child,) = root.children
    assert (child.name, child.blocking) == ("step", False)


def test_a_root_that_links_into_its_own_tree_stays_a_root():
    (root,) = roots_of("a . web server 0 100 chat", "b a web client 1 2 x", a=link("b"))
    assert (root.name, root.blocking) == ("chat", True)


def test_ids_that_came_from_one_trace_in_two_files_join():
    first, second = rows("a . web server 0 100 chat"), rows("b a web client 20 80 generate")
    for records in (first + second, second + first):
        assert parents(by_name(clean(nodes(records)))) == {"a": None, "b": "chat"}
