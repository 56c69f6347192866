"""Jaeger's JSON: a query answer, the user interface's download, one bare trace, its inner model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from analysis.spans import KINDS, STATUSES
from collectors.draft import Draft, Point, host_of, text_or_none
from collectors.fields import (
    FieldError,
    as_object,
    bad,
    hex_id,
    integer,
    listed,
    mapped,
    needed_id,
    plain_value,
    text,
)
from collectors.report import ReadReport
from collectors.sanitized import original_end
from words import _

NAME: Final = "jaeger_json"
TITLE: Final = "Jaeger JSON (query API and UI download)"

_LEVELS: Final = {"child_of": "child_of", "follows_from": "follows_from"}
Process = tuple[dict[str, Any], str | None, str | None]
"""(resource, service, host) of one entry of `processes`."""


def matches(document: Any) -> str | None:
    """What gives the format away, None where this is another one."""
    if isinstance(document, dict) and document.get("data") == [] and "errors" in document:
        return _("it is a query answer without traces")
    for place, trace in _traces(document):
        spans = trace.get("spans") if isinstance(trace, dict) else None
        first = spans[0] if isinstance(spans, list) and spans else None
        if isinstance(first, dict) and ("spanID" in first or "operationName" in first):
            return _("{place} holds spans with spanID and operationName").format(place=place)
        if isinstance(trace, dict) and "traceID" in trace and "processes" in trace:
            return _("{place} holds traceID and processes").format(place=place)
    return None


def _traces(document: Any) -> Iterator[tuple[str, Any]]:
    """(path, trace) of every trace, whatever wraps it."""
    data = document.get("data", document) if isinstance(document, dict) else document
    prefix = "data" if isinstance(document, dict) and "data" in document else ""
    if isinstance(data, list):
        yield from ((f"{prefix}[{position}]", trace) for position, trace in enumerate(data))
    elif isinstance(data, dict):
        yield prefix or "trace", data


def rows(document: Any, where: str, report: ReadReport) -> Iterator[Draft | Point]:
    """The spans of one document; unusable ones are counted in the report with their path."""
    for path, trace in _traces(document):
        place = f"{where}{path}"
        try:
            holder = as_object(trace, "data")
            processes = _processes(mapped(holder, "processes"))
            spans = listed(holder, "spans")
        except FieldError as error:
            report.reject(error.reason, f"{place}: {error.found}")
            continue
        warnings = holder.get("warnings")
        said = warnings if isinstance(warnings, list) else []
        for position, span in enumerate(spans):
            here = f"{place}.spans[{position}]"
            try:
                yield _draft(as_object(span, "span"), holder, processes, said, here)
            except FieldError as error:
                report.reject(error.reason, f"{here}: {error.found}" if error.found else here)


def _processes(entries: dict[str, Any]) -> dict[str, Process | FieldError]:
    """Every process, or what is wrong with it: that costs its own spans and no others."""
    found: dict[str, Process | FieldError] = {}
    for key, entry in entries.items():
        try:
            found[key] = _runner_from(as_object(entry, "processes"))
        except FieldError as error:
            found[key] = error
    return found


def _runner_from(entry: dict[str, Any]) -> Process:
    tags = _tags(entry, "tags")
    service = text_or_none(text(entry, "serviceName"))
    resource = {"service.name": service, **tags} if service else tags
    return resource, service, host_of(tags)


def _draft(
    span: dict[str, Any],
    trace: dict[str, Any],
    processes: dict[str, Process | FieldError],
    warnings: list[Any],
    place: str,
) -> Draft:
    trace_id = needed_id(span.get("traceID") or trace.get("traceID"), "traceID", 32)
    tags = _tags(span, "tags")
    resource, service, host = _runner(span, processes)
    said = [*listed(span, "warnings"), *warnings]
    if said:
        tags["jaeger.warnings"] = [str(warning) for warning in said]
    parent, links = _references(span, trace_id)
    start, length = integer(span, "startTime"), integer(span, "duration")
    end_ns = None if start is None or length is None else (start + length) * 1000
    return Draft(
        trace_id=trace_id,
        span_id=needed_id(span.get("spanID"), "spanID", 16),
        parent_id=parent,
        name=text(span, "operationName"),
        service=service,
        host=host,
        kind=_kind(tags.get("span.kind")),
        status=_status(tags),
        scope=text_or_none(tags.get("otel.scope.name") or tags.get("otel.library.name")),
        start_ns=None if start is None else start * 1000,
        end_ns=original_end(end_ns, tags),
        resource=resource,
        attributes=tags,
        events=[_event(log) for log in listed(span, "logs")],
        links=links,
        place=place,
    )


def _runner(span: dict[str, Any], processes: dict[str, Process | FieldError]) -> Process:
    if isinstance(span.get("process"), dict):
        return _runner_from(span["process"])
    found = processes.get(text(span, "processID"), ({}, None, None))
    if isinstance(found, FieldError):
        raise found
    return found


def _tags(holder: dict[str, Any], key: str) -> dict[str, Any]:
    """Jaeger's list of typed tags as a dict; several values of one key become a list."""
    found: dict[str, Any] = {}
    for tag in listed(holder, key):
        if not isinstance(tag, dict) or not isinstance(tag.get("key"), str):
            raise bad(key, _("holds an entry without a key"), tag)
        name, value = tag["key"], _typed(tag.get("type"), tag.get("value"))
        if name in found and found[name] != value:
            before = found[name]
            value = [*before, value] if isinstance(before, list) else [before, value]
        found[name] = value
    return found


def _typed(kind: Any, value: Any) -> Any:
    """A tag's value in its declared type; a value that does not fit is kept as it stands."""
    if not isinstance(value, str):
        is_float = kind == "float64" and type(value) is int and abs(value) < 2**53
        return float(value) if is_float else plain_value(value)
    try:
        if kind == "int64":
            return int(value) if len(value) <= 40 else value
        if kind == "float64":
            return plain_value(float(value))
    except ValueError:
        return value
    return value.lower() == "true" if kind == "bool" else value


def _kind(value: Any) -> str:
    name = value.lower() if isinstance(value, str) else "unspecified"
    return name if name in KINDS else "unspecified"


def _status(tags: dict[str, Any]) -> str:
    code = str(tags.get("otel.status_code", "")).lower()
    if code in STATUSES:
        return code
    return "error" if str(tags.get("error", "false")).lower() not in ("false", "0", "") else "unset"


def _references(span: dict[str, Any], trace_id: str) -> tuple[str | None, list[dict[str, Any]]]:
    """(parent, links): the first CHILD_OF within the trace, else the first FOLLOWS_FROM.

    A followed span is parent and link at once: the link says that nobody waits. References into
    other traces are plain links.
    """
    links, children, followed = [], [], []
    for reference in listed(span, "references"):
        holder = as_object(reference, "references")
        target = hex_id(holder.get("spanID"), "spanID", 16)
        other = hex_id(holder.get("traceID"), "traceID", 32) or trace_id
        if target is None:
            continue
        kind = _LEVELS.get(text(holder, "refType").lower(), "link")
        if other != trace_id:
            kind = "link"
        elif kind == "child_of":
            children.append(target)
        elif kind == "follows_from":
            followed.append(target)
        if kind != "child_of" or len(children) > 1:
            links.append({"trace_id": other, "span_id": target, "type": kind})
    legacy = hex_id(span.get("parentSpanID"), "parentSpanID", 16)
    return next(iter([*children, *([legacy] if legacy else []), *followed]), None), links


def _event(log: Any) -> dict[str, Any]:
    holder = as_object(log, "logs")
    fields = _tags(holder, "fields")
    time = integer(holder, "timestamp")
    name = fields.pop("event", None)
    if not isinstance(name, str):
        fields.update({} if name is None else {"event": name})
        name = "log"
    return {"name": name, "time_ns": None if time is None else time * 1000, "attributes": fields}
