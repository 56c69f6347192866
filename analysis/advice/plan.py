"""Several techniques together: each one's marginal saving after those before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.advice.evidence import Evidence
from analysis.advice.finding import Saving
from analysis.advice.intervals import interval, percentile, resampled_percentiles, saving_draws
from analysis.advice.ranking import Assumed, Effect, Question, check, effect_of, levels_of
from analysis.advice.technique import Applies, Lacks, TechniqueModule
from analysis.errors import UserError
from analysis.replay.scenario import Scenario
from analysis.techniques import TECHNIQUES

BY_ID: Final = {module.TECHNIQUE.id: module for module in TECHNIQUES}


@dataclass(frozen=True)
class Step:
    """One technique of a plan: the percentile in ns after it, and what it alone still adds."""

    id: str
    predicted_ns: int
    saving_ns: Saving


@dataclass(frozen=True)
class Refusal:
    """A technique that is not in the plan: `conflicts` or `subsumed` with `other`, or why not."""

    id: str
    reason: str
    other: str = ""


@dataclass(frozen=True)
class Plan:
    """What techniques bring together; `saving_ns` is that of all, with its 90 % interval."""

    objective: str
    percentile: float
    n: int
    current_ns: int | None
    predicted_ns: int | None
    saving_ns: Saving
    steps: tuple[Step, ...]
    refused: tuple[Refusal, ...]


def plan(
    evidence: Evidence,
    ids: Sequence[str],
    objective: str = "e2e",
    percent: float = 95,
    assume: Assumed | None = None,
) -> Plan:
    """The techniques one after the other in the order given; those that cannot be had are named.

    Changes of one stage multiply: half of what a technique has left, not half of what was there.
    Their changes are worked out on today's requests. Raises UserError for an unknown id.
    """
    for name in ids:
        if name not in BY_ID:
            raise UserError("a technique's id", repr(name), "plan")
    assumed = dict(assume or {})
    check(objective, percent, assumed, TECHNIQUES)
    question = Question(evidence, objective, percent, None)
    modules, refused = _chosen(evidence, list(dict.fromkeys(ids)))
    effects = _effects(question, modules, assumed)
    savings = [_saving(question, effect) for effect in effects]
    today = question.today[question.rows]
    current = round(percentile(today, percent)) if len(today) else None
    steps = _steps(question, modules, effects, current)
    return Plan(
        objective,
        percent,
        len(today),
        current,
        steps[-1].predicted_ns if steps else current,
        savings[-1] if savings else Saving(),
        steps,
        tuple(refused),
    )


def _chosen(evidence: Evidence, ids: list[str]) -> tuple[list[TechniqueModule], list[Refusal]]:
    """Those that apply and can be had together; the first of a conflicting pair stays."""
    kept: list[TechniqueModule] = []
    refused: list[Refusal] = []
    for name in ids:
        module = BY_ID[name]
        refusal = _refusal(evidence, module, kept)
        if refusal is None:
            kept.append(module)
        else:
            refused.append(refusal)
    return kept, refused


def _refusal(
    evidence: Evidence, module: TechniqueModule, kept: list[TechniqueModule]
) -> Refusal | None:
    technique = module.TECHNIQUE
    for other in (earlier.TECHNIQUE for earlier in kept):
        if other.id in technique.conflicts:
            return Refusal(technique.id, "conflicts", other.id)
        if technique.id in other.subsumes:
            return Refusal(technique.id, "subsumed", other.id)
    verdict = module.applies(evidence)
    if isinstance(verdict, Applies):
        return None
    return Refusal(technique.id, "lacks" if isinstance(verdict, Lacks) else verdict.reason)


def _effects(question: Question, modules: list[TechniqueModule], assumed: Assumed) -> list[Effect]:
    """What the first, the first two, ... techniques do together, at the three levels."""
    together, found = [Scenario(), Scenario(), Scenario()], []
    for module in modules:
        levels = levels_of(module.TECHNIQUE, assumed)
        alone = [module.scenario(question.evidence, level) for level in levels]
        together = [before + more for before, more in zip(together, alone, strict=True)]
        found.append(effect_of(question, together))
    return found


def _steps(
    question: Question, modules: list[TechniqueModule], effects: list[Effect], current: int | None
) -> tuple[Step, ...]:
    steps: list[Step] = []
    before = None
    for module, effect in zip(modules, effects, strict=True):
        if not effect.rows.any() or current is None:
            break
        then = round(percentile(effect.levels[1], question.percent))
        steps.append(Step(module.TECHNIQUE.id, then, _saving(question, effect, before)))
        before = effect
    return tuple(steps)


def _saving(question: Question, effect: Effect, before: Effect | None = None) -> Saving:
    """The saving of an effect over an earlier one; over today without one."""
    if not effect.rows.any():
        return Saving()
    percent, typical = question.percent, effect.levels[1]
    earlier = effect.today if before is None else before.levels[1]
    picks = question.picks_of(len(typical))
    start = resampled_percentiles(earlier, picks, percent)
    draws = saving_draws(start, effect.levels, picks, percent)
    saved = round(percentile(earlier, percent)) - round(percentile(typical, percent))
    bounds = interval(float(saved), draws)
    return Saving(round(bounds.low), saved, round(bounds.high))
