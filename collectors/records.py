"""Spans from services that keep them in shapes of their own: instants and choices, checked."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from analysis.spans import KINDS, STATUSES
from collectors.draft import Draft, host_of, text_or_none
from collectors.fields import bad, hex_id, needed_id
from words import _

_INSTANT: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?\s*(Z|[+-]\d\d:?\d\d)?", re.I
)


def instant_ns(value: object, key: str) -> int | None:
    """An ISO time in whole nanoseconds, UTC where it names no zone; None where absent.

    Raises: FieldError where it is something else.
    """
    if value is None or value == "":
        return None
    found = _INSTANT.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise bad(key, _("is not a time"), value)
    day, clock, fraction, zone = found.groups()
    shift = zone if zone and zone not in "Zz" else "+00:00"
    try:
        seconds = round(datetime.fromisoformat(f"{day}T{clock}{shift}").timestamp())
    except (ValueError, OverflowError) as error:
        raise bad(key, _("is not a time"), value) from error
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0"))


def choice(value: object, names: tuple[str, ...], prefix: str) -> str:
    """One of an enumeration's names, however it is spelt; the first where it is none of them."""
    name = str(value or "").lower().removeprefix(prefix)
    return name if name in names else names[0]


def record(
    ids: tuple[object, object, object],
    name: object,
    times: tuple[int | None, int | None],
    attributes: dict[str, Any],
    *,
    resource: dict[str, Any],
    place: str,
    kind: object = "internal",
    status: object = None,
    scope: object = None,
    events: list[dict[str, Any]] | None = None,
) -> Draft:
    """A span: `ids` are those of trace, span and parent. Raises: FieldError."""
    return Draft(
        trace_id=needed_id(ids[0], "trace id", 32),
        span_id=needed_id(ids[1], "span id", 16),
        parent_id=hex_id(ids[2], "parent id", 16),
        name=str(name or ""),
        service=text_or_none(resource.get("service.name")),
        host=host_of(resource),
        kind=choice(kind, KINDS, "span_kind_"),
        status=choice(status, STATUSES, "status_code_"),
        scope=text_or_none(scope),
        start_ns=times[0],
        end_ns=times[1],
        resource=resource,
        attributes=attributes,
        events=events or [],
        links=[],
        place=place,
    )
