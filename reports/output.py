"""The file that a report goes to: whether it can be written, told before the work, and writing."""

from __future__ import annotations

import os
from pathlib import Path

from analysis.errors import UserError
from words import _


def ending(output: str) -> str:
    """The format that a path's ending names: `html` of `Week 12.HTML`; empty without one.

    Raises:
        UserError: a folder, or a path in a folder that is not there or cannot be written.
    """
    path = Path(output)
    folder = path.absolute().parent
    if path.is_dir():
        raise _unwritable(output, _("a folder"))
    if not folder.is_dir():
        raise _unwritable(output, _("no folder {name}").format(name=folder))
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise _unwritable(output, _("no permission"))
    return path.suffix.lower().removeprefix(".")


def write(output: str, content: str) -> None:
    """Write the file.

    Raises:
        UserError: the disk refuses.
    """
    try:
        Path(output).write_text(content, encoding="utf-8")
    except OSError as error:
        raise _unwritable(output, error.strerror or str(error)) from error


def _unwritable(output: str, found: str) -> UserError:
    return UserError(_("a file that can be written"), found, output)
