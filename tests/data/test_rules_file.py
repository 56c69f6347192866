"""Reading rules: order, digests, mark sets, and errors that name line and rule."""

from pathlib import Path

import pytest

from analysis.errors import UserError
from data.rules_file import default_rules, read_rules

GOOD = """
[[rule]]
id = "mine"
stage = "tools"
name = "^lookup$"
attributes = { "app.step" = true, "app.kind" = "^slow" }
server_child = false
marks = ["client", { name = "queue", key = "app.wait", unit = "text" }]
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_rule_is_read_with_its_conditions_and_marks(tmp_path):
    (rule,) = read_rules(write(tmp_path, GOOD)).rules
    assert (rule.id, rule.stage, rule.name, rule.source) == ("mine", "tools", "^lookup$", "user")
    assert rule.attributes == (("app.step", True), ("app.kind", "^slow"))
    assert rule.server_child is False
    assert rule.under_call is None
    assert (rule.marks[-1].name, rule.marks[-1].key, rule.marks[-1].unit) == (
        "queue", "app.wait", "text",
    )  # fmt: skip
    assert rule.marks[0].name == "first_chunk"


def test_a_users_rules_stand_above_ours(tmp_path):
    ours, both = default_rules(), default_rules(write(tmp_path, GOOD))
    assert [rule.id for rule in both.rules] == ["mine", *(rule.id for rule in ours.rules)]
    assert both.hash not in ("", ours.hash)


def test_the_hash_follows_the_content(tmp_path):
    first = read_rules(write(tmp_path, GOOD)).hash
    assert read_rules(write(tmp_path, GOOD)).hash == first
    assert read_rules(write(tmp_path, GOOD + "# more\n")).hash != first


def test_a_byte_order_mark_is_no_fault(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert [rule.id for rule in read_rules(path).rules] == ["mine"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[rule]]\nid = 'a'\nstage = 'nowhere'\n", "line 1, rule a: expected a stage among"),
        ("\n[[rule]]\nstage = 'tools'\n", "line 2, rule 1: expected an id"),
        ("[[rule]]\nid = 'a'\n", "expected a stage among client_network"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nname = '('\n", "a regular expression for name"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nnmae = 'x'\n", "found 'nmae'"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nkind = 'SERVER'\n", "expected a kind among"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nrole = 'boss'\n", "expected a role among"),
        (
            "[[rule]]\nid = 'a'\nstage = 'model'\nmarks = [{ name = 'token', key = 'k' }]\n",
            'place = "event" for token',
        ),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nname = 3\n", "expected text for name, found 3"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nserver_child = 'no'\n", "server_child = true or"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nattributes = { k = 3 }\n", "attributes.k = true or"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nattributes = 'k'\n", "expected a table"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nmarks = ['none']\n", "expected a mark set among"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nmarks = [{ name = 'x', key = 'k' }]\n", "a mark am"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\nmarks = [{ name = 'queue' }]\n", "a key on every"),
        ("[[rule]]\nid = 'a'\nstage = 'tools'\n" * 2, "line 4, rule a: expected an id of its own"),
        ("[rule\n", "expected a file of stage rules in TOML"),
        ("rules = []\n", "expected one of rule, marks, found 'rules'"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_what_was_expected(tmp_path, text, says):
    path = write(tmp_path, text)
    with pytest.raises(UserError) as raised:
        read_rules(path)
    assert says in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_mark_says_which_units_and_meanings_there_are(tmp_path):
    mark = "{ name = 'queue', key = 'k', unit = 'hours' }"
    with pytest.raises(UserError, match="expected a unit among ns, us, ms, s, text, iso"):
        read_rules(write(tmp_path, f"[[rule]]\nid = 'a'\nstage = 'tools'\nmarks = [{mark}]\n"))


def test_a_built_in_id_cannot_be_taken(tmp_path):
    text = "[[rule]]\nid = 'vllm_v1_request'\nstage = 'tools'\n"
    with pytest.raises(UserError, match="an id that no built-in rule has"):
        default_rules(write(tmp_path, text))


def test_a_file_that_is_not_there_or_no_text_is_said_to_be_so(tmp_path):
    with pytest.raises(UserError, match="expected a readable file of stage rules"):
        read_rules(tmp_path / "absent.toml")
    broken = tmp_path / "broken.toml"
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="in UTF-8"):
        read_rules(broken)


def test_rules_are_read_once_per_content(tmp_path):
    path = write(tmp_path, GOOD)
    assert read_rules(path).rules[0] is read_rules(path).rules[0]
