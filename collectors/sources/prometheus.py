"""A metrics page, scraped once, or the series that a Prometheus server keeps of known families."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from typing import Any, Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.formats import prometheus_api, prometheus_text
from collectors.gate import Gate
from collectors.http import fetch, fetch_json
from collectors.report import ReadReport
from collectors.settings import ACCESS, Field, Settings, headers_of, number, setting
from collectors.sources.families import HISTOGRAMS, SINGLE
from collectors.unwrap import unwrapped
from words import _

NAME: Final = "prometheus"
TITLE: Final = "Prometheus (a metrics page, or a server)"
FIELDS: Final = (
    Field("url", _("Address of a metrics page or of a server"), required=True),
    Field("families", _("Families, separated by commas; the known ones where empty")),
    Field("step_s", _("Seconds between points"), default="15"),
    *ACCESS,
)

MAX_POINTS: Final = 11_000
"""Points in one series of an answer; a Prometheus server refuses more."""


def answers(url: str, headers: dict[str, str]) -> bool:
    """Whether a metrics page or a Prometheus server answers at this address."""
    try:
        return _is_server(url, headers) or bool(_page(url, headers, ReadReport()))
    except UserError:
        return False


def pull(
    settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """The points of one scrape, or of every known family over the range.

    Raises: UserError where neither a metrics page nor a server answers.
    """
    url, headers = base_url(setting(settings, FIELDS, "url")), headers_of(settings, FIELDS)
    gate = Gate(report)
    if _is_server(url, headers):
        report.format, report.reason = prometheus_api.NAME, _("it comes from Prometheus' query API")
        step = number(settings, FIELDS, "step_s")
        found = _ranges(
            url, headers, _queries(settings, url, headers), (since_ns, until_ns), step, report
        )
    else:
        report.format, report.reason = prometheus_text.NAME, _("it comes from a metrics page")
        found = prometheus_text.rows(_page(url, headers, report), "", report)
    for record in found:
        gate.add(record)
        yield from gate.batches()
    yield from gate.batches(final=True)


def _is_server(url: str, headers: dict[str, str]) -> bool:
    if base_url(url).endswith("/metrics"):
        return False
    try:
        answer = fetch_json(f"{_api(url)}/query", {"query": "1"}, headers)
    except UserError:
        return False
    return isinstance(answer, dict) and answer.get("status") == "success"


def _api(url: str) -> str:
    return f"{base_url(url).removesuffix('/api/v1').removesuffix('/graph')}/api/v1"


def _page(url: str, headers: dict[str, str], report: ReadReport) -> str:
    address = base_url(url)
    answer = fetch(address, headers={"Accept": "text/plain;version=0.0.4", **headers})
    page = unwrapped(io.BytesIO(answer.content), address, report).read().decode("utf-8", "replace")
    if not prometheus_text.matches(page):
        found = _("an answer that is neither")
        raise UserError(_("a metrics page or a Prometheus server"), found, shown_url(url))
    return page


def _queries(settings: Settings, url: str, headers: dict[str, str]) -> list[tuple[str, str]]:
    """(family, query) pairs: of the families that the user names, else of those known and kept."""
    named = [name.strip() for name in setting(settings, FIELDS, "families").split(",")]
    families = [name for name in named if name] or _kept(url, headers)
    return [(family, _query(family)) for family in families]


def _kept(url: str, headers: dict[str, str]) -> list[str]:
    """The known families of which the server keeps a series; all known ones where it won't say."""
    known = [*HISTOGRAMS, *SINGLE]
    try:
        answer = fetch_json(f"{_api(url)}/label/__name__/values", headers=headers)
    except UserError:
        return known
    names = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(names, list):
        return known
    held = {str(name) for name in names}
    return [name for name in known if held & {name, f"{name}_bucket", f"{name}_count"}]


def _query(family: str) -> str:
    escaped = "".join(char if char.isalnum() or char in "_:" else "." for char in family)
    single = family in SINGLE or family.endswith("_total")
    suffix = "" if single else "(_bucket|_sum|_count|_total)?"
    return f'{{__name__=~"{escaped}{suffix}"}}'


def _ranges(
    url: str,
    headers: dict[str, str],
    queries: list[tuple[str, str]],
    span_ns: tuple[int, int],
    step_s: int,
    report: ReadReport,
) -> Iterator[Any]:
    """The answers of every query, the range cut so that no answer exceeds the server's limit."""
    start, end = span_ns[0] // 10**9, -(-span_ns[1] // 10**9)
    pieces = max(1, math.ceil((end - start) / step_s / MAX_POINTS))
    for family, query in queries:
        for piece in range(pieces):
            first = start + piece * MAX_POINTS * step_s
            last = min(end, first + (MAX_POINTS - 1) * step_s)
            ask = {"query": query, "start": first, "end": last, "step": step_s}
            answer = fetch_json(f"{_api(url)}/query_range", ask, headers)
            if not prometheus_api.matches(answer):
                raise UserError(_("a matrix"), _("another answer"), shown_url(_api(url)))
            yield from prometheus_api.rows(answer, f"{family}: ", report)
