"""The file of a user's own rules: a row appended, a row taken out, all else left as it stands."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from analysis.errors import UserError
from analysis.rules import RuleSet
from data.rules_file import OURS, above_ours, read_rules
from words import _

HEAD: Final = "# Stage rules of your own, tried before the built-in ones, from the top.\n"

_HEADER: Final = re.compile(r"\s*\[")
_ROW: Final = re.compile(r"\s*\[\[\s*rule\s*\]\]")


def ours() -> RuleSet:
    """The built-in rules."""
    return read_rules(OURS)


def text_of(path: Path) -> str:
    """The file as it stands, line ends included; empty where there is none."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        found = error.strerror or type(error).__name__
        raise UserError(_("a readable file of stage rules"), found, str(path)) from None
    except UnicodeDecodeError as error:
        found = _("bytes that are not UTF-8 at byte {place}").format(place=error.start)
        raise UserError(_("a file of stage rules in UTF-8"), found, str(path)) from None


def rules_of(text: str, path: Path) -> RuleSet:
    """All rules with this text in the file; ours alone where it is empty, as without a file.

    Raises:
        UserError: a rule is at fault; names its line and id.
    """
    return above_ours(text, str(path)) if text else ours()


def appended(text: str, row: Mapping[str, Any]) -> str:
    """The text with one more rule at its end.

    >>> print(appended("", {"id": "a", "stage": "tools", "name": "^a$"}).split("[[rule]]")[1])
    <BLANKLINE>
    id = "a"
    stage = "tools"
    name = "^a$"
    <BLANKLINE>
    """
    end = "\r\n" if "\r\n" in text else "\n"
    head = text or HEAD
    head += end * (not head.endswith("\n")) + end
    lines = ["[[rule]]", *(f"{key} = {_value(value)}" for key, value in row.items())]
    return head + end.join(lines) + end


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_value(key)} = {_value(v)}" for key, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str) and "\\" in value and value.isprintable() and "'" not in value:
        return f"'{value}'"
    # JSON's escapes are TOML's, but for one character that JSON leaves as it is
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def without(text: str, rule_id: str, path: Path) -> str:
    """The text without one rule; comments outside its lines stay.

    Raises:
        UserError: no rule has this id, or it is not written as lines of its own.
    """
    lines = text.splitlines(keepends=True)
    starts = [n for n, line in enumerate(lines) if _HEADER.match(line) and _ends_whole(lines[:n])]
    rows = [n for n in starts if _ROW.match(lines[n])]
    known = [row.get("id") for row in _rows(text)]
    if rule_id not in known:
        there = ", ".join(map(str, known)) or _("none")
        found = _("{id} (there: {known})").format(id=repr(rule_id), known=there)
        raise UserError(_("the id of a rule of your own"), found, str(path))
    if len(rows) == len(known):
        rest = _cut(lines, rows[known.index(rule_id)], starts)
        if _same_but(text, rest, rule_id):
            return rest
    expected = _("a rule that stands on lines of its own under [[rule]]")
    raise UserError(expected, _("rule {id} written otherwise").format(id=rule_id), str(path))


def _cut(lines: list[str], first: int, starts: list[int]) -> str:
    """The lines without a row: from its header to its last line that is no comment."""
    after = [n for n in starts if n > first and _leaves(lines[n])]
    end = after[0] if after else len(lines)
    while end > first + 1 and lines[end - 1].strip()[:1] in ("", "#"):
        end -= 1
    while (
        end < len(lines) and not lines[end].strip() and (not first or not lines[first - 1].strip())
    ):
        end += 1
    return "".join(lines[:first] + lines[end:])


def _leaves(header: str) -> bool:
    """Whether a table's header ends the row before it; `[rule.attributes]` belongs to its row."""
    return re.match(r"\s*\[\s*rule\s*\.", header) is None


def _ends_whole(lines: list[str]) -> bool:
    """Whether what stands before a line is TOML, so that the line is not inside a text."""
    with suppress(tomllib.TOMLDecodeError):
        tomllib.loads("".join(lines))
        return True
    return False


def _rows(text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads(text).get("rule", [])
    return rows


def _same_but(text: str, rest: str, rule_id: str) -> bool:
    """Whether a text says what the other says, without one rule."""
    before = tomllib.loads(text)
    wanted = {**before, "rule": [row for row in before["rule"] if row.get("id") != rule_id]}
    try:
        found = tomllib.loads(rest)
    except tomllib.TOMLDecodeError:
        return False
    return {"rule": [], **found} == wanted


def write(path: Path, text: str, before: str) -> None:
    """Replace the file at once, keeping its rights and, of a link, the link.

    Raises:
        UserError: it no longer says `before`, or cannot be written.
    """
    if text_of(path) != before:
        found = _("one that was edited meanwhile, so nothing was saved")
        raise UserError(_("the rules file as it was read"), found, str(path))
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, text)
    except OSError as error:
        found = error.strerror or type(error).__name__
        raise UserError(_("a rules file that can be written"), found, str(path)) from None


def _replace(target: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=".rules-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            Path(name).chmod(target.stat().st_mode & 0o777)
        os.replace(name, target)  # atomic on one file system
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
