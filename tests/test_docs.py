"""The documents name what there is, and nothing that is not there."""

import re

import pytest
from conftest import ROOT

import cli
import collectors
from analysis.flags import FLAGS
from analysis.stages import STAGES
from data.rules_file import default_rules
from ui.page_list import PAGES
from words import labels

DOCS = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if path.exists()
]
TEXT = {path.name: path.read_text(encoding="utf-8") for path in DOCS}
ALL = "\n".join(TEXT.values())
CODE = re.findall(r"```[a-z]*\n(.*?)```", ALL, re.S) + re.findall(r"`([^`\n]+)`", ALL)


def mentioned(pattern):
    return sorted({found for code in CODE for found in re.findall(pattern, code, re.M)})


def test_every_command_that_a_document_gives_is_one():
    given = mentioned(r"(?:^|[\s(/])slowpath(?: --?[a-z-]+(?: [^\s-]\S*)?)? ([a-z]+)\b")
    assert "import" in given
    assert set(given) <= set(cli.main.commands)


def options(command):
    """Those of the command, and of the commands under it."""
    own = {option for one in command.params for option in one.opts}
    return own.union(*(options(below) for below in getattr(command, "commands", {}).values()))


def test_every_option_of_a_command_that_a_document_gives_is_one():
    for line in mentioned(r"(?:^|\s)slowpath ([a-z]+ [^\n|]*)"):
        name, *rest = line.split()
        known = options(cli.main.commands[name])
        given = {word for word in rest if re.fullmatch(r"--?[a-z][a-z-]*", word)}
        assert given <= known, line


def test_every_make_target_that_a_document_gives_is_one():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    given = set(mentioned(r"(?:^|\s)make ([a-z]+)\b"))
    assert {"run", "test"} <= given <= targets


@pytest.mark.parametrize("name", sorted(cli.main.commands))
def test_every_command_is_documented(name):
    assert f"slowpath {name}" in ALL


@pytest.mark.parametrize("module", collectors.FORMATS, ids=lambda module: module.NAME)
def test_every_format_is_documented(module):
    assert f"`{module.NAME}`" in ALL or labels.file_format(module.NAME) in ALL


@pytest.mark.parametrize("module", collectors.SOURCES, ids=lambda module: module.NAME)
def test_every_source_is_documented(module):
    told = [part for part in ALL.split("\n\n") if "slowpath collect" in part]
    assert any(module.TITLE.split(" (")[0] in part for part in told)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.script)
def test_every_page_is_documented(page):
    assert page.title in ALL


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_documented(stage):
    assert f"`{stage}`" in ALL


def test_every_flag_is_explained_where_attribution_is():
    missing = [flag for flag in FLAGS if f"`{flag}`" not in TEXT["attribution.md"]]
    assert missing == []


def test_every_emitter_that_a_rule_knows_is_named_where_the_rules_are():
    emitters = {rule.emitter for rule in default_rules().rules if rule.emitter}
    assert [name for name in sorted(emitters) if f"`{name}`" not in TEXT["rules.md"]] == []


@pytest.mark.parametrize("name", TEXT)
def test_a_document_names_no_place_of_one_machine(name):
    assert re.findall(r"(?<![\w.])/(?:work|home|root|opt|tmp|Users)/\S*", TEXT[name]) == []


@pytest.mark.parametrize("name", TEXT)
def test_a_link_to_a_file_of_ours_leads_there(name):
    folder = ROOT if name == "README.md" else ROOT / "docs"
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", TEXT[name])
    ours = [link for link in links if "://" not in link and not link.startswith("mailto:")]
    assert [link for link in ours if not (folder / link).exists()] == []
