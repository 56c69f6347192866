"""Rules of one's own: what they would move, and that file and figures change together."""

import json
import os

import pytest
from builders import spans
from stores_of_files import empty_store, export, imported

from analysis.errors import UserError
from data import own_rules
from data.filters import Filters
from services import commands, opening, rules
from services.progress import CancelledError
from services.request_list import every
from services.rule_drafts import Draft, draft_of, literal

MS = 1_000_000
CHAT = ("a . web server 0 100 chat", "b a web internal 10 70 crunch it", "c a web client 80 90 ask")
OTHER = ("a . web server 0 50 search", "b a rank internal 0 40 crunch it")
CRUNCH = Draft("retrieval", literal("crunch it"))


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = tmp_path / "rules.toml"
    path.write_text("# mine\n")
    monkeypatch.setenv("SLOWPATH_RULES", str(path))
    return path


@pytest.fixture
def store(tmp_path, path):
    opened = empty_store()
    batches = (spans(*CHAT), spans(*OTHER, trace_id="2" * 32))
    imported(opened, export(tmp_path, "chat.json", *batches))
    yield opened
    opened.close()


def stages(store):
    return {row["name"]: row["stages"] for row in every(store, Filters())}


def test_unattributed_names_are_listed_by_the_time_that_they_hold(store):
    found = rules.unattributed(store)
    assert [(row["name"], row["service"]) for row in found["names"]] == [
        ("crunch it", "web"), ("crunch it", "rank"), ("ask", "web"),
    ]  # fmt: skip
    first = found["names"][0]
    assert (first["requests"], first["spans"], first["total_ns"]) == (1, 1, 60 * MS)
    assert first["share"] == pytest.approx(60 / 150)
    assert (found["total"], found["total_ns"], found["absent_ns"]) == (3, 110 * MS, 0)
    assert len(rules.unattributed(store, 1)["names"]) == 1


def test_a_preview_counts_what_would_move_and_saves_nothing(store, path):
    before = stages(store)
    found = rules.preview(store, CRUNCH)
    assert found["rule"] == {"id": "crunch_it", "stage": "retrieval", "name": "^crunch it$"}
    assert (found["requests"], found["moved_ns"], found["spans"]) == (2, 100 * MS, 2)
    assert found["moves"] == [{"from": "unattributed", "to": "retrieval", "ns": 100 * MS}]
    assert (found["traces"], found["tried"], found["taken_by"]) == (2, 2, {})
    assert (stages(store), path.read_text()) == (before, "# mine\n")


def test_a_saved_rule_moves_what_its_preview_said_and_survives_a_new_opening(store, path):
    said = rules.preview(store, CRUNCH)
    before = sum(row["retrieval"] for row in stages(store).values() if "retrieval" in row)
    saved = rules.save(store, CRUNCH)
    after = sum(row["retrieval"] for row in stages(store).values())
    assert (saved["derived"], after - before) == (2, said["moved_ns"])
    assert path.read_text().startswith("# mine\n")
    assert own_rules.rules_of(path.read_text(), path) == store.rules
    assert opening.user_rules_path() == path
    assert not rules.edited(store)


def test_a_deleted_rule_gives_all_back(store, path):
    before, text = stages(store), path.read_text()
    rules.save(store, CRUNCH)
    back = rules.preview_delete(store, "crunch_it")
    assert back["moves"] == [{"from": "retrieval", "to": "unattributed", "ns": 100 * MS}]
    rules.remove(store, "crunch_it")
    assert stages(store) == before
    assert path.read_text().strip() == text.strip()


def test_a_service_narrows_a_rule_and_a_later_rule_does_not_see_what_an_earlier_takes(store):
    narrow = Draft("tools", literal("crunch it"), "^rank$")
    assert rules.preview(store, narrow)["requests"] == 1
    rules.save(store, CRUNCH)
    found = rules.preview(store, narrow)
    assert (found["rule"]["id"], found["requests"], found["spans"]) == ("crunch_it_2", 0, 0)
    assert found["taken_by"] == {"crunch_it": 1}


def test_own_rules_win_over_ours(store):
    found = rules.preview(store, Draft("tools", "^search$"))
    assert [(move["to"], move["ns"]) for move in found["moves"]] == [("tools", 10 * MS)]


def test_every_rule_is_listed_own_ones_first_with_what_it_took(store):
    rules.save(store, CRUNCH)
    found = rules.listed(store)
    assert (found[0]["id"], found[0]["own"], found[0]["spans"]) == ("crunch_it", True, 2)
    assert (found[0]["matches"], found[0]["source"]) == ({"name": "^crunch it$"}, "user")
    assert (found[0]["requests"], found[0]["total_ns"]) == (2, 100 * MS)
    assert not found[1]["own"]
    assert len(found) == len(own_rules.ours().rules) + 1
    assert json.loads(json.dumps(found)) == found


def test_a_model_call_of_ones_own_is_counted_as_one(store):
    rules.save(store, Draft("model", literal("ask")))
    assert store.query("calls").shape[0] == 1
    assert rules.listed(store)[0]["role"] == "call"


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"stage": "ranking", "name": "x"}, "stage: expected a stage among client_network"),
        ({"name": "x"}, "found none"), ({"stage": "tools"}, "a name, a service or an attribute"),
        ({"stage": "tools", "name": "("}, "name: expected a regular expression for name"),
        ({"stage": "tools", "attribute": ["=x"]}, "attribute: expected KEY=PATTERN or KEY"),
        ({"stage": "tools", "attribute": ["k=("]}, "attribute k: expected a regular"),
        ({"stage": "tools", "name": "\udcff"}, "a regular expression for name"),
    ],
)  # fmt: skip
def test_a_fault_in_a_rule_is_said_with_what_was_expected(store, path, params, says):
    with pytest.raises(UserError) as caught:
        commands.run(store, "rules_add", params)
    assert says in str(caught.value)
    assert path.read_text() == "# mine\n"


def test_an_attribute_is_a_pattern_or_only_a_key():
    draft = draft_of({"stage": "tools", "attribute": ["app.step=^x$", "app.kind"]})
    row = draft.row(set())
    assert row["attributes"] == {"app.step": "^x$", "app.kind": True}
    assert row["id"] == "app_step_app_kind"


@pytest.mark.parametrize(
    ("draft", "taken", "wanted"),
    [
        (Draft("tools", literal("GET /a?b")), (), "get_a_b"),
        (Draft("tools", "^.*$"), (), "own_tools"),
        (Draft("tools", r"^\d+ POST\b"), (), "post"), (Draft("tools", "^检索$"), (), "检索"),
        (Draft("tools", "a"), ("a", "a_2"), "a_3"), (Draft("tools", service="^web$"), (), "web"),
    ],
)  # fmt: skip
def test_an_id_comes_from_what_the_rule_looks_for(draft, taken, wanted):
    assert draft.row(set(taken))["id"] == wanted


def test_a_file_at_fault_is_named_with_line_and_rule(store, path):
    path.write_text('[[rule]]\nid = "x"\nstage = "nowhere"\n')
    with pytest.raises(UserError, match=r"rules.toml, line 1, rule x: expected a stage"):
        rules.preview(store, CRUNCH)
    with pytest.raises(UserError, match="line 1, rule x"):
        rules.save(store, CRUNCH)


def test_a_save_that_is_cancelled_or_cannot_be_written_changes_nothing(store, path):
    before, text = stages(store), path.read_text()

    def cancel(_step):
        raise CancelledError

    with pytest.raises(CancelledError):
        rules.save(store, CRUNCH, cancel)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        if os.access(path.parent, os.W_OK):  # whoever may write everywhere
            return
        with pytest.raises(UserError, match="can be written"):
            rules.save(store, CRUNCH)
    finally:
        path.parent.chmod(0o755)
        assert (stages(store), path.read_text()) == (before, text)


def test_a_file_edited_by_hand_counts_once_it_is_read_again(store, path):
    path.write_text('[[rule]]\nid = "x"\nstage = "tools"\nname = "^crunch it$"\n')
    assert rules.edited(store)
    assert rules.read_again(store)["derived"] == 2
    assert not rules.edited(store)
    assert stages(store)["chat"]["tools"] == 60 * MS


def test_deleting_what_is_not_there_names_what_is(store):
    rules.save(store, CRUNCH)
    with pytest.raises(UserError, match=r"found 'any_consumer' \(there: crunch_it\)"):
        commands.run(store, "rules_delete", {"id": "any_consumer"})
