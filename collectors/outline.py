"""The start of a JSON document as far as it goes: enough to tell what the whole one is."""

from __future__ import annotations

import re
from typing import Any, Final

from analysis.errors import UserError
from words import _

MAX_DEPTH: Final = 250
"""Levels of nesting that a document may have; no export comes near it."""

_TOKEN: Final = re.compile(
    r'[\s\x1e]*(?:("(?:[^"\\]|\\.)*")|([{}\[\],:])|(-?[0-9][0-9.eE+-]*)|(true|false|null|NaN|-?Infinity))',
    re.S,
)
_WORDS: Final = {"true": True, "false": False}


def too_deep(where: str) -> UserError:
    """The error for a document nested deeper than any export."""
    expected = _("JSON nested at most {limit} levels deep").format(limit=MAX_DEPTH)
    return UserError(expected, _("a deeper document"), where)


def outline(text: str, where: str) -> Any:
    """The value that `text` begins with, its open lists and objects closed where it ends.

    Strings keep their escapes, numbers are None: only keys and shapes count. None where the text
    does not begin like JSON. Raises: UserError where it is nested too deeply.
    """
    root: Any = None
    stack: list[Any] = []
    key: str | None = None
    position = 0
    while match := _TOKEN.match(text, position):
        position = match.end()
        string, mark, _number, word = match.groups()
        if mark in (",", ":"):
            continue
        if mark in ("}", "]"):
            stack, key = stack[:-1], None
            if not stack:
                break
            continue
        if string is not None and key is None and stack and isinstance(stack[-1], dict):
            key = string[1:-1]
            continue
        value: Any = {"{": {}, "[": []}.get(
            mark or "", string[1:-1] if string else _WORDS.get(word)
        )
        root = value if not stack else root
        _place(stack, key, value)
        key = None
        if mark:
            stack.append(value)
            if len(stack) > MAX_DEPTH:
                raise too_deep(where)
        elif not stack:
            break
    return root


def _place(stack: list[Any], key: str | None, value: Any) -> None:
    if stack and isinstance(stack[-1], dict):
        stack[-1]["" if key is None else key] = value
    elif stack:
        stack[-1].append(value)
