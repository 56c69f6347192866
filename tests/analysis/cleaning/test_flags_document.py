import re

from conftest import ROOT

from analysis.flags import FLAGS


def test_the_one_table_of_flags_names_every_flag_and_its_effect():
    text = (ROOT / "docs" / "attribution.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\|.*\| ([^|]+) \|$", text, re.MULTILINE)
    assert {flag for flag, _ in rows} == set(FLAGS)
    for flag, effect in rows:
        assert effect.replace(" ", "_").startswith(FLAGS[flag]), flag
