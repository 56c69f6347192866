"""Commands asked with parameters of any type: an answer or one clear error, never a fault."""

import json
import math

import click
import pytest
from builders import TRACE, spans
from stores_of_files import empty_store, export, imported

import cli
from analysis.errors import UserError
from reports import commands as report_commands
from services import commands
from services.parameters import NEEDED, TAKEN, WrongParameter, check

VALUES = (
    None, True, False, 0, 1, -1, 2**62, 2**63, -(2**70), 0.5, -0.0, 1e308, math.inf, math.nan, "",
    "x", "1", "p95", "\ud800", "\0", "9" * 30, "9" * 5_000, "2026-01-01T00:00:00", "9999-12-31",
    "0001-01-01T00:00:00Z", "a" * 3_000, "' OR 1=1 --", "⏱", [], [1], [1.5], ["x"], [None], [[]],
    [{}], {}, {"x": 1}, {"x": "1"}, {"x": math.nan}, {"semantic_cache": 0.2}, {"x": {"y": []}},
)  # fmt: skip
COMMANDS = {**commands.COMMANDS, **report_commands.COMMANDS}
CASES = [(command, name) for command in COMMANDS for name in TAKEN[command]]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = empty_store()
    chat = spans("a . web server 0 100 chat", "b a web client 20 80 generate")
    imported(opened, export(tmp_path_factory.mktemp("files"), "chat.json", chat))
    yield opened
    opened.close()


def refusal(store, command, params):
    """What is said against the parameters; None where they are answered."""
    try:
        check(command, params)
        json.dumps(COMMANDS[command](store, params))
    except UserError as error:
        return str(error)
    return None


@pytest.mark.parametrize(("command", "name"), CASES, ids=lambda part: part)
def test_every_parameter_takes_its_type_and_refuses_the_others_in_one_line(
    store, command, name, tmp_path, monkeypatch
):
    monkeypatch.setenv("SLOWPATH_RULES", str(tmp_path / "rules.toml"))
    needed = {
        "show": {"trace": TRACE}, "imported": {"data_sets": [1]},
        "rules_add": {"stage": "tools", "name": "^generate$", "dry_run": True},
    }  # fmt: skip
    for value in VALUES:
        params = {**needed.get(command, {}), name: value}
        said = refusal(store, command, params)
        assert said is None or said.isprintable()


@pytest.mark.parametrize("command", [name for name in TAKEN if TAKEN[name]])
def test_a_wrong_type_and_an_unknown_name_say_what_and_where(command):
    needed = {name: [] for name in NEEDED.get(command, ())}
    for name, kind in TAKEN[command].items():
        wrong = next(value for value in VALUES if value is not None and not kind.holds(value))
        with pytest.raises(WrongParameter, match=f"expected {kind.called}") as refused:
            check(command, needed | {name: wrong})
        assert refused.value.where == f"{command} {name}"
    with pytest.raises(WrongParameter, match="expected one of"):
        check(command, needed | {"nothing like it": 1})


def test_what_is_needed_may_not_be_missing():
    with pytest.raises(WrongParameter, match="found nothing"):
        check("imported", {})


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_says_what_it_takes(command):
    assert command in TAKEN


@pytest.mark.parametrize("command", sorted(set(cli.main.commands) & set(TAKEN) - {"import"}))
def test_every_option_of_the_command_line_is_taken_beside_an_app_too(command):
    own = {"as_json", "output", "every"}
    options = cli.main.commands[command].params
    names = {o.name for o in options if isinstance(o, click.Option | click.Argument)} - own
    assert names <= set(TAKEN[command])
