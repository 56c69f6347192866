"""A rule before it is saved: what its spans have to hold, checked and with an id of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.errors import UserError
from analysis.stages import STAGES


@dataclass(frozen=True)
class Draft:
    """A rule that is not saved yet; an attribute's value is a pattern, True asks for the key."""

    stage: str
    name: str = ""
    service: str = ""
    attributes: tuple[tuple[str, str | bool], ...] = ()

    def row(self, taken: set[str]) -> dict[str, Any]:
        """The rule as its row in the file, with an id that is free.

        Raises:
            UserError: no such stage, no condition, or a pattern that cannot be read.
        """
        if self.stage not in STAGES:
            found = repr(self.stage) if self.stage else "none"
            raise UserError("a stage among " + ", ".join(STAGES), found, "stage")
        row: dict[str, Any] = {"id": _free_id(self, taken), "stage": self.stage}
        if self.stage == "model":  # what is told of a model call beside its stage
            row |= {"role": "call"}
        given = {"name": self.name, "service": self.service}
        row |= {key: _pattern(text, key) for key, text in given.items() if text}
        if self.attributes:
            row["attributes"] = {
                key: _pattern(wanted, f"attribute {key}") if isinstance(wanted, str) else wanted
                for key, wanted in self.attributes
            }
        if self.stage == "model":
            row["marks"] = ["client"]
        if not (self.name or self.service or self.attributes):
            raise UserError("a name, a service or an attribute of the spans", "none", "rule")
        return row


def draft_of(params: Mapping[str, Any]) -> Draft:
    """The draft that a command's parameters say; `KEY=PATTERN` or `KEY` for an attribute."""
    attributes: list[tuple[str, str | bool]] = []
    for given in params.get("attribute") or ():
        key, equals, wanted = str(given).partition("=")
        if not key:
            raise UserError("KEY=PATTERN or KEY", repr(given), "attribute")
        attributes.append((key, wanted if equals else True))
    stage, name, service = (str(params.get(key) or "") for key in ("stage", "name", "service"))
    return Draft(stage, name, service, tuple(attributes))


def literal(text: str) -> str:
    """The pattern that takes exactly this text.

    >>> literal("GET /x?a")
    '^GET /x\\\\?a$'
    """
    return "^" + re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text) + "$"


def _pattern(text: str, where: str) -> str:
    try:
        re.compile(text)
        text.encode()
    except (re.error, UnicodeEncodeError) as error:
        raise UserError(f"a regular expression for {where}", f"{text!r} ({error})", where) from None
    return text


def _free_id(draft: Draft, taken: set[str]) -> str:
    """An id from what the rule looks for; numbered where another rule has it."""
    keys = " ".join(key for key, _wanted in draft.attributes)
    words = re.sub(r"\\[A-Za-z]", " ", draft.name or draft.service or keys)
    stem = re.sub(r"\W+", "_", words).strip("_").lower()[:60] or f"own_{draft.stage}"
    number, found = 1, stem
    while found in taken:
        number += 1
        found = f"{stem}_{number}"
    return found
