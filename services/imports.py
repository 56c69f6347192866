"""Files into the store: all of a file or nothing, with every record accounted for."""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import collectors
from analysis.errors import UserError
from data.filters import Filters
from data.store import Added, Store
from services.progress import Progress, Step, silent

CHUNK = 1 << 20


@dataclass(frozen=True)
class Source:
    """A file to import under a name that the user knows."""

    name: str
    path: Path


class _Counted(io.RawIOBase):
    """A binary file that remembers how far it has been read."""

    def __init__(self, inner: BinaryIO) -> None:
        self._inner, self.position = inner, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(len(buffer))
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)


def import_files(
    store: Store,
    files: Iterable[Source],
    progress: Progress = silent,
    *,
    sample: bool = False,
    keep_content: bool = False,
) -> dict[str, Any]:
    """The answer of `slowpath import`: what came of each file, and of all together.

    A file that cannot be read carries its `error` and changes nothing; the others still count.
    """
    started = time.monotonic()
    rows = [_import_or_error(store, file, progress, sample, keep_content) for file in files]
    return summed(rows, lambda params: imported(store, params), time.monotonic() - started)


def summed(
    rows: list[dict[str, Any]], together: Callable[[Mapping[str, Any]], Any], seconds: float
) -> dict[str, Any]:
    """The answers for single files, as one.

    `together` answers what several data sets hold, each request and span counted once.
    """
    sets = sorted({row["data_set"] for row in rows if row["data_set"] is not None})
    if len(sets) > 1:
        totals = together({"data_sets": sets})
    else:
        held = [row for row in rows if row["data_set"] is not None] or rows
        totals = {name: held[0][name] for name in ("requests", "spans", "flags")}
    return {"files": rows, **totals, "seconds": round(seconds, 3)}


def imported(store: Store, params: Mapping[str, Any]) -> dict[str, Any]:
    """Requests, distinct spans and flags of `data_sets`, what several of them hold counted once."""
    sets: Sequence[int] = [int(number) for number in params["data_sets"]]
    filters = Filters(data_sets=tuple(sets))
    flags = store.query("flag_counts", filters)
    return {
        "requests": int(store.query("summary", filters)["n"].iloc[0]),
        "spans": int(store.query("imported_spans", data_sets=sets)["spans"].iloc[0]),
        "flags": dict(sorted(zip(flags["flag"], map(int, flags["spans"]), strict=True))),
    }


def _import_or_error(
    store: Store, file: Source, progress: Progress, sample: bool, keep_content: bool
) -> dict[str, Any]:
    try:
        return import_file(store, file, progress, sample=sample, keep_content=keep_content)
    except (UserError, OSError) as error:
        return failed(file.name, error)


def failed(name: str, error: UserError | OSError) -> dict[str, Any]:
    """The entry of a file that could not be imported."""
    if isinstance(error, OSError):
        error = UserError("a file that can be read", error.strerror or str(error), name)
    return {**_row(name, ""), "error": str(error)}


def _row(path: str, kind: str) -> dict[str, Any]:
    return {
        "path": path, "format": kind, "spans": 0, "new_spans": 0, "points": 0, "duplicates": 0,
        "rejected": [], "dropped": {}, "error": None, "requests": 0, "flags": {}, "data_set": None,
    }  # fmt: skip


def unchanged(name: str, kind: str) -> dict[str, Any]:
    """The entry of a pull that brought nothing new; it is no data set."""
    return _row(name, kind)


def import_file(
    store: Store,
    file: Source,
    progress: Progress = silent,
    *,
    sample: bool = False,
    keep_content: bool = False,
) -> dict[str, Any]:
    """Import one file; the answer is one entry of `files` of `slowpath import --json`.

    Raises:
        UserError: nothing in it can be used; the store is as before.
    """
    size = file.path.stat().st_size
    name = Path(file.name).name
    digest = _digest(file.path)
    import_id = store.begin(name, digest, sample)
    if import_id is None:
        return _known(store, file, digest)
    try:
        return _imported(store, file, import_id, size, progress, keep_content)
    except BaseException:
        store.abort(import_id)
        raise


def _digest(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _known(store: Store, file: Source, digest: str) -> dict[str, Any]:
    """The entry of a file that is in already: all of it duplicates, the rest as the first time."""
    imports = store.query("imports")
    earlier = imports[imports["hash"] == digest].iloc[0]
    counts = ("spans", "points", "requests", "new_spans", "duplicates")
    spans, points, requests, new, repeated = (int(earlier[name]) for name in counts)
    notes = {name: json.loads(earlier[name]) for name in ("rejected", "dropped", "flags")}
    return {
        **_row(file.name, str(earlier["format"])), **notes,
        "spans": spans, "points": points, "requests": requests,
        "duplicates": new + repeated if spans else max(points, repeated),
        "data_set": int(earlier["import_id"]), "known": True,
    }  # fmt: skip


def _imported(
    store: Store, file: Source, import_id: int, size: int, progress: Progress, keep_content: bool
) -> dict[str, Any]:
    report = collectors.ReadReport()
    with file.path.open("rb") as raw:
        counted = _Counted(raw)
        stream = io.BufferedReader(counted, CHUNK)
        stored = Stored(file.name, 0, 0)
        for batch in collectors.read(stream, file.name, report, keep_content):
            stored = stored.more(store.add(import_id, batch))
            progress(Step(file.name, "read", counted.position, size, stored.spans))
    return settled(store, import_id, report, stored, progress)


@dataclass(frozen=True)
class Stored:
    """What of an import has been stored so far: spans and metric points, before they are shown."""

    name: str
    spans: int
    points: int

    def more(self, added: Added) -> Stored:
        """The same after one more batch."""
        return Stored(self.name, self.spans + added.spans, self.points + added.points)


def settled(
    store: Store,
    import_id: int,
    report: collectors.ReadReport,
    stored: Stored,
    progress: Progress,
) -> dict[str, Any]:
    """Make an import visible and say what it brought.

    Raises:
        UserError: it brought neither a span nor a metric point.
    """
    name, rejected = stored.name, [asdict(entry) for entry in report.rejected]
    if not stored.spans and not stored.points:
        reasons = "; ".join(f"{row['count']} × {row['reason']}" for row in rejected)
        raise UserError("at least one usable span or metric point", reasons or "none", name)

    def derived(done: int, total: int) -> None:
        progress(Step(name, "derive", done, total, stored.spans))

    outcome = store.settle(
        import_id, report.format, rejected, report.dropped, derived, report.bytes_read
    )
    extra = {"rejected": rejected, "dropped": report.dropped, "data_set": import_id}
    return {**_row(name, report.format), **vars(outcome), **extra}
