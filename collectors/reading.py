"""From a stream of any format to batches: look at the head, choose a reader, pass the gate."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, BinaryIO, Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.documents import Document, documents
from collectors.formats import (
    jaeger_json,
    otlp_json,
    otlp_metrics,
    prometheus_api,
    prometheus_text,
    zipkin_v2,
)
from collectors.gate import Gate
from collectors.known import described, is_binary, lookalike, shape_of
from collectors.outline import outline
from collectors.report import ReadReport
from collectors.unwrap import head, unwrapped
from words import _

FORMATS: Final[tuple[ModuleType, ...]] = (
    otlp_json,
    otlp_metrics,
    jaeger_json,
    zipkin_v2,
    prometheus_api,
    prometheus_text,
)
"""Every format that is read: each has NAME, TITLE, `matches(document)` and `rows(document, …)`."""

_BRACKETED: Final = re.compile(r"\[[^\[\]{}\"\n]*\][^\S\n]*[^\s,\]}]")
"""A log line that begins with a time in brackets looks like a list at first."""

Batches = Iterator[SpanBatch | MetricBatch]


def read(stream: BinaryIO, where: str, report: ReadReport, keep_content: bool = False) -> Batches:
    """Batches of at most 5000 spans or points from an export of any known format.

    The format is told from the content alone; gzip (also twice), byte order marks and UTF-16 are
    unwrapped. `where` names the input in messages; the report fills while the batches are drawn.

    Raises: UserError where nothing can be used: not an export, one of a format that is recognised
    but not read (by name), cut off, nested too deeply, or empty.
    """
    reader = unwrapped(stream, where, report)
    start = head(reader)
    text = start.decode("utf-8", "ignore").lstrip("\ufeff \t\r\n\x1e\x0b\x0c")
    if not text:
        found = _("an empty file") if not start.strip() else described(start)
        raise UserError(_("an export of traces or metrics"), found, where)
    binary = is_binary(start)
    if text[0] in "{[" and not binary and not _BRACKETED.match(text):
        shape = outline(text, where)
        _recognised(shape, where, final=False)
        return _from_json(documents(reader, where, report), where, report, keep_content)
    if binary or not (reason := prometheus_text.matches(text)):
        raise UserError(_("an export of traces or metrics"), described(start), where)
    report.format, report.reason = prometheus_text.NAME, reason
    return _from_text(reader, where, report, keep_content)


def _recognised(document: Any, where: str, final: bool = True) -> tuple[ModuleType, str] | None:
    """(format, reason) for a document; None where it is unknown and may yet become clear."""
    for module in FORMATS:
        reason = module.matches(document)
        if reason:
            return module, reason
    look = lookalike(document)
    if look is None and not final:
        return None
    raise UserError(_("an export of traces or metrics"), _found(document), where)


def _found(document: Any) -> str:
    """What a document is that is not read, by name where it has one."""
    look = lookalike(document)
    if look is None:
        return _("JSON of no known format: {shape}").format(shape=shape_of(document))
    if look.aggregate:
        aggregate = _("{name}: figures over many requests, no per-request rows")
        return aggregate.format(name=look.name)
    return _("{name}, a format that is not read yet").format(name=look.name)


def _from_json(
    found: Iterable[Document], where: str, report: ReadReport, keep_content: bool
) -> Batches:
    gate = Gate(report, keep_content)
    module: ModuleType | None = None
    for document in found:
        if module is None:
            first = _recognised(document.value, where)
            assert first is not None
            module, report.reason = first
            report.format = module.NAME
        reader = module if module.matches(document.value) else _other(document.value)
        place = "" if document.line == 1 else _("line {n}: ").format(n=document.line)
        if reader is None:
            report.reject(_("a document of another kind"), f"{place}{_found(document.value)}")
            continue
        for record in reader.rows(document.value, place, report):
            gate.add(record)
            yield from gate.batches()
        gate.end_document()
    yield from _last(gate, where, report)


def _other(document: Any) -> ModuleType | None:
    return next((module for module in FORMATS if module.matches(document)), None)


def _from_text(
    reader: io.BufferedReader[Any], where: str, report: ReadReport, keep_content: bool
) -> Batches:
    gate = Gate(report, keep_content)
    page = reader.read().decode("utf-8", "replace")
    for record in prometheus_text.rows(page, "", report):
        gate.add(record)
        yield from gate.batches()
    yield from _last(gate, where, report)


def _last(gate: Gate, where: str, report: ReadReport) -> Batches:
    yield from gate.batches(final=True)
    if not gate.passed and not report.rejected:
        found = _("an export without any ({format})").format(format=report.format)
        raise UserError(_("at least one span or metric point"), found, where)
