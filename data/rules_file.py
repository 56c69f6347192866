"""Stage rules in TOML: ours, and a user's own above them."""

from __future__ import annotations

import hashlib
import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from analysis.errors import UserError
from analysis.rules import MARKS, MEANINGS, PLACES, ROLES, TOKENS, UNITS, Mark, Rule, RuleSet
from analysis.spans import KINDS, STATUSES
from analysis.stages import STAGES

OURS: Final = Path(__file__).with_name("stage_rules.toml")

_PATTERNS = ("name", "service", "kind", "status", "scope", "event")
_TEXTS = ("id", "stage", "role", "emitter", *_PATTERNS, "source")
_FLAGS = ("server_child", "under_call", "call_below")
_KEYED = ("attributes", "resource")
_RULE_KEYS = (*_TEXTS, *_FLAGS, *_KEYED, "marks", "example")
_MARK_KEYS = ("name", "key", "place", "unit", "meaning")

_HEADER = re.compile(r"\s*\[\[\s*rule\s*\]\]")

_Sets = dict[str, tuple[Mark, ...]]


def read_rules(path: Path) -> RuleSet:
    """The rules of one file, in its order; `hash` is a digest of its content.

    A user's file may use the mark sets of ours by name.

    Raises:
        UserError: the file is not readable, not TOML, or a rule is at fault; names its line and id.
    """
    text = _text(path)
    if path == OURS:
        return _parsed(text, str(path))[0]
    return _parsed(text, str(path), with_ours=True)[0]


def default_rules(user: Path | None = None) -> RuleSet:
    """Our rules, below those of the user's file where there is one.

    Raises:
        UserError: as `read_rules`; also for a rule of the user's that has the id of one of ours.
    """
    return read_rules(OURS) if user is None else above_ours(_text(user), str(user))


def above_ours(text: str, where: str) -> RuleSet:
    """Our rules below those of a user's text, `where` it stands; raises as `default_rules`."""
    ours, own = read_rules(OURS), _parsed(text, where, with_ours=True)[0]
    taken = {rule.id for rule in ours.rules}
    for rule in own.rules:
        if rule.id in taken:
            place = f"{where}, rule {rule.id}"
            raise UserError("an id that no built-in rule has", f"{rule.id!r}", place)
    return RuleSet((*own.rules, *ours.rules), _digest(own.hash + ours.hash))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        found = error.strerror or type(error).__name__
        raise UserError("a readable file of stage rules", found, str(path)) from None
    except UnicodeDecodeError as error:
        found = f"bytes that are not UTF-8 at byte {error.start}"
        raise UserError("a file of stage rules in UTF-8", found, str(path)) from None


@lru_cache(maxsize=8)
def _parsed(text: str, where: str, with_ours: bool = False) -> tuple[RuleSet, _Sets]:
    sets: _Sets = dict(_parsed(_text(OURS), str(OURS))[1]) if with_ours else {}
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError("a file of stage rules in TOML", str(error), where) from None
    _known(document, ("rule", "marks"), where)
    for name, rows in _table(document.get("marks", {}), f"{where}, marks").items():
        sets[name] = _marks(rows, sets, f"{where}, marks.{name}")
    lines = [n for n, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    rules: dict[str, Rule] = {}
    for number, row in enumerate(_rows(document.get("rule", []), f"{where}, rule")):
        line = lines[number] if number < len(lines) else 0
        rule = _rule(row, sets, f"{where}, line {line}, rule {row.get('id', number + 1)}")
        if rule.id in rules:
            place = f"{where}, line {line}, rule {rule.id}"
            raise UserError("an id of its own for every rule", f"{rule.id!r} twice", place)
        rules[rule.id] = rule
    return RuleSet(tuple(rules.values()), _digest(text)), sets


def _rule(row: dict[str, Any], sets: _Sets, where: str) -> Rule:
    _known(row, _RULE_KEYS, where)
    fields: dict[str, Any] = {key: _string(row[key], key, where) for key in _TEXTS if key in row}
    if not fields.get("id"):
        raise UserError("an id", "none", where)
    _one_of(fields.get("stage"), STAGES, "stage", where)
    _one_of(fields.get("role", ""), ROLES, "role", where)
    for key in _PATTERNS:
        if key in fields:
            _pattern(fields[key], key, where)
    for key, names in (("kind", KINDS), ("status", STATUSES)):
        if key in fields and not any(re.search(fields[key], name) for name in names):
            raise UserError(f"a {key} among " + ", ".join(names), repr(fields[key]), where)
    for key in _FLAGS:
        if key in row and not isinstance(row[key], bool):
            raise UserError(f"{key} = true or false", repr(row[key]), where)
        fields[key] = row.get(key)
    for key in _KEYED:
        fields[key] = _conditions(row.get(key, {}), key, where)
    fields["marks"] = _marks(row.get("marks", []), sets, where)
    fields["example"] = _table(row.get("example", {}), f"{where}, example")
    return Rule(**{"source": "user", **fields})


def _conditions(value: Any, place: str, where: str) -> tuple[tuple[str, str | bool], ...]:
    conditions: list[tuple[str, str | bool]] = []
    for key, wanted in _table(value, f"{where}, {place}").items():
        if isinstance(wanted, str):
            _pattern(wanted, f"{place}.{key}", where)
        elif wanted is not True:
            raise UserError(f"{place}.{key} = true or a pattern", repr(wanted), where)
        conditions.append((key, wanted))
    return tuple(conditions)


def _marks(rows: Any, sets: _Sets, where: str) -> tuple[Mark, ...]:
    if not isinstance(rows, list):
        raise UserError("marks = [ … ]", repr(rows), where)
    marks: list[Mark] = []
    for row in rows:
        if isinstance(row, str):
            _one_of(row, tuple(sets), "mark set", where)
            marks.extend(sets[row])
        else:
            marks.append(_mark(_table(row, f"{where}, marks"), where))
    return tuple(marks)


def _mark(row: dict[str, Any], where: str) -> Mark:
    _known(row, _MARK_KEYS, f"{where}, marks")
    fields = {key: _string(value, f"marks.{key}", where) for key, value in row.items()}
    if not fields.get("key"):
        raise UserError("a key on every mark", "none", where)
    _one_of(fields.get("name"), MARKS, "mark", where)
    mark = Mark(**fields)
    for value, allowed, what in (
        (mark.place, PLACES, "place"),
        (mark.unit, UNITS, "unit"),
        (mark.meaning, MEANINGS, "meaning"),
    ):
        _one_of(value, allowed, what, where)
    if mark.name in TOKENS and mark.place != "event":
        raise UserError(f'place = "event" for {mark.name}', repr(mark.place), where)
    if mark.place == "event":
        _pattern(mark.key, "marks.key", where)
    elif mark.unit == "iso" and mark.meaning != "absolute":
        raise UserError('meaning = "absolute" for a date', repr(mark.meaning), where)
    return mark


def _known(row: dict[str, Any], allowed: tuple[str, ...], where: str) -> None:
    for key in row:
        if key not in allowed:
            raise UserError("one of " + ", ".join(allowed), repr(key), where)


def _one_of(value: Any, allowed: tuple[str, ...], what: str, where: str) -> None:
    if value not in allowed:
        names = ", ".join(name or '""' for name in allowed) or "none, as none is defined"
        raise UserError(f"a {what} among {names}", repr(value) if value else "none", where)


def _string(value: Any, key: str, where: str) -> str:
    if not isinstance(value, str):
        raise UserError(f"text for {key}", repr(value), where)
    return value


def _pattern(text: str, key: str, where: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise UserError(f"a regular expression for {key}", f"{text!r} ({error})", where) from None


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError("a table", repr(value), where)
    return value


def _rows(value: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise UserError("[[rule]] rows", repr(value), where)
    return [_table(row, where) for row in value]
