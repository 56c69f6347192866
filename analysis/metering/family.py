"""What one family of metrics measures, and how a row of the tables is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LAYERS: Final = ("client", "proxy", "application", "gateway", "platform", "engine")
"""From the outermost to the innermost place where a request is measured."""

ROLES: Final = ("whole", "part", "ttft", "token", "apart", "cause")
"""whole: a request from its begin to its end at one emitter. part: of the whole. ttft: up to the
first token, which overlaps with parts. token: per token. apart: a time that is no part of the
emitter's own whole, such as a pod's start. cause: evidence that is no time of a request."""

SCALE_NS: Final = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
"""Ns of each unit of time."""

_EXPORTED: Final = ("", "_seconds", "_milliseconds")


@dataclass(frozen=True, slots=True)
class Family:
    """One family of one emitter.

    Args:
        name: as exported, without `_total`; OpenTelemetry's names with their dots.
        role: one of `ROLES`.
        unit: of `SCALE_NS` for a time, else what is counted; a declared one goes before it.
        stage: of `analysis.stages`: whose time it is where nothing divides it.
        rest: the stage of what its parts leave.
        within: the family of the same emitter that contains it.
        opens: whether the next layer's whole lies inside it.
        labels: what the series must carry to belong here.
        counted_by: the counter of requests where the family is a bare sum.
        cause: what it is evidence of.
    """

    name: str
    emitter: str
    role: str
    unit: str = "s"
    stage: str = "unattributed"
    rest: str = "unattributed"
    within: str = ""
    opens: bool = False
    labels: tuple[tuple[str, str], ...] = ()
    counted_by: str = ""
    cause: str = ""

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether a series with these labels belongs here."""
        return all(labels.get(name) == value for name, value in self.labels)


def plain(name: str) -> str:
    """A name as it is looked up: dots as Prometheus writes them, no `_total`.

    >>> plain("gen_ai.server.request.duration"), plain("vllm:num_preemptions_total")
    ('gen_ai_server_request_duration', 'vllm:num_preemptions')
    """
    return name.replace(".", "_").removesuffix("_total")


def spellings(name: str) -> list[str]:
    """How a family may be found: OpenTelemetry's names get their unit at a Prometheus exporter."""
    return [plain(name) + end for end in (_EXPORTED if "." in name else ("",))]


def whole(
    name: str, emitter: str, unit: str = "s", *, stage: str = "unattributed", rest: str = "",
    opens: bool = True, labels: tuple[tuple[str, str], ...] = (), counted_by: str = "",
) -> Family:  # fmt: skip
    """A whole request at an emitter; what its parts leave is `rest`."""
    return Family(name, emitter, "whole", unit, stage, rest or "unattributed", "", opens, labels,
                  counted_by)  # fmt: skip


def part(
    name: str, emitter: str, stage: str, within: str, unit: str = "s", *, rest: str = "",
    opens: bool = False, labels: tuple[tuple[str, str], ...] = (), counted_by: str = "",
) -> Family:  # fmt: skip
    """A part of a whole."""
    return Family(name, emitter, "part", unit, stage, rest or stage, within, opens, labels,
                  counted_by)  # fmt: skip


def beside(role: str, emitter: str, unit: str, *names: str, within: str = "") -> list[Family]:
    """Families of one role that no whole is divided by: ttft, token or apart."""
    return [Family(name, emitter, role, unit, within=within) for name in names]


def causes(emitter: str, cause: str, unit: str, *names: str) -> list[Family]:
    """Gauges and counters that are evidence of one cause."""
    return [Family(name, emitter, "cause", unit, cause=cause) for name in names]
