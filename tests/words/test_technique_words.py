"""Every technique, reason, need and assumption has its words, and the figures they ask for."""

import ast
import string

import pytest
from conftest import ROOT
from technique_cases import APPLIES, FAILS

from analysis.advice.ranking import rank
from analysis.techniques import TECHNIQUES
from words import techniques
from words.technique_notes import NEEDS, VERIFY
from words.technique_reasons import BECAUSE, COLLECT, NOT_BECAUSE
from words.technique_titles import ASSUMPTIONS, GRADES, RISKS, TITLES

IDS = [module.TECHNIQUE.id for module in TECHNIQUES]


def verdicts():
    """(kind, id) of every verdict that the code can give."""
    advice = ROOT / "analysis" / "advice"
    files = (ROOT / "analysis" / "techniques").glob("*.py")
    for path in [*files, advice / "technique_parts.py", advice / "ranking.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                name, first = node.func.id, node.args[0]
                if name in ("Applies", "Not", "Lacks") and isinstance(first, ast.Constant):
                    yield name, first.value


def test_every_verdict_has_its_sentence_and_no_sentence_is_left_over():
    known = {"Applies": BECAUSE, "Not": NOT_BECAUSE, "Lacks": COLLECT}
    for kind, texts in known.items():
        said = {name for k, name in verdicts() if k == kind}
        said |= {"no_e2e", "no_ttft", "no_tpot"} if kind == "Not" else set()
        assert said == set(texts)


def test_every_technique_need_assumption_and_risk_has_its_words():
    rows = [module.TECHNIQUE for module in TECHNIQUES]
    assert set(TITLES) == set(VERIFY) == set(IDS)
    assert set(NEEDS) == {need for t in rows for need in t.needs}
    assert set(ASSUMPTIONS) == {a.name for t in rows for a in t.assumes}
    assert set(RISKS) >= {t.risk for t in rows}
    assert set(GRADES) >= {a.grade for t in rows for a in t.assumes}


@pytest.mark.parametrize("name", IDS)
def test_titles_are_short_and_in_sentence_case(name):
    assert len(TITLES[name]) <= 40
    assert TITLES[name][0].isupper()
    assert not TITLES[name].endswith(".")


def said_of(name, ev):
    module = next(m for m in TECHNIQUES if m.TECHNIQUE.id == name)
    (finding,) = rank(ev, techniques=(module,))
    return finding, techniques.because(finding.as_row())


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("cases", [APPLIES, FAILS], ids=["applies", "fails"])
def test_the_sentence_is_filled_with_figures_of_the_evidence(name, cases):
    finding, text = said_of(name, cases[name][0]())
    assert text.endswith(".")
    assert text[0].isupper() or not text[0].isalpha()
    assert not set("{}") & set(text), text
    assert "–" not in text, text
    assert techniques.details(finding.as_row())


def test_a_sentence_reads_like_one():
    _, text = said_of("async_guardrails", APPLIES["async_guardrails"][0]())
    assert text == "1 request waited for a guardrail check, 30\u202fms at the median."
    _, text = said_of("gateway_trim", APPLIES["gateway_trim"][0]())
    assert text == "The gateway itself takes 50\u202fms at p95 and 50\u202f% of E2E."


def test_templates_name_only_figures():
    for texts in (BECAUSE, NOT_BECAUSE):
        for text in texts.values():
            fields = [field for _, field, _, _ in string.Formatter().parse(text) if field]
            assert all(field.isidentifier() for field in fields)
