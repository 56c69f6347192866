"""`slowpath rules`: list, unattributed, add, delete; the file and the figures change together."""

import json

import pytest
from builders import spans
from command_line import answer, run
from stores_of_files import otlp_document

MS = 1_000_000
CHAT = ("a . web server 0 100 chat", "b a web internal 10 70 crunch")


@pytest.fixture
def here(tmp_path):
    """A database, and the environment that names a rules file."""
    (tmp_path / "rules.toml").write_text("# mine\n")
    export = tmp_path / "chat.json"
    export.write_text(json.dumps(otlp_document(spans(*CHAT))))
    environment = {"SLOWPATH_RULES": str(tmp_path / "rules.toml")}
    assert run(tmp_path / "a.duckdb", "import", export, **environment).code == 0
    return tmp_path / "a.duckdb", environment


def stages(here):
    return answer(here[0], "requests", **here[1])[0]["stages"]


def rules(here, *arguments):
    return run(here[0], "rules", *arguments, **here[1])


def test_a_rule_is_added_and_deleted_again(here):
    before = stages(here)
    (name,) = answer(here[0], "rules", "unattributed", **here[1])["names"]
    assert (name["name"], name["total_ns"]) == ("crunch", 60 * MS)
    said = answer(here[0], "rules", "add", "--name", "^crunch$", "--stage", "tools", **here[1])
    assert (said["saved"], said["requests"], said["moved_ns"]) == (True, 1, 60 * MS)
    assert stages(here) == {"app_logic": 40 * MS, "tools": 60 * MS}
    listed = answer(here[0], "rules", **here[1])
    assert (listed[0]["id"], listed[0]["own"], listed[0]["spans"]) == ("crunch", True, 1)
    gone = answer(here[0], "rules", "delete", "crunch", **here[1])
    assert gone["moves"] == [{"from": "tools", "to": "unattributed", "ns": 60 * MS}]
    assert stages(here) == before


def test_a_dry_run_says_the_same_and_saves_nothing(here, tmp_path):
    done = rules(here, "add", "--name", "crunch", "--stage", "tools", "--dry-run")
    assert done.out.splitlines() == [
        "1 request · 60\u202fms moves from Unattributed to Tools",
        "rule crunch tried, not saved",
    ]
    assert (tmp_path / "rules.toml").read_text() == "# mine\n"
    assert "unattributed" in stages(here)


def test_answers_for_people_say_what_is_left_out(here):
    shown = rules(here).out
    assert "any_server" in shown
    assert "built-in rules took no span; --all lists them" in shown
    assert "vllm_v1_request" not in shown
    assert "vllm_v1_request" in rules(here, "--all").out
    assert "crunch" in rules(here, "unattributed").out
    rules(here, "add", "--service", "web", "--stage", "tools")
    assert rules(here, "unattributed").out == "all time of spans has a stage\n"
    assert rules(here).out.splitlines()[1].split()[:3] == ["web", "own", "Tools"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("add", "--name", "x", "--stage", "nowhere"), "expected a stage among client_network"),
        (("add", "--stage", "tools"), "a name, a service or an attribute"),
        (("add", "--name", "(", "--stage", "tools"), "expected a regular expression for name"),
        (("delete", "nobody"), "'nobody' (there: none)"),
    ],
)
def test_a_fault_is_one_clear_line(here, arguments, says):
    done = rules(here, *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert says in done.err


def test_a_rules_file_at_fault_stops_every_command_with_its_line(here, tmp_path):
    (tmp_path / "rules.toml").write_text('\n[[rule]]\nid = "x"\nstage = "nowhere"\n')
    for arguments in ((), ("unattributed",), ("add", "--name", "x", "--stage", "tools")):
        done = rules(here, *arguments)
        assert (done.code, done.err.count("\n")) == (1, 1)
        assert "rules.toml, line 2, rule x: expected a stage" in done.err


def test_a_file_edited_by_hand_counts_at_the_next_opening(here, tmp_path):
    text = '[[rule]]\nid = "mine"\nstage = "tools"\nname = "^crunch$"\n'
    (tmp_path / "rules.toml").write_text(text)
    assert stages(here)["tools"] == 60 * MS


def test_a_rule_adds_to_the_default_file_where_none_is_named(here, tmp_path, monkeypatch):
    monkeypatch.setattr("services.opening.user_data_path", lambda _name: tmp_path / "data")
    done = run(here[0], "rules", "add", "--name", "crunch", "--stage", "tools", SLOWPATH_RULES="")
    assert done.code == 0
    kept = tmp_path / "data" / "rules.toml"
    assert kept.read_text().startswith("# Stage rules of your own")
    assert str(kept) in done.out
