"""docs/techniques.md and the catalogue say the same."""

import re

import pytest
from conftest import ROOT

from analysis.advice.sources import SOURCES
from analysis.techniques import TECHNIQUES
from words.technique_titles import TITLES

TEXT = (ROOT / "docs" / "techniques.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("technique", [m.TECHNIQUE for m in TECHNIQUES], ids=lambda t: t.id)
def test_a_technique_is_documented_with_its_assumptions_and_sources(technique):
    heading = f"#### `{technique.id}`: {TITLES[technique.id]}\n"
    assert heading in TEXT
    section = TEXT.split(heading)[1].split("\n#")[0]
    for a in technique.assumes:
        values = " / ".join(f"{v:g}" if abs(v) < 1000 else f"{v:,.0f}" for v in a_values(a))
        assert f"`{a.name}` {values} (low / typical / high, {a.grade})" in section
    low, high = technique.effort_days
    assert f"{low:g} to {high:g} days, {technique.risk} risk" in section
    for source in technique.sources:
        assert f"\n| {source} | " in TEXT


def a_values(assumption):
    return assumption.low, assumption.typical, assumption.high


def test_every_source_is_cited_by_the_title_and_address_of_the_docs():
    rows = re.findall(r"\n\| ([a-z0-9-]+) \| (.+?) \| .+ \| [RQK] \|", TEXT)
    told = {key: (title, address) for key, (title, address) in SOURCES.items()}
    for key, shown in rows:
        title, address = told.pop(key)
        assert shown == (f"[{title}]({address})" if address else title)
    assert not told
