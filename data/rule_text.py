"""A rule set as one text, kept in the database to know later what its rows rest on."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any

from analysis.rules import Mark, Rule, RuleSet

_KEYED = ("attributes", "resource")


def text_of(rules: RuleSet) -> str:
    """All that `derive` reads of the rules, as JSON."""
    rows = [{k: v for k, v in asdict(rule).items() if k != "example"} for rule in rules.rules]
    return json.dumps({"hash": rules.hash, "rules": rows}, ensure_ascii=False)


def rules_of(text: str | None) -> RuleSet | None:
    """The rules of a text; None where it is absent or of a version with other fields."""
    if not text:
        return None
    try:
        said = json.loads(text)
        return RuleSet(tuple(_rule(row) for row in said["rules"]), said["hash"])
    except (ValueError, KeyError, TypeError):
        return None


def _rule(row: dict[str, Any]) -> Rule:
    if row.keys() != {field.name for field in fields(Rule)} - {"example"}:
        raise KeyError("rules of another version")
    marks = tuple(Mark(**mark) for mark in row["marks"])
    keyed = {name: tuple((key, wanted) for key, wanted in row[name]) for name in _KEYED}
    return Rule(**{**row, "marks": marks, **keyed})
