"""What is kept of the rules comes back as the same rules."""

import json

from analysis.rules import Mark, Rule, RuleSet
from data.rule_text import rules_of, text_of
from data.rules_file import default_rules


def test_our_rules_come_back_as_they_were():
    ours = default_rules()
    again = rules_of(text_of(ours))
    assert again is not None
    assert (again.rules, again.hash) == (ours.rules, ours.hash)


def test_every_field_comes_back():
    mark = Mark("queue", "k", "event", "us", "offset")
    rule = Rule(
        "a", "model", "call", "vllm", "n", "s", "client", "ok", "sc", (("k", True), ("l", "v")),
        (("r", "v"),), "e", True, False, None, (mark,), "user",
    )  # fmt: skip
    again = rules_of(text_of(RuleSet((rule,), "h")))
    assert again is not None
    assert again.rules == (rule,)


def test_rules_of_another_version_are_not_guessed_at():
    said = json.loads(text_of(RuleSet((Rule("a", "tools"),), "h")))
    said["rules"][0]["colour"] = "red"
    assert rules_of(json.dumps(said)) is None
    assert rules_of("no JSON") is None
    assert rules_of(None) is None
