"""Where the values of a JSON text end, if they are written as `json_text.encoded` writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.plain.compiled import inner

Bytes = Any  # numpy uint8 array

DIGITS = 15
"""Decimal digits that a float keeps; one with more is left to the json module."""

WHOLE_DIGITS = 18
"""Digits of whole numbers that fit 64 bits."""

LONGEST = 400
"""Digits from which on a whole number is left to the json module, whatever it stands for."""

QUOTE, BACKSLASH, COMMA, COLON, MINUS, POINT, NIL = (ord(char) for char in '"\\,:-.0')
OPEN, CLOSE, BRACKET, UNBRACKET = (ord(char) for char in "{}[]")
_ESCAPES = np.zeros(256, np.bool_)
_ESCAPES[[ord(char) for char in '"\\bfnrt']] = True
_LITERALS = np.frombuffer(b"true|false|null|", np.uint8)


@inner
def string_end(raw: Bytes, at: int, end: int) -> int:
    """Where the string ends whose first quote is at `at`; -1 where it is odd."""
    at += 1
    while at < end:
        char = raw[at]
        if char == QUOTE:
            return at + 1
        if char < 32:
            return -1
        if char == BACKSLASH:
            at += 1
            if at >= end or not _ESCAPES[raw[at]]:
                return -1
        at += 1
    return -1


@inner
def key_end(raw: Bytes, at: int, end: int) -> int:
    """Where the key ends whose first quote is at `at`, a colon and a value behind it, or -1."""
    low = at + 1
    at = low
    while at < end and raw[at] >= 32 and raw[at] != QUOTE and raw[at] != BACKSLASH:
        at += 1
    framed = at + 2 < end and raw[low - 1] == QUOTE and raw[at] == QUOTE
    return at + 1 if framed and raw[at + 1] == COLON else -1


@inner
def literal_end(raw: Bytes, at: int, end: int) -> int:
    """Where `true`, `false` or `null` ends; -1 where there is none of them."""
    low = 0
    while low < len(_LITERALS):
        place = 0
        while at + place < end and raw[at + place] == _LITERALS[low + place]:
            place += 1
        if _LITERALS[low + place] == 124:
            return at + place
        while _LITERALS[low] != 124:
            low += 1
        low += 1
    return -1


@inner
def figure(raw: Bytes, at: int, end: int) -> tuple[int, int, int]:
    """Where a number ends that is written as `repr` writes it, its digits and its scale; -1: odd.

    No exponent, no more digits than a float keeps, no zeros that say nothing. The scale is -1 of a
    whole number that is too long for its digits to be told.
    """
    minus = raw[at] == MINUS
    if minus:
        at += 1
    low, digits, scale = at, 0, 0
    while at < end and 48 <= raw[at] <= 57 and at - low < LONGEST:
        digits = digits * 10 + (raw[at] - 48)
        at += 1
    whole = at - low
    if whole in (0, LONGEST) or (whole > 1 and raw[low] == NIL):
        return -1, 0, 0
    if at < end and raw[at] == POINT:
        point, leading = at, whole == 1 and raw[low] == NIL
        at += 1
        while at < end and 48 <= raw[at] <= 57 and at - point <= DIGITS:
            digits = digits * 10 + (raw[at] - 48)
            at += 1
        scale = at - point - 1
        if scale == 0 or whole + scale > DIGITS or (scale > 1 and raw[at - 1] == NIL):
            return -1, 0, 0
        if leading and scale > 4 and digits < 10 ** (scale - 4):
            return -1, 0, 0  # `repr` writes an exponent
    elif minus and whole == 1 and digits == 0:
        return -1, 0, 0
    elif whole > WHOLE_DIGITS:
        return at, 0, -1
    return at, -digits if minus else digits, scale


@inner
def list_end(raw: Bytes, at: int, end: int) -> int:
    """Where a list of plain values ends; -1 where it is odd or holds more than those."""
    at += 1
    if at < end and raw[at] == UNBRACKET:
        return at + 1
    while at < end:
        char = raw[at]
        if char == QUOTE:
            at = string_end(raw, at, end)
        elif char == MINUS or 48 <= char <= 57:
            at = figure(raw, at, end)[0]
        else:
            at = literal_end(raw, at, end)
        if at < 0 or at >= end:
            return -1
        if raw[at] == UNBRACKET:
            return at + 1
        if raw[at] != COMMA:
            return -1
        at += 1
    return -1
