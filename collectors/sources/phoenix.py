"""Phoenix: the spans of all or one of its projects, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.draft import Draft, Point
from collectors.fields import FieldError, as_object, listed, mapped, plain_value
from collectors.http import fetch_json
from collectors.records import instant_ns, record
from collectors.report import ReadReport
from collectors.searching import gated, iso_of
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from words import _

NAME: Final = "phoenix"
TITLE: Final = "Phoenix (REST API)"
FIELDS: Final = (
    Field("url", _("Address"), required=True),
    Field("project", _("Project; all where empty")),
    Field("limit", _("Spans in one answer, at most"), default="1000"),
    *ACCESS,
)


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a Phoenix answers at this address."""
    try:
        found = fetch_json(f"{_api(url)}/projects", {"limit": 1}, headers)
    except UserError:
        return False
    return isinstance(found, dict) and "next_cursor" in found and "data" in found


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Every span that started in the range; of a trace at its edges, that part."""
    api, headers = _api(setting(settings, FIELDS, "url")), headers_of(settings, FIELDS)
    limit = min(number(settings, FIELDS, "limit"), 1000)
    report.format, report.reason = NAME, _("it comes from Phoenix's API")
    window = {
        "start_time": iso_of(since_ns)[:26] + "Z",
        "end_time": iso_of(until_ns + 999)[:26] + "Z",
    }
    named = setting(settings, FIELDS, "project")
    projects = [named] if named else _projects(api, headers)
    pages = (
        _records(page, project, report)
        for project in projects
        for page in _pages(
            f"{api}/projects/{quote(project, safe='')}/spans", {**window, "limit": limit}, headers
        )
    )
    yield from gated(pages, report)


def _api(url: str) -> str:
    return f"{base_url(url).removesuffix('/v1').removesuffix('/projects')}/v1"


def _projects(api: str, headers: dict[str, str]) -> list[str]:
    pages = _pages(f"{api}/projects", {"limit": 100}, headers)
    entries = [entry for page in pages for entry in page if isinstance(entry, dict)]
    return [str(entry["name"]) for entry in entries if entry.get("name")]


def _pages(url: str, params: dict[str, Any], headers: dict[str, str]) -> Iterator[list[Any]]:
    cursor: object = None
    while True:
        asked = {**params, "cursor": cursor} if cursor else params
        answer = fetch_json(url, asked, headers)
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list):
            raise UserError(_("a page of a list"), _("another answer"), shown_url(url))
        yield data
        following = answer.get("next_cursor")
        if not following or following == cursor:
            return
        cursor = following


def _records(page: list[Any], project: str, report: ReadReport) -> Iterator[Draft | Point]:
    resource = {"openinference.project.name": project}
    for position, entry in enumerate(page):
        place = f"{project}[{position}]"
        try:
            yield _draft(as_object(entry, "span"), resource, place)
        except FieldError as error:
            report.reject(error.reason, f"{place}: {error.found}")


def _draft(span: dict[str, Any], resource: dict[str, Any], place: str) -> Draft:
    context, kind = mapped(span, "context"), span.get("span_kind")
    attributes = {str(k): plain_value(v) for k, v in mapped(span, "attributes").items()}
    if kind and kind != "UNKNOWN":
        attributes.setdefault("openinference.span.kind", str(kind))
    return record(
        (context.get("trace_id"), context.get("span_id"), span.get("parent_id")),
        span.get("name"),
        (instant_ns(span.get("start_time"), "start_time"), _end(span)),
        attributes,
        resource=resource,
        place=place,
        status=span.get("status_code"),
        events=[_event(event) for event in listed(span, "events")],
    )


def _end(span: dict[str, Any]) -> int | None:
    return instant_ns(span.get("end_time"), "end_time")


def _event(event: Any) -> dict[str, Any]:
    held = as_object(event, "events")
    return {
        "name": str(held.get("name") or ""),
        "time_ns": instant_ns(held.get("timestamp"), "timestamp"),
        "attributes": plain_value(mapped(held, "attributes")),
    }
