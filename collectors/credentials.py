"""Credentials of a source: given as they are, or by reference so that nobody sees or stores them.

`env:NAME` is a variable of the environment, `file:/path` the one line of a file. In an app that
others reach, a reference could carry any file of the machine to any server; there only variables
whose name begins with `SLOWPATH_SECRET_` and files beside `SLOWPATH_SECRETS` (a folder) are read.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Final

from analysis.errors import UserError
from collectors.address import is_open
from words import _

NAMES: Final = "SLOWPATH_SECRET_"
FOLDER: Final = "SLOWPATH_SECRETS"
MAX_SECRET: Final = 8192
"""Characters that a secret may have."""


def revealed(value: str) -> str:
    """A secret's value, read where it is a reference.

    Raises: UserError naming the reference, never the value, where there is none.
    """
    kind, _colon, name = value.strip().partition(":")
    if kind == "env":
        return _checked(_variable(name), value)
    if kind == "file":
        return _checked(_line(Path(name).expanduser(), value), value)
    return _checked(value.strip(), _("the token"))


def _variable(name: str) -> str:
    if is_open() and not name.startswith(NAMES):
        raise UserError(_("a variable that begins with {name}").format(name=NAMES), name)
    return os.environ.get(name, "").strip()


def _line(path: Path, shown: str) -> str:
    folder = os.environ.get(FOLDER)
    if is_open() and not (folder and path.resolve().is_relative_to(Path(folder).resolve())):
        raise UserError(_("a file in the folder {name}").format(name=FOLDER), shown)
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_SECRET + 1).strip()
    except (OSError, UnicodeError) as error:
        raise UserError(_("a file with a secret"), _("none that can be read"), shown) from error


def _checked(secret: str, shown: str) -> str:
    if not secret:
        raise UserError(_("a secret"), _("none there"), shown)
    if len(secret) > MAX_SECRET or not secret.isprintable() or not secret.isascii():
        raise UserError(_("a secret of one line"), _("something else"), shown)
    return secret


def header_of(token: str, user: str = "", header: str = "") -> dict[str, str]:
    """The request header that carries a token: bearer, with a user basic, or one of its own name.

    >>> header_of("t"), header_of("t", header="x-api-key")
    ({'Authorization': 'Bearer t'}, {'x-api-key': 't'})
    """
    if not token:
        return {}
    secret = revealed(token)
    if header:
        if not header.replace("-", "").replace("_", "").isalnum() or not header.isascii():
            raise UserError(_("the name of a header"), header)
        return {header: secret}
    if user:
        pair = base64.b64encode(f"{user}:{secret}".encode()).decode()
        return {"Authorization": f"Basic {pair}"}
    return {"Authorization": f"Bearer {secret}"}
