"""Labels that only pages need: filter columns, dropped values, report sections, marks."""

from __future__ import annotations

from collections.abc import Mapping

from words import _


def column(name: str) -> str:
    """A column that can be filtered by."""
    known = {
        "model": _("Model"),
        "service": _("Service"),
        "route": _("Route"),
        "version": _("Version"),
        "status": _("Status"),
    }
    return known.get(name, name)


def grouping(name: str) -> str:
    """By what requests can be grouped."""
    return {"hour": _("Hour"), "minute": _("Minute")}.get(name) or column(name)


def time_ranges() -> dict[str, str]:
    """A time range's id -> what it is called."""
    return {
        "15m": _("15 min"),
        "1h": _("1 h"),
        "6h": _("6 h"),
        "24h": _("24 h"),
        "7d": _("7 days"),
    }


def dropped(kind: str) -> str:
    """What was dropped at the door."""
    known = {
        "content": _("Prompts, answers and other content dropped"),
        "credentials": _("Credentials dropped"),
        "headers": _("Captured headers dropped"),
        "url_query": _("URL query values dropped"),
    }
    return known.get(kind, kind)


def section(name: str) -> str:
    """A section of the report."""
    known = {
        "breakdown": _("Where the time goes"),
        "bands": _("Median, p95, p99"),
        "fixes": _("What to fix first"),
        "plan": _("Plan"),
        "requests": _("Slowest requests"),
        "limits": _("What this does not show"),
        "appendix": _("Appendix"),
    }
    return known.get(name, name)


MARKS_OF: Mapping[str, tuple[str, ...]] = {
    "request_queue": ("queue", "first_scheduled"),
    "kv_transfer": ("kv_transfer",),
    "prefill": ("prefill", "first_token"),
    "model": ("first_token", "first_chunk"),
    "decode": ("decode", "first_token", "first_chunk"),
    "tokenize_detokenize": ("tokenize",),
    "api_gateway": ("gateway",),
    "autoscale_cold_start": ("load",),
}
"""Stage of a model call's segment -> the marks it can be cut at, the likeliest first."""


def mark_kind(stage: str, marks: Mapping[str, str]) -> str:
    """How the length of a model call's segment is known: reported, first token, residual."""
    name = next((name for name in MARKS_OF.get(stage, ()) if name in marks), None)
    if name is None:
        return _("residual") if marks else _("undivided")
    return _("first token") if name in ("first_token", "first_chunk") else _("reported")


def mark(stage: str, marks: Mapping[str, str]) -> str:
    """Where the length of a model call's segment comes from."""
    source = next((marks[name] for name in MARKS_OF.get(stage, ()) if name in marks), None)
    return source or (_("residual") if marks else _("undivided"))


def span_name(name: str | None, key: str) -> str:
    """A span's name; what to say of one without, and of a parent that only its children name."""
    return name or (_("(never arrived)") if key.startswith("missing/") else _("(no name)"))
