"""What was acknowledged and is not in the store yet: batches on disk that outlive a crash."""

from __future__ import annotations

import io
import os
import struct
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

_HEAD: Final = struct.Struct("<4sQI")  # mark, bytes of the body, CRC-32 of the body
_MARK: Final = b"SLP1"
_ENDING: Final = ".batches"


class Journal:
    """Numbered files of Arrow tables in a folder; a file goes once the store holds all of it.

    `write` is quick and not yet durable; `sync` is what an acknowledgement has to wait for. Threads
    that sync together share one flush.

    Args:
        folder: made where absent; what an earlier process left there is read by `replay`.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._left = sorted(int(path.stem) for path in folder.glob(f"*{_ENDING}"))
        self.number = (self._left[-1] if self._left else 0) + 1
        self._lock, self._flush = threading.Lock(), threading.Lock()
        self._written = self._synced = 0
        self._file = self._opened(self.number)

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:012d}{_ENDING}"

    def _opened(self, number: int) -> Any:
        file = open(self._path(number), "ab", buffering=0)  # noqa: SIM115  # held open
        handle = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(handle)  # the name of the file has to outlive a crash as well
        finally:
            os.close(handle)
        return file

    def write(self, table: pa.Table) -> tuple[int, int]:
        """Append a table; returns the number of its file and a ticket for `sync`.

        Raises:
            OSError: the disk took less than all of it; the file is as before.
        """
        body = _packed(table)
        frame = _HEAD.pack(_MARK, len(body), zlib.crc32(body)) + body
        with self._lock:
            before = self._file.seek(0, os.SEEK_END)
            try:
                taken = self._file.write(frame)
                if taken != len(frame):
                    raise OSError(28, f"{taken} of {len(frame)} bytes written")
            except OSError:
                self._file.truncate(before)
                raise
            self._written += 1
            return self.number, self._written

    def sync(self, ticket: int) -> None:
        """Return once everything up to a ticket is on disk."""
        with self._flush:
            if self._synced >= ticket:
                return
            with self._lock:
                file, written = self._file, self._written
            os.fdatasync(file.fileno())
            self._synced = written

    def turn(self) -> int:
        """Begin a new file; returns the number of the one that is complete now.

        Raises:
            OSError: the disk does not take another file; the present one goes on.
        """
        with self._flush, self._lock:
            os.fdatasync(self._file.fileno())
            self._synced, done, full = self._written, self.number, self._file
            self._file = self._opened(done + 1)
            self.number = done + 1
            full.close()
            return done

    def forget(self, number: int) -> None:
        """Delete a file whose tables the store holds."""
        self._path(number).unlink(missing_ok=True)

    def replay(self) -> Iterator[tuple[int, pa.Table]]:
        """(number of its file, table) of all that an earlier process left, oldest first.

        A frame that a crash cut off was never acknowledged; what follows it in the file neither.
        """
        for number in self._left:
            empty = True
            for table in _frames(self._path(number).read_bytes()):
                empty = False
                yield number, table
            if empty:
                self.forget(number)

    def close(self) -> None:
        """Close the file; it stays where it holds anything."""
        with self._flush, self._lock:
            empty = not self._file.seek(0, os.SEEK_END)
            self._file.close()
            if empty:
                self.forget(self.number)


def _packed(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _frames(held: bytes) -> Iterator[pa.Table]:
    at = 0
    while at + _HEAD.size <= len(held):
        mark, length, crc = _HEAD.unpack_from(held, at)
        body = held[at + _HEAD.size : at + _HEAD.size + length]
        if mark != _MARK or len(body) != length or zlib.crc32(body) != crc:
            return
        yield pa.ipc.open_stream(body).read_all()
        at += _HEAD.size + length
