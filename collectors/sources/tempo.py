"""Grafana Tempo: a search for traces, then each trace by its id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.draft import Draft, Point
from collectors.formats import otlp_json
from collectors.http import AbsentError, fetch_json
from collectors.report import ReadReport
from collectors.searching import gated, halved, is_new
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from words import _

NAME: Final = "tempo"
TITLE: Final = "Tempo (search API)"
FIELDS: Final = (
    Field("url", _("Address"), required=True),
    Field("service", _("Services, separated by commas; all where empty")),
    Field("limit", _("Traces in one answer, at most"), default="200"),
    *ACCESS,
)


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a Tempo answers at this address."""
    try:
        found = fetch_json(f"{_api(url)}/search", {"limit": 1}, headers)
    except UserError:
        return False
    if not isinstance(found, dict) or "data" in found:
        return False
    return isinstance(found.get("traces"), list) or isinstance(found.get("metrics"), dict)


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Every trace that the search finds in the range, each once and whole."""
    api, headers = _api(setting(settings, FIELDS, "url")), headers_of(settings, FIELDS)
    limit = number(settings, FIELDS, "limit")
    report.format, report.reason = otlp_json.NAME, _("it comes from Tempo's search API")
    found = _found(settings, api, headers, limit, (since_ns, until_ns), report)
    yield from gated(_traces(found, api, headers, report), report)


def _api(url: str) -> str:
    return f"{base_url(url).removesuffix('/api/search').removesuffix('/api')}/api"


def _found(
    settings: Settings,
    api: str,
    headers: dict[str, str],
    limit: int,
    window_ns: tuple[int, int],
    report: ReadReport,
) -> Iterator[str]:
    """The ids of the traces, each once; Tempo counts in seconds and excludes the last one."""
    window = window_ns[0] // 10**9, max(window_ns[0], window_ns[1] - 1) // 10**9
    seen = set[str]()
    named = [name.strip() for name in setting(settings, FIELDS, "service").split(",")]
    for service in [name for name in named if name] or [""]:
        query = f'{{ resource.service.name = "{_escaped(service)}" }}' if service else "{}"

        def ask(start: int, end: int, query: str = query) -> list[Any]:
            params = {"q": query, "limit": limit, "spss": 1, "start": start, "end": end + 1}
            answer = fetch_json(f"{api}/search", params, headers)
            traces = answer.get("traces", []) if isinstance(answer, dict) else None
            if not isinstance(traces, list):
                raise UserError(_("a list of traces"), _("another answer"), shown_url(api))
            return traces

        def cut(start: int, end: int) -> None:
            place = _("at least 1 trace more between {start} and {end} s")
            shown = place.format(start=start, end=end + 1)
            report.reject(_("the answer was cut off at the limit of traces"), shown)

        for trace in halved(window, 1, limit, ask, cut):
            given = str(trace.get("traceID") or "") if isinstance(trace, dict) else ""
            if given and is_new(given, seen):
                yield given


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _traces(
    ids: Iterator[str], api: str, headers: dict[str, str], report: ReadReport
) -> Iterator[Iterator[Draft | Point]]:
    """The records of each trace, by the second version of the API or, before Tempo 2.7, the first.

    A trace that is gone by now, or that comes in part since it is too large, is counted.
    """
    versions = ["v2/traces", "traces"]
    for trace_id in ids:
        answer = _trace(versions, api, trace_id, headers)
        if answer is None:
            report.reject(_("a trace that the search found is not there"), trace_id)
            continue
        if answer.get("status") in ("PARTIAL", 1):
            report.reject(_("a trace comes in part: it is too large for Tempo"), trace_id)
        yield otlp_json.rows(answer, f"{trace_id}: ", report)


def _trace(
    versions: list[str], api: str, trace_id: str, headers: dict[str, str]
) -> dict[str, Any] | None:
    """One trace; a version that is shown to be the only one stays alone in `versions`."""
    for version in tuple(versions):
        url = f"{api}/{version}/{quote(trace_id, safe='')}"
        try:
            answer = fetch_json(url, headers=headers)
        except AbsentError:
            continue
        if not isinstance(answer, dict):
            raise UserError(_("a trace"), _("another answer"), shown_url(url))
        versions[:] = [version]
        return answer
    return None
