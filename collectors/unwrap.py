"""A stream as it came, peeled: gzip (once or twice), byte order marks, UTF-16."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from typing import Any, BinaryIO, Final

from analysis.errors import UserError
from collectors.report import ReadReport
from words import _

HEAD: Final = 1 << 16
"""Bytes that are looked at to tell what a stream holds."""

MAX_UNPACKED: Final = 16 << 30
"""Bytes that a packed stream may unpack to."""

MAX_RATIO: Final = 250
"""How many times its size a packed stream may unpack to, once it is past `FREE` bytes; telemetry
packs 5 to 60 times, a decompression bomb 1000 times."""

FREE: Final = 64 << 20

_GZIP: Final = b"\x1f\x8b"
_UTF16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_UTF32: Final = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


class _Source(io.RawIOBase):
    """The raw stream, its bytes counted in the report."""

    def __init__(self, stream: BinaryIO, report: ReadReport) -> None:
        self._stream, self._report = stream, report

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._report.bytes_read += len(data)
        return len(data)


class _Unpacked(io.RawIOBase):
    """The content of a gzip stream, with an end to what it may unpack to."""

    def __init__(self, packed: BinaryIO, where: str, report: ReadReport) -> None:
        self._file = gzip.GzipFile(fileobj=packed, mode="rb")
        self._where, self._report, self._total = where, report, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._file.read(len(buffer))
        except EOFError as error:
            raise self._wrong(_("one that is cut off")) from error
        except (OSError, zlib.error) as error:
            raise self._wrong(_("one that is damaged")) from error
        self._total += len(data)
        over = self._total > max(FREE, MAX_RATIO * self._report.bytes_read)
        if over or self._total > MAX_UNPACKED:
            found = _("one that unpacks to more than {n} MB").format(n=self._total >> 20)
            raise self._wrong(found)
        buffer[: len(data)] = data
        return len(data)

    def _wrong(self, found: str) -> UserError:
        return UserError(_("a whole gzip file"), found, self._where)


class _Text(io.RawIOBase):
    """UTF-16 as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str, where: str) -> None:
        self._stream, self._where = stream, where
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._left:
            data = self._stream.read(HEAD)
            try:
                text = self._decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                raise UserError(_("UTF-16 text"), _("bytes that are not"), self._where) from error
            self._left = text.encode("utf-8", "replace")
            if not data:
                break
        part, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def unwrapped(stream: BinaryIO, where: str, report: ReadReport) -> io.BufferedReader[Any]:
    """The stream's content as UTF-8 without a byte order mark; `peek` shows its first bytes.

    Raises: UserError for a gzip stream that is damaged, cut off, or unpacks beyond its limits.
    """
    reader: io.BufferedReader[Any] = io.BufferedReader(_Source(stream, report), HEAD)
    for _layer in range(2):
        if head(reader)[:2] == _GZIP:
            reader = io.BufferedReader(_Unpacked(reader, where, report), HEAD)
    start = head(reader)[:4]
    if start[:3] == codecs.BOM_UTF8:
        reader.read(3)
    elif start[:2] in _UTF16 and start not in _UTF32:
        reader.read(2)
        reader = io.BufferedReader(_Text(reader, _UTF16[start[:2]], where), HEAD)
    return reader


def head(reader: io.BufferedReader[Any]) -> bytes:
    """The first bytes, left in the stream: all of them where it is shorter than `HEAD`."""
    return reader.peek(HEAD)
