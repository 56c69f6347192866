"""The user's rules file: rows come and go, everything else in it stays as it was."""

import tomllib

import pytest

from analysis.errors import UserError
from data import own_rules
from data.own_rules import appended, rules_of, without, write

FILE = """# Mine, do not touch
[marks]
wait = [{ name = "queue", key = "app.wait", unit = "ms" }]

# the ranker
[[rule]]
id = "ranker"    # by hand
stage = "embedding_rerank"
name = "^score-batch$"
marks = [
  "wait",
  # more later
]

# about the next one
[[rule]]
id = "carrier"
stage = "tools"
source = '''
[[rule]]
id = "no rule"
'''
[rule.attributes]
"app.step" = true
# the end
"""
ROW = {"id": "a", "stage": "tools", "name": r"^GET /x\d+$", "attributes": {"k.v": 'it\'s "q"\x7f'}}


def ids(text):
    return [row["id"] for row in tomllib.loads(text).get("rule", [])]


def test_a_rule_is_appended_and_all_before_stays(tmp_path):
    text = appended(FILE, ROW)
    assert text.startswith(FILE)
    assert tomllib.loads(text)["rule"][-1] == ROW
    assert [rule.id for rule in rules_of(text, tmp_path).rules[:3]] == ["ranker", "carrier", "a"]


def test_the_first_rule_makes_a_file_that_says_what_it_is(tmp_path):
    text = appended("", ROW)
    assert text.startswith("# Stage rules of your own")
    assert ids(text) == ["a"]
    assert rules_of("", tmp_path) == own_rules.ours()


def test_line_ends_stay_what_they_are():
    text = appended("# mine\r\n", ROW)
    assert text.count("\r\n") == text.count("\n") == 7
    assert ids(without(text, "a", "x")) == []


@pytest.mark.parametrize(("gone", "left"), [("ranker", ["carrier"]), ("carrier", ["ranker"])])
def test_a_rule_is_taken_out_and_comments_outside_its_lines_stay(gone, left):
    text = without(FILE, gone, "rules.toml")
    assert ids(text) == left
    for comment in ("# Mine, do not touch", "# the ranker", "# about the next one", "# the end"):
        assert comment in text
    assert ("# by hand" in text) == (gone != "ranker")


def test_what_was_appended_goes_without_a_trace():
    assert without(appended(FILE, ROW), "a", "x") == FILE + "\n"
    assert without(appended(appended(FILE, ROW), ROW | {"id": "b"}), "a", "x") == appended(
        FILE, ROW | {"id": "b"}
    )


@pytest.mark.parametrize(
    ("text", "rule_id", "says"),
    [
        (FILE, "nobody", "'nobody' (there: ranker, carrier)"), ("", "a", "(there: none)"),
        ('rule = [{ id = "a", stage = "tools" }]\n', "a", "on lines of its own"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_out_is_said(text, rule_id, says):
    with pytest.raises(UserError) as caught:
        without(text, rule_id, "rules.toml")
    assert says in str(caught.value)
    assert "rules.toml" in str(caught.value)


def test_a_file_is_replaced_at_once_with_its_rights_and_its_link(tmp_path):
    real, link = tmp_path / "real.toml", tmp_path / "rules.toml"
    real.write_text(FILE)
    real.chmod(0o640)
    link.symlink_to(real)
    write(link, "# new\n", FILE)
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("# new\n", 0o640)
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["real.toml", "rules.toml"]


def test_a_folder_that_is_not_there_is_made(tmp_path):
    write(tmp_path / "new" / "rules.toml", FILE, "")
    assert own_rules.text_of(tmp_path / "new" / "rules.toml") == FILE


def test_a_file_that_was_edited_meanwhile_is_left_alone(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text("# edited\n")
    with pytest.raises(UserError, match="edited meanwhile"):
        write(path, FILE, "")
    assert path.read_text() == "# edited\n"


def test_a_file_that_cannot_be_written_is_named():
    with pytest.raises(UserError, match=r"/proc/rules.toml: expected a rules file that can be"):
        write(own_rules.Path("/proc/rules.toml"), FILE, "")
