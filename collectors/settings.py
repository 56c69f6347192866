"""What a source asks of its user: the fields of its form and of its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from analysis.errors import UserError
from collectors.credentials import header_of
from words import _

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """One setting of a source.

    Args:
        name: key in the settings.
        label: what the form calls it.
        required: whether `pull` refuses without it.
        secret: whether it must not be shown or kept in plain sight.
        default: what stands in where it is left empty.
    """

    name: str
    label: str
    required: bool = False
    secret: bool = False
    default: str = ""


ACCESS: Final = (
    Field("token", _("Token or password: itself, env:NAME or file:/path"), secret=True),
    Field("user", _("User, for basic access")),
    Field("header", _("Header that carries the token, where it is not Authorization")),
)
"""The settings with which every source is let in."""


def setting(settings: Settings, fields: tuple[Field, ...], name: str) -> str:
    """A setting as text, its default where empty. Raises: UserError where it is required."""
    field = next(field for field in fields if field.name == name)
    value = str(settings.get(name) or "").strip() or field.default
    if field.required and not value:
        raise UserError(_("a value for {name}").format(name=name), _("none"))
    return value


def headers_of(settings: Settings, fields: tuple[Field, ...]) -> dict[str, str]:
    """Request headers: the credentials of `ACCESS`, where there are some."""
    given = (setting(settings, fields, name) for name in ("token", "user", "header"))
    return header_of(*given)


def number(settings: Settings, fields: tuple[Field, ...], name: str) -> int:
    """A setting that must be a whole number above zero. Raises: UserError."""
    value = setting(settings, fields, name)
    if not value.isdecimal() or not int(value):
        raise UserError(_("a whole number above zero for {name}").format(name=name), value)
    return int(value)
