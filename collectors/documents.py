"""The JSON documents of a stream, one by one: lines, concatenated documents, or a single one."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from analysis.errors import UserError
from collectors.outline import MAX_DEPTH, too_deep
from collectors.report import ReadReport
from words import _

_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')
_BETWEEN: Final = re.compile(r"[\s,\x1e\ufeff]*")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_decoder = msgspec.json.Decoder()
_lenient = json.JSONDecoder()


@dataclass(frozen=True)
class Document:
    """One decoded document and the line on which it begins."""

    value: Any
    line: int


@dataclass(frozen=True)
class Broken:
    """A piece that is no JSON: where it breaks, and whether it merely ends too soon."""

    line: int
    column: int
    problem: str
    cut_off: bool

    @property
    def place(self) -> str:
        """Where it breaks, in words."""
        return _("line {line}, column {column}").format(line=self.line, column=self.column)


def documents(stream: io.BufferedReader[Any], where: str, report: ReadReport) -> Iterator[Document]:
    """Every document in turn; broken ones are counted in the report, the others still come.

    A stream whose only document is broken gives nothing. Raises: UserError with line and column
    where no document could be read at all, and where one is nested too deeply.
    """
    seen, first = 0, None
    for piece in _pieces(stream, where):
        if isinstance(piece, Document):
            seen += 1
            yield piece
            continue
        first = first or piece
        problem = _("JSON that is cut off") if piece.cut_off else _("JSON that is malformed")
        report.reject(problem, f"{piece.place}: {piece.problem}")
    if not seen and first:
        report.rejected.clear()
        kind = _("JSON that is cut off") if first.cut_off else _("JSON that is malformed")
        raise UserError(_("a whole JSON document"), f"{kind} ({first.problem})", _at(where, first))


def _at(where: str, broken: Broken) -> str:
    return f"{where}: {broken.place}" if where else broken.place


def _pieces(stream: io.BufferedReader[Any], where: str) -> Iterator[Document | Broken]:
    held: list[bytes] = []
    counted = depth = start = 0
    for number, line in enumerate(stream, 1):
        if not held:
            bare = line.strip(b" \t\r\n\x1e").removeprefix(b"\xef\xbb\xbf")
            if not bare:
                continue
            whole = _decoded(bare, where)
            if whole is not None:
                yield Document(whole[0], number)
                continue
            counted, depth, start = 0, 0, number
        held.append(line)
        if len(held) > 1 and line[:1] not in (b"}", b"]"):
            continue  # a document over many lines closes at the margin; counting once is cheap
        depth += _nesting(b"".join(held[counted:]))
        counted = len(held)
        if depth > MAX_DEPTH:
            raise too_deep(where)
        if depth <= 0:
            yield from _split(b"".join(held), start, where)
            held = []
    if held:
        yield from _rest(held, start, where)


def _decoded(block: bytes, where: str) -> tuple[Any] | None:
    try:
        return (_decoder.decode(block),)
    except RecursionError as error:
        raise too_deep(where) from error
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _nesting(lines: bytes) -> int:
    """How much deeper the document is after these lines."""
    bare = _STRING.sub(b"", lines)
    opened = bare.count(b"{") + bare.count(b"[")
    return opened - bare.count(b"}") - bare.count(b"]")


def _split(block: bytes, start: int, where: str) -> Iterator[Document | Broken]:
    """The documents in a block that the fast decoder refused: several, or with odd values."""
    whole = _decoded(block, where)
    if whole is not None:
        yield Document(whole[0], start)
        return
    text = block.decode("utf-8", "replace")
    position = _BETWEEN.match(text, 0).end()  # type: ignore[union-attr]
    while position < len(text):
        line = start + text.count("\n", 0, position)
        try:
            value, position = _lenient.raw_decode(text, position)
        except RecursionError as error:
            raise too_deep(where) from error
        except ValueError as error:
            yield _broken(error, text, start)
            return
        yield Document(_mended(value) if _SURROGATE.search(text) else value, line)
        position = _BETWEEN.match(text, position).end()  # type: ignore[union-attr]


def _mended(value: Any) -> Any:
    """The value with halves of surrogate pairs replaced: UTF-8 cannot hold them."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
    return json.loads(text)


def _broken(error: ValueError, text: str, start: int) -> Broken:
    if not isinstance(error, json.JSONDecodeError):
        return Broken(start, 1, _("a number is too long"), False)
    if text[error.pos :].strip() and not error.msg.startswith("Unterminated string"):
        problem = error.msg[0].lower() + error.msg[1:]
        return Broken(start + error.lineno - 1, error.colno, problem, False)
    whole = text.rstrip()
    column = len(whole) - whole.rfind("\n")
    return Broken(start + whole.count("\n"), column, _("it ends there"), True)


def _rest(held: list[bytes], start: int, where: str) -> Iterator[Document | Broken]:
    """What is left at the end of a stream inside an open document.

    Where that began as a line of its own (JSON lines with one line cut short), the whole
    documents on later lines are read after all.
    """
    block = b"".join(held)
    later = held[1:] if held[0].lstrip().startswith(b"{") and len(held[0].strip()) > 1 else []
    objects = [_decoded(line.strip(), where) for line in later if line.startswith(b"{")]
    if not any(found and isinstance(found[0], dict) for found in objects):
        yield from _split(block, start, where)
        return
    yield from _split(held[0], start, where)
    yield from _pieces_of(held[1:], start + 1, where)


def _pieces_of(lines: list[bytes], start: int, where: str) -> Iterator[Document | Broken]:
    stream: io.BufferedReader[Any] = io.BufferedReader(io.BytesIO(b"".join(lines)))
    for piece in _pieces(stream, where):
        line = piece.line + start - 1
        if isinstance(piece, Document):
            yield Document(piece.value, line)
        else:
            yield Broken(line, piece.column, piece.problem, piece.cut_off)
