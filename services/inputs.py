"""What the paths of `slowpath import` name: files, folders, standard input, pipes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from analysis.errors import UserError
from services.imports import Source


@contextmanager
def inputs(paths: Iterable[str], stdin: BinaryIO) -> Iterator[list[Source]]:
    """The files that paths name; `-` is standard input. A path that is not there stays in.

    A file is read twice, for its digest and for its content, so what can be read only once is
    kept in a temporary folder meanwhile.

    Raises:
        UserError: there is no file at all, only empty folders.
    """
    given = list(paths)
    with tempfile.TemporaryDirectory(prefix="slowpath-") as folder:
        files = list(sources(given, Path(folder), stdin))
        if not files:
            raise UserError("files to import", "an empty folder", ", ".join(given))
        yield files


def sources(paths: Iterable[str], folder: Path, stdin: BinaryIO) -> Iterator[Source]:
    """The files that paths name; a folder gives its files (not hidden ones) in order of name.

    What can be read only once is written to `folder` first.
    """
    for number, text in enumerate(paths):
        path = Path(text)
        if text == "-":
            yield _kept("stdin", stdin, folder / str(number))
        elif path.is_dir():
            yield from _files(path)
        elif path.exists() and not path.is_file():
            with path.open("rb") as stream:
                yield _kept(text, stream, folder / str(number))
        else:
            yield Source(text, path)


def _kept(name: str, stream: BinaryIO, path: Path) -> Source:
    with path.open("wb") as kept:
        shutil.copyfileobj(stream, kept)
    return Source(name, path)


def _files(folder: Path) -> Iterator[Source]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Source(str(Path(root) / name), Path(root) / name)


def assumption(given: str) -> tuple[str, float]:
    """`ID=VALUE` or `ID.NAME=VALUE` as the name and its number.

    >>> assumption("prefix_cache.hit_rate=0.4")
    ('prefix_cache.hit_rate', 0.4)

    Raises:
        UserError: there is no number.
    """
    name, _equals, value = given.partition("=")
    try:
        return name, float(value)
    except ValueError as error:
        raise UserError(
            "ID=VALUE or ID.NAME=VALUE with a number", repr(given), "--assume"
        ) from error
