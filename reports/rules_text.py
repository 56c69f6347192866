"""Stage rules as plain text for a terminal."""

from __future__ import annotations

from typing import Any

from reports.text import table
from words import _, fmt, labels, ngettext, rule_words

WIDE = 60


def rule_table(rules: list[dict[str, Any]], every: bool) -> str:
    """Own rules, and the built-in ones that took a span, or all of them."""
    shown = [rule for rule in rules if every or rule["own"] or rule["spans"]]
    head = (_("Rule"), "", _("Stage"), _("Takes"), _("Spans"), _("Time"))
    lines = [table(head, map(_row, shown), "llllrr")]
    if left := len(rules) - len(shown):
        said = ngettext(
            "{n} built-in rule took no span; --all lists it",
            "{n} built-in rules took no span; --all lists them",
            left,
        )
        lines.append(said.format(n=fmt.count(left)))
    if not any(rule["own"] for rule in rules):
        lines.append(_("no rule of your own: `slowpath rules add` makes one"))
    return "\n".join(lines)


def _row(rule: dict[str, Any]) -> list[str]:
    takes = rule_words.matches(rule["matches"])
    own = _("own") if rule["own"] else ""
    held = [fmt.count(rule["spans"]), fmt.ms(rule["total_ns"])]
    return [rule["id"], own, labels.stage(rule["stage"]), _short(takes), *held]


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= WIDE else f"{plain[: WIDE - 1]}…"


def name_table(answer: dict[str, Any]) -> str:
    """Span names without a stage, the one with most time first."""
    rows = answer["names"]
    absent = _absent(answer)
    if not rows:
        return "\n".join([_("all time of spans has a stage"), *absent])
    head = (_("Span name"), _("Service"), _("Spans"), _("Requests"), _("Time"), _("Share"))
    lines = [table(head, map(_name_row, rows), "llrrrr")]
    if left := answer["total"] - len(rows):
        said = ngettext("{n} more name", "{n} more names", left)
        lines.append(said.format(n=fmt.count(left)))
    return "\n".join([*lines, *absent])


def _absent(answer: dict[str, Any]) -> list[str]:
    if not answer["absent_ns"]:
        return []
    said = _("{time}, {share}, is of spans that never arrived, which no rule can take")
    share = rule_words.of_all(answer["absent_share"])
    return [said.format(time=fmt.ms(answer["absent_ns"]), share=share)]


def _name_row(row: dict[str, Any]) -> list[str]:
    counts = [fmt.count(row["spans"]), fmt.count(row["requests"])]
    held = [fmt.ms(row["total_ns"]), fmt.share(row["share"])]
    return [_short(row["name"]) or _("(no name)"), row["service"] or "–", *counts, *held]


def added(answer: dict[str, Any]) -> str:
    """What a new rule moves, and where it stands now."""
    rule = answer["rule"]
    if answer["saved"]:
        said = _("rule {id} saved in {path}").format(id=rule["id"], path=answer["path"])
    else:
        said = _("rule {id} tried, not saved").format(id=rule["id"])
    return f"{rule_words.moves(answer)}\n{said}"


def deleted(answer: dict[str, Any]) -> str:
    """What went back with a rule."""
    said = _("rule {id} deleted from {path}")
    told = said.format(id=answer["rule"]["id"], path=answer["path"])
    return f"{rule_words.moves(answer)}\n{told}"
