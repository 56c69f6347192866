"""One field of an export, checked: the value in the house's form, or what is wrong with it."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from words import _

MAX_VALUE_DEPTH: Final = 48
"""Levels of nesting inside one attribute value; deeper ones cost the span that carries them."""

_HEX: Final = re.compile(r"[0-9a-fA-F]+")


class FieldError(Exception):
    """A field that makes its record unusable: a reason to count by, and what was found."""

    def __init__(self, reason: str, found: str = "") -> None:
        self.reason, self.found = reason, found
        super().__init__(reason)


def shown(value: object) -> str:
    """A value as an example may show it: short, and only its type where it is nested."""
    if isinstance(value, dict | list):
        return _("an object") if isinstance(value, dict) else _("a list")
    if value is None:
        return "null"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def bad(key: str, problem: str, value: object) -> FieldError:
    """The error for a field: `bad("startTimeUnixNano", "is not an integer", "abc")`."""
    return FieldError(f"{key} {problem}", f"{key}: {shown(value)}")


def integer(record: Mapping[str, Any], key: str) -> int | None:
    """A whole number written as number or string, exactly; None where absent or null."""
    value = record.get(key)
    if value is None or value == "":
        return None
    if type(value) is int:
        return value
    if isinstance(value, str):
        try:
            return int(value) if len(value) <= 40 else None or _refuse(key, value)
        except ValueError:
            return _refuse(key, value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return _refuse(key, value)


def _refuse(key: str, value: object) -> int:
    raise bad(key, _("is not an integer"), value)


def text(record: Mapping[str, Any], key: str) -> str:
    """A string field, "" where absent or null."""
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise bad(key, _("is not text"), value)
    return value


def listed(record: Mapping[str, Any], key: str) -> list[Any]:
    """A list field, [] where absent or null."""
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise bad(key, _("is not a list"), value)
    return value


def mapped(record: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object field, {} where absent or null."""
    return as_object(record.get(key), key)


def as_object(value: object, key: str) -> dict[str, Any]:
    """The value itself where it is an object, {} where it is null."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise bad(key, _("is not an object"), value)
    return value


def hex_id(value: object, key: str, digits: int) -> str | None:
    """An id in lower-case hex, left-padded with zeros; None where absent, empty or all zeros.

    Base64 ids (as protobuf's JSON writes bytes) are told by their length: 24 characters for 16
    bytes, 12 for 8. An id that is neither is kept as it stands: it still joins spans.
    """
    if value is None or value == "":
        return None
    if type(value) is int and value >= 0:
        return f"{value:0{digits}x}" if value else None
    if not isinstance(value, str):
        raise bad(key, _("is not an id"), value)
    plain = value.strip()
    if len(plain) == (digits // 2 + 2) // 3 * 4 and plain.endswith("="):
        plain = _from_base64(plain, key)
    if not _HEX.fullmatch(plain):
        return plain or None
    padded = plain.lower().rjust(digits, "0")
    return padded if padded.strip("0") else None


def _from_base64(value: str, key: str) -> str:
    try:
        return base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True).hex()
    except binascii.Error as error:
        raise bad(key, _("is not an id"), value) from error


def needed_id(value: object, key: str, digits: int) -> str:
    """An id that a record cannot do without."""
    found = hex_id(value, key, digits)
    if found is None:
        raise FieldError(_("{key} is missing").format(key=key), f"{key}: {shown(value)}")
    return found


def plain_value(value: object, depth: int = 0) -> Any:
    """A value that JSON can hold: NaN and the infinities become their names."""
    if depth > MAX_VALUE_DEPTH:
        reason = _("an attribute is nested deeper than {limit} levels")
        raise FieldError(reason.format(limit=MAX_VALUE_DEPTH))
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, list):
        return [plain_value(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {str(key): plain_value(item, depth + 1) for key, item in value.items()}
    return value
