"""Langfuse: the observations of the project that the keys open, page by page.

Marks are those of the observation itself: its start, its end, and the completion start, where the
client set one. Of `usageDetails`, `input` and every `input_*` are parts that add up, as Langfuse's
own clients write them; `prompt_details.*` are inside `input`. What an OpenTelemetry client sent
stands under `metadata` and is kept; it counts before what Langfuse made of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.draft import Draft, Point
from collectors.fields import FieldError, as_object, mapped, plain_value
from collectors.http import AbsentError, fetch_json
from collectors.records import instant_ns, record
from collectors.report import ReadReport
from collectors.searching import gated, iso_of
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from words import _

NAME: Final = "langfuse"
TITLE: Final = "Langfuse (public API)"
FIELDS: Final = (
    Field("url", _("Address"), required=True),
    Field("limit", _("Observations in one answer, at most"), default="100"),
    *ACCESS,
)
_PARTS: Final = {
    "fields": "core,basic,time,model,usage,metadata",
    "expandMetadata": "attributes,resourceAttributes,scope",
}
_COUNTED: Final = ("gen_ai.usage.", "llm.token_count.", "llm.usage.", "ai.usage.")
_CACHED: Final = ("input_cached_tokens", "input_cache_read", "prompt_details.cache_read")


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a Langfuse answers at this address."""
    try:
        found = fetch_json(f"{_api(url)}/health", headers=headers)
    except UserError:
        return False
    return isinstance(found, dict) and {"status", "version"} <= set(found)


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Every observation that started in the range; of a trace at its edges, that part."""
    api, headers = _api(setting(settings, FIELDS, "url")), headers_of(settings, FIELDS)
    window = {
        "fromStartTime": iso_of(since_ns)[:23] + "Z",
        "toStartTime": iso_of(until_ns + 999_999)[:23] + "Z",
        "limit": number(settings, FIELDS, "limit"),
    }
    report.format, report.reason = NAME, _("it comes from Langfuse's API")
    pages = _pages(api, window, headers, report)
    yield from gated((_records(page, report) for page in pages), report)


def _api(url: str) -> str:
    return f"{base_url(url).removesuffix('/api/public')}/api/public"


def _pages(
    api: str, window: dict[str, Any], headers: dict[str, str], report: ReadReport
) -> Iterator[list[Any]]:
    """Pages of version 2 of the API or, where a server of one's own has none, of version 1."""
    url = f"{api}/v2/observations"
    try:
        page, meta = _page(url, {**window, **_PARTS}, headers)
    except AbsentError:
        yield from _numbered(f"{api}/observations", window, headers, report)
        return
    yield page
    while cursor := meta.get("cursor"):
        page, meta = _page(url, {**window, **_PARTS, "cursor": cursor}, headers)
        yield page
        if meta.get("cursor") == cursor:
            return


def _numbered(
    url: str, window: dict[str, Any], headers: dict[str, str], report: ReadReport
) -> Iterator[list[Any]]:
    came, number_, last = 0, 1, 1
    total: object = 0
    while number_ <= last:
        page, meta = _page(url, {**window, "page": number_}, headers)
        came, total = came + len(page), meta.get("totalItems")
        pages = meta.get("totalPages")
        last = pages if isinstance(pages, int) else 0
        number_ += 1
        yield page
    if isinstance(total, int) and came < total:
        report.reject(_("an observation that Langfuse counts did not come"), url, total - came)


def _page(
    url: str, params: dict[str, Any], headers: dict[str, str]
) -> tuple[list[Any], dict[str, Any]]:
    answer = fetch_json(url, params, headers)
    data, meta = (answer.get("data"), answer.get("meta")) if isinstance(answer, dict) else (0, 0)
    if not isinstance(data, list):
        raise UserError(_("a page of observations"), _("another answer"), shown_url(url))
    return data, meta if isinstance(meta, dict) else {}


def _records(page: list[Any], report: ReadReport) -> Iterator[Draft | Point]:
    for position, entry in enumerate(page):
        try:
            yield _draft(as_object(entry, "observation"), f"data[{position}]")
        except FieldError as error:
            report.reject(error.reason, f"data[{position}]: {error.found}")


def _draft(seen: dict[str, Any], place: str) -> Draft:
    sent = _object(seen.get("metadata"))
    start, end = (instant_ns(seen.get(key), key) for key in ("startTime", "endTime"))
    kind = str(seen.get("type") or "").lower()
    scope = _object(sent.get("scope")).get("name")
    return record(
        (seen.get("traceId"), seen.get("id"), seen.get("parentObservationId")),
        seen.get("name") or kind,
        (start, start if kind == "event" and end is None else end),
        {**_attributes(seen, kind), **_usage(seen, sent), **_object(sent.get("attributes"))},
        resource=_object(sent.get("resourceAttributes")),
        place=place,
        status="error" if seen.get("level") == "ERROR" else None,
        scope=scope or "langfuse",
    )


def _attributes(seen: dict[str, Any], kind: str) -> dict[str, Any]:
    made = {
        "langfuse.observation.type": kind,
        "langfuse.observation.completion_start_time": seen.get("completionStartTime"),
        "langfuse.environment": seen.get("environment"),
        "langfuse.version": seen.get("version"),
        "gen_ai.request.model": seen.get("model") or seen.get("providedModelName"),
    }
    return {key: plain_value(value) for key, value in made.items() if value}


def _usage(seen: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """Token counts, where the client's own attributes tell none."""
    if any(key.startswith(_COUNTED) for key in _object(sent.get("attributes"))):
        return {}
    used = {k: v for k, v in mapped(seen, "usageDetails").items() if type(v) is int}
    cached = [used[key] for key in _CACHED if used.get(key)]
    made = {
        "gen_ai.usage.input_tokens": _total(used, "input"),
        "gen_ai.usage.output_tokens": _total(used, "output"),
        "gen_ai.usage.cache_read.input_tokens": cached[0] if cached else None,
    }
    return {key: value for key, value in made.items() if value is not None}


def _total(used: dict[str, int], side: str) -> int | None:
    parts = [count for key, count in used.items() if key == side or key.startswith(f"{side}_")]
    return sum(parts) if side in used else None


def _object(value: object) -> dict[str, Any]:
    """An object, also one that is written as text; {} where it is none."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return plain_value(value) if isinstance(value, dict) else {}
