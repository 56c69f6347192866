"""Sentences about techniques: what, why, why not, what it needs, how to check."""

from collections.abc import Mapping
from typing import Any

from analysis.advice.sources import cited
from words import _, fmt, ngettext, phrases
from words.labels import OBJECTIVE_LABELS, STAGE_PHRASES
from words.technique_notes import NEEDS, VERIFY
from words.technique_reasons import BECAUSE, COLLECT, NOT_BECAUSE
from words.technique_titles import ASSUMPTIONS, GRADES, RISKS, TITLES

Row = Mapping[str, Any]
"""One row of `slowpath rank`."""


def title(technique_id: str) -> str:
    """The technique as a short instruction: `Keep connections open`."""
    return TITLES[technique_id]


def because(finding: Row) -> str:
    """Why the technique applies, does not, or what to record first; one sentence with figures."""
    if finding.get("lacks"):
        text = _("cannot tell yet: {collect}").format(collect=COLLECT[finding["lacks"]])
    elif finding.get("reason"):
        text = _filled(BECAUSE[finding["reason"]], finding["figures"])
    else:
        text = _filled(NOT_BECAUSE[finding["not_because"]], finding["figures"])
    return phrases.started(text) + "."


def details(finding: Row) -> list[tuple[str, list[str]]]:
    """Headed lists for the evidence view; a heading without entries is left out."""
    lists = [
        (_("Needs"), [NEEDS[need] for need in finding["needs"]]),
        (_("Cannot be had with"), [title(other) for other in finding["conflicts"]]),
        (_("Makes superfluous"), [title(other) for other in finding["subsumes"]]),
        (_("How to check"), [verify(finding["id"])]),
        (_("Sources"), [cited(key) for key in finding["sources"]]),
    ]
    return [(heading, entries) for heading, entries in lists if entries]


def verify(technique_id: str) -> str:
    """What to measure afterwards."""
    return VERIFY[technique_id]


def need(need_id: str) -> str:
    """What has to be there before."""
    return NEEDS[need_id]


def assumption(technique_id: str, name: str) -> str:
    """What an assumed number stands for."""
    return ASSUMPTIONS.get(f"{technique_id}.{name}", ASSUMPTIONS[name])


def grade(name: str) -> str:
    """How well an assumption is founded: published, derived or estimate."""
    return GRADES[name]


def risk(name: str) -> str:
    """`low risk`, `medium risk` or `high risk`."""
    return RISKS[name]


def _filled(template: str, figures: Row) -> str:
    return template.format(**{name: _figure(name, value) for name, value in figures.items()})


def _counted(name: str, n: float) -> str:
    """A count with its noun, where its name is one: `1 request`, `473 requests`."""
    size = round(n)
    nouns = {
        "requests": ngettext("{n} request", "{n} requests", size),
        "calls": ngettext("{n} call", "{n} calls", size),
        "running": ngettext("{n} call", "{n} calls", size),
        "handshakes": ngettext("{n} TLS handshake", "{n} TLS handshakes", size),
        "lookups": ngettext("{n} DNS lookup", "{n} DNS lookups", size),
        "pulls": ngettext("{n} image pull", "{n} image pulls", size),
        "runs": ngettext("{n} run of lookups", "{n} runs of lookups", size),
        "hops": ngettext("{n} call", "{n} calls", size),
        "candidates": ngettext("{n} candidate", "{n} candidates", size),
        "models": ngettext("{n} model", "{n} models", size),
        "replicas": ngettext("{n} replica", "{n} replicas", size),
    }
    return nouns.get(name, "{n}").format(n=fmt.count(n))


def _listed(parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return _("{first} and {last}").format(first=", ".join(parts[:-1]), last=parts[-1])


def _figure(name: str, value: Any) -> str:
    """A figure in the format that the end of its name asks for."""
    if name == "stage":
        return _listed([STAGE_PHRASES[stage] for stage in value.split("+")])
    if name == "whole":
        return OBJECTIVE_LABELS[value]
    if isinstance(value, str):
        return value
    for ending, write in (
        ("_ns", fmt.ms), ("_share", fmt.share), ("_ratio", fmt.ratio), ("_tokens", fmt.tokens),
    ):  # fmt: skip
        if name.endswith(ending):
            return write(value)
    return _counted(name, value)
