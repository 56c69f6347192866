"""What is said of stage rules: what one asks for, and what it moves."""

from collections.abc import Mapping
from typing import Any, Final

from words import _, fmt, labels, ngettext

FEW: Final = 3
"""Pairs of stages that a line names; the others are summed."""

CONDITIONS: Final[dict[str, str]] = {
    "name": _("name"),
    "service": _("service"),
    "kind": _("kind"),
    "status": _("status"),
    "scope": _("scope"),
    "event": _("event"),
    "server_child": _("answered by another service"),
    "under_call": _("under a model call"),
    "call_below": _("model call below"),
}


def requests(n: int) -> str:
    """`412 requests`."""
    return ngettext("{n} request", "{n} requests", n).format(n=fmt.count(n))


def spans(n: int) -> str:
    """`412 spans`."""
    return ngettext("{n} span", "{n} spans", n).format(n=fmt.count(n))


def matches(conditions: Mapping[str, Any]) -> str:
    """What a rule asks of a span, `name ^chat$ · kind client`; one without conditions takes all."""
    parts = [
        f"{CONDITIONS[key]} {value}" if isinstance(value, str) else _truth(key, value)
        for key, value in conditions.items()
        if key in CONDITIONS
    ]
    for place in ("attributes", "resource"):
        for key, wanted in conditions.get(place, {}).items():
            parts.append(key if wanted is True else f"{key} = {wanted}")
    return " · ".join(parts) or _("every span")


def _truth(key: str, holds: bool) -> str:
    return CONDITIONS[key] if holds else _("not {condition}").format(condition=CONDITIONS[key])


def stage(identifier: str | None) -> str:
    """A stage's label; None is time that belongs to no request."""
    return labels.stage(identifier) if identifier else _("no request")


def moves(found: Mapping[str, Any]) -> str:
    """What a change of rules moves: `412 requests · 38.2 s move from Unattributed to Retrieval`."""
    if not found["moves"]:
        return nothing(found)
    if len(found["moves"]) == 1:
        (move,) = found["moves"]
        said = ngettext(
            "{requests} · {time} moves from {before} to {after}",
            "{requests} · {time} move from {before} to {after}",
            found["requests"],
        ).format(
            requests=requests(found["requests"]), time=fmt.ms(move["ns"]),
            before=stage(move["from"]), after=stage(move["to"]),
        )  # fmt: skip
    else:
        said = _("{requests} · {time} move: {parts}").format(
            requests=requests(found["requests"]), time=fmt.ms(found["moved_ns"]),
            parts=", ".join(_parts(found["moves"])),
        )  # fmt: skip
    return f"{said}{_of_sample(found)}"


def _parts(pairs: list[dict[str, Any]]) -> list[str]:
    said = [
        _("{time} from {before} to {after}").format(
            time=fmt.ms(pair["ns"]), before=stage(pair["from"]), after=stage(pair["to"])
        )
        for pair in pairs[:FEW]
    ]
    if rest := pairs[FEW:]:
        held = fmt.ms(sum(pair["ns"] for pair in rest))
        said.append(_("{time} between other stages").format(time=held))
    return said


def _of_sample(found: Mapping[str, Any]) -> str:
    if found["tried"] == found["traces"]:
        return ""
    return _(" (in a sample: {tried} of the {traces} traces that it can touch)").format(
        tried=fmt.count(found["tried"]), traces=fmt.count(found["traces"])
    )


def nothing(found: Mapping[str, Any]) -> str:
    """Why a rule moves no time."""
    sample = _of_sample(found)
    matching = found.get("matching")
    if matching is None:
        return _("No time moves.") + sample
    if not matching:
        return _("No span is like this, so nothing moves.") + sample
    if not found["spans"]:
        above = ", ".join(found["taken_by"])
        said = _("{spans} like this, but a rule above takes them: {rules}. Nothing moves.")
        return said.format(spans=spans(matching), rules=above) + sample
    said = _("{spans} like this hold no other time on the critical path. Nothing moves.")
    return said.format(spans=spans(found["spans"])) + sample


def of_all(share: float | None) -> str:
    """`7.2 % of all time`."""
    return _("{share} of all time").format(share=fmt.share(share))
