"""From a service to batches: by the source's name, or by an address that says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Final

from analysis.errors import UserError
from analysis.spans import MetricBatch, SpanBatch
from collectors.address import base_url, shown_url
from collectors.http import UnreachableError, fetch
from collectors.report import ReadReport
from collectors.settings import ACCESS, Settings, headers_of
from collectors.sources import (
    clickhouse,
    jaeger,
    jaeger_v3,
    langfuse,
    langsmith,
    phoenix,
    prometheus,
    tempo,
    zipkin,
)
from words import _

SOURCES: Final[tuple[ModuleType, ...]] = (
    jaeger,
    jaeger_v3,
    tempo,
    zipkin,
    phoenix,
    langfuse,
    langsmith,
    clickhouse,
    prometheus,
)
"""Every service that is pulled from. Each has NAME, TITLE, FIELDS, `answers` and `pull`."""


def pull(
    source: str, settings: Settings, since_ns: int, until_ns: int, report: ReadReport
) -> Iterator[SpanBatch | MetricBatch]:
    """Batches of what a service holds between two instants.

    `source` is a source's name, or an address, which is then probed. Raises: UserError where the
    source is unknown, cannot be reached or answers with something else.
    """
    module = next((known for known in SOURCES if source == known.NAME), None)
    if module is None:
        if "://" not in source:
            names = ", ".join(known.NAME for known in SOURCES)
            raise UserError(_("an address or one of {names}").format(names=names), source)
        module, settings = (
            _probed(source, headers_of(settings, ACCESS)),
            {**settings, "url": source},
        )
    found: Iterator[SpanBatch | MetricBatch] = module.pull(settings, since_ns, until_ns, report)
    return found


def _probed(url: str, headers: dict[str, str]) -> ModuleType:
    """The source that answers at an address; one that nobody reaches is not asked seven times."""
    address = base_url(url)
    refusal: UserError | None = None
    try:
        fetch(url, headers=headers)
    except UnreachableError:
        raise
    except UserError as error:
        refusal = error
    for module in SOURCES:
        if module.answers(address, headers):
            return module
    if refusal is not None:
        raise refusal
    names = ", ".join(module.TITLE for module in SOURCES)
    raise UserError(_("one of {names}").format(names=names), _("another service"), shown_url(url))
