"""LangSmith: the runs of all or one of the projects that a key opens, page by page.

A run is a span. Its `new_token` events are the chunks that the client saw; where only
`first_token_time` is given, that is the first of them and the rest are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.draft import Draft, Point
from collectors.fields import FieldError, as_object, listed, plain_value
from collectors.http import fetch_json
from collectors.records import instant_ns, record
from collectors.report import ReadReport
from collectors.searching import gated, iso_of
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from words import _

NAME: Final = "langsmith"
TITLE: Final = "LangSmith (runs)"
FIELDS: Final = (
    Field("url", _("Address"), required=True),
    Field("project", _("Project; all where empty")),
    Field("limit", _("Runs in one answer, at most"), default="100"),
    *ACCESS,
)
PAGE: Final = 100
_SELECT: Final = (
    "id", "trace_id", "parent_run_id", "name", "run_type", "start_time", "end_time", "status",
    "first_token_time", "events", "extra", "prompt_tokens", "completion_tokens",
)  # fmt: skip


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a LangSmith answers at this address."""
    try:
        found = fetch_json(f"{_api(url)}/info", headers=_keyed(headers))
    except UserError:
        return False
    return isinstance(found, dict) and {"version", "batch_ingest_config"} <= set(found)


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Every run that started in the range; of a trace at its edges, that part."""
    api = _api(setting(settings, FIELDS, "url"))
    headers = _keyed(headers_of(settings, FIELDS))
    ask = {
        "select": list(_SELECT),
        "limit": min(number(settings, FIELDS, "limit"), PAGE),
        "start_time": iso_of(since_ns)[:26] + "Z",
        "filter": f'lt(start_time, "{iso_of(until_ns + 999)[:26]}Z")',
    }
    report.format, report.reason = NAME, _("it comes from LangSmith's API")
    pages = (
        _records(page, project, report)
        for number_, project in _projects(api, headers, setting(settings, FIELDS, "project"))
        for page in _pages(f"{api}/runs/query", {**ask, "session": [number_]}, headers)
    )
    yield from gated(pages, report)


def _api(url: str) -> str:
    return f"{base_url(url).removesuffix('/api/v1')}/api/v1"


def _keyed(headers: dict[str, str]) -> dict[str, str]:
    """LangSmith's keys travel in a header of their own, unless another one is named."""
    bearer = headers.get("Authorization", "")
    if not bearer.startswith("Bearer "):
        return headers
    return {"x-api-key": bearer.removeprefix("Bearer ")}


def _projects(api: str, headers: dict[str, str], named: str) -> Iterator[tuple[str, str]]:
    """(id, name) pairs. Raises: UserError where there is no project of the name."""
    found, offset = 0, 0
    while True:
        params = {"limit": PAGE, "offset": offset, **({"name": named} if named else {})}
        page = fetch_json(f"{api}/sessions", params, headers)
        if not isinstance(page, list):
            raise UserError(_("a list of projects"), _("another answer"), shown_url(api))
        for entry in page:
            if isinstance(entry, dict) and entry.get("id"):
                found += 1
                yield str(entry["id"]), str(entry.get("name") or "")
        offset += len(page)
        if len(page) < PAGE:
            break
    if named and not found:
        raise UserError(_("a project of this name"), named, shown_url(api))


def _pages(url: str, ask: dict[str, Any], headers: dict[str, str]) -> Iterator[list[Any]]:
    cursor: object = None
    while True:
        answer = fetch_json(url, headers=headers, body={**ask, "cursor": cursor} if cursor else ask)
        runs = answer.get("runs") if isinstance(answer, dict) else None
        if not isinstance(runs, list):
            raise UserError(_("a page of runs"), _("another answer"), shown_url(url))
        yield runs
        cursors = answer.get("cursors")
        following = cursors.get("next") if isinstance(cursors, dict) else None
        if not following or following == cursor:
            return
        cursor = following


def _records(page: list[Any], project: str, report: ReadReport) -> Iterator[Draft | Point]:
    resource = {"langsmith.project": project}
    for position, entry in enumerate(page):
        place = f"{project}[{position}]"
        try:
            yield _draft(as_object(entry, "run"), resource, place)
        except FieldError as error:
            report.reject(error.reason, f"{place}: {error.found}")


def _draft(run: dict[str, Any], resource: dict[str, Any], place: str) -> Draft:
    said = run.get("extra")
    metadata = said.get("metadata") if isinstance(said, dict) else None
    known = metadata if isinstance(metadata, dict) else {}
    made = {
        "langsmith.span.kind": run.get("run_type"),
        "gen_ai.system": known.get("ls_provider"),
        "gen_ai.request.model": known.get("ls_model_name"),
        "gen_ai.usage.input_tokens": _count(run, "prompt_tokens"),
        "gen_ai.usage.output_tokens": _count(run, "completion_tokens"),
    }
    times = [instant_ns(run.get(key), key) for key in ("start_time", "end_time")]
    return record(
        (_plain(run.get("trace_id")), _plain(run.get("id")), _plain(run.get("parent_run_id"))),
        run.get("name"),
        (times[0], times[1]),
        {key: plain_value(value) for key, value in made.items() if value is not None},
        resource=resource,
        place=place,
        status="error" if run.get("status") == "error" else None,
        scope="langsmith",
        events=_tokens(run),
    )


def _count(run: dict[str, Any], key: str) -> object:
    """A token count of a model call; those of a chain are sums of its children's."""
    return (run.get(key) or None) if run.get("run_type") == "llm" else None


def _plain(number_: object) -> object:
    """A UUID without its dashes, as OpenTelemetry writes an id."""
    return number_.replace("-", "") if isinstance(number_, str) else number_


def _tokens(run: dict[str, Any]) -> list[dict[str, Any]]:
    seen = [as_object(event, "events") for event in listed(run, "events")]
    times = [instant_ns(each.get("time"), "time") for each in seen if each.get("name") == _TOKEN]
    if not times and run.get("first_token_time"):
        times = [instant_ns(run["first_token_time"], "first_token_time")]
    return [{"name": _TOKEN, "time_ns": at, "attributes": {}} for at in times if at is not None]


_TOKEN: Final = "new_token"  # noqa: S105  # the event's name, not a secret
