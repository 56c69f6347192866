"""Every technique tried on the requests by re-timing them, the largest saving first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.advice.evidence import Evidence
from analysis.advice.finding import Example, Finding, Saving
from analysis.advice.intervals import (
    Draws,
    interval,
    percentile,
    resampled_percentiles,
    resamples,
    saving_draws,
    tied,
)
from analysis.advice.technique import (
    LEVELS,
    RISK_FACTOR,
    Applies,
    Lacks,
    Level,
    Not,
    Technique,
    TechniqueModule,
    Verdict,
)
from analysis.errors import UserError
from analysis.replay.model import UNKNOWN, Ints, Mask
from analysis.replay.scenario import Scenario
from analysis.replay.what_if import OBJECTIVES, Outcome, measured, replay
from analysis.techniques import TECHNIQUES

INDICATIVE: Final = 200
EXAMPLES: Final = 5

Assumed = Mapping[str, float]
"""A user's own values: "technique.assumption" -> value, used at all three levels."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is to be made shorter, and for which requests: the frame of all findings."""

    evidence: Evidence
    objective: str
    percent: float
    slo_ns: int | None

    @cached_property
    def today(self) -> Ints:
        """The objective's figure per request, `UNKNOWN` where there is none."""
        return measured(self.evidence.model, self.objective)

    @cached_property
    def rows(self) -> Mask:
        """Requests that the percentile counts."""
        return np.asarray(self.evidence.counted & (self.today != UNKNOWN), dtype=bool)

    @cached_property
    def picks(self) -> NDArray[np.int32]:
        """Resamples of those requests."""
        return resamples(int(self.rows.sum()))

    def picks_of(self, count: int) -> NDArray[np.int32]:
        """Resamples of so many requests."""
        return self.picks if count == int(self.rows.sum()) else resamples(count)

    @cached_property
    def drawn(self) -> Draws:
        """The percentile today in each resample."""
        return resampled_percentiles(self.today[self.rows], self.picks, self.percent)


@dataclass(frozen=True, eq=False)
class Effect:
    """Replays of a technique: per counted request the figure today and at the three levels."""

    rows: Mask
    today: Ints
    levels: tuple[Ints, Ints, Ints]


def rank(
    evidence: Evidence,
    objective: str = "e2e",
    percentile: float = 95,
    slo_ns: int | None = None,
    assume: Assumed | None = None,
    techniques: Sequence[TechniqueModule] = TECHNIQUES,
) -> list[Finding]:
    """All techniques: those that apply by their typical saving, then the others and why.

    Args:
        objective: "e2e", "ttft" or "tpot".
        percentile: 0 to 100, of the objective over the requests that count.
        slo_ns: a limit in ns, to count the requests that come within it.
        assume: own values, `{"semantic_cache.hit_share": 0.2}`.

    Raises:
        UserError: an unknown objective, percentile or assumption.
    """
    assumed = dict(assume or {})
    check(objective, percentile, assumed, techniques)
    question = Question(evidence, objective, percentile, slo_ns)
    tried = [_try(question, module, assumed, seed) for seed, module in enumerate(techniques)]
    return _with_ties(sorted(tried, key=_order))


def check(
    objective: str, percent: float, assumed: Assumed, techniques: Sequence[TechniqueModule]
) -> None:
    """Refuse a question that makes no sense."""
    if objective not in OBJECTIVES:
        raise UserError(f"one of {', '.join(OBJECTIVES)}", repr(objective), "objective")
    if not 0 < percent < 100:
        raise UserError("a percentile between 0 and 100", repr(percent), "percentile")
    every = {f"{m.TECHNIQUE.id}.{a.name}" for m in techniques for a in m.TECHNIQUE.assumes}
    for name in assumed:
        if name not in every:
            raise UserError("an assumption such as semantic_cache.hit_share", repr(name), "assume")


def levels_of(technique: Technique, assumed: Assumed) -> list[Level]:
    """The assumptions at low, typical and high, a user's own values in place of ours."""
    mine = technique.id
    return [
        {a.name: assumed.get(f"{mine}.{a.name}", a.at(level)) for a in technique.assumes}
        for level in LEVELS
    ]


def _try(
    question: Question, module: TechniqueModule, assumed: Assumed, seed: int
) -> tuple[Finding, Draws]:
    levels = levels_of(module.TECHNIQUE, assumed)
    verdict = module.applies(question.evidence)
    base = _base(question, module.TECHNIQUE, levels[1])
    if not isinstance(verdict, Applies):
        return _refused(base, verdict), np.zeros(0)
    effect = effect_of(question, [module.scenario(question.evidence, level) for level in levels])
    if not effect.rows.any():
        return _refused(base, Not(f"no_{question.objective}")), np.zeros(0)
    if all(np.array_equal(effect.today, after) for after in effect.levels):
        return _refused(base, Not("no_effect", verdict.figures)), np.zeros(0)
    return _found(question, base, verdict, effect, seed)


def _base(question: Question, technique: Technique, typical: Level) -> Finding:
    today = question.today[question.rows]
    current = round(percentile(today, question.percent)) if len(today) else None
    return Finding(
        technique,
        applies=False,
        objective=question.objective,
        percentile=question.percent,
        assumes=dict(typical),
        n=len(today),
        current_ns=current,
        predicted_ns=current,
        within_slo_gained=None if question.slo_ns is None else 0,
        indicative=len(today) < INDICATIVE,
    )


def _refused(base: Finding, verdict: Verdict) -> Finding:
    if isinstance(verdict, Lacks):
        return replace(base, not_because="lacks", lacks=verdict.what, figures=verdict.figures)
    return replace(base, not_because=verdict.reason, figures=verdict.figures)


def effect_of(question: Question, scenarios: list[Scenario]) -> Effect:
    """What scenarios at the low, typical and high level do to the requests that count."""
    model = question.evidence.model
    same = not any(s.edits or s.hidden_ns is not None for s in scenarios)
    outcomes = [replay(model, scenario) for scenario in (scenarios[:1] if same else scenarios)]
    after = [_figures(question, o, s) for o, s in zip(outcomes, scenarios, strict=False)]
    today = _today(question, scenarios[1])
    rows = question.evidence.counted & (today != UNKNOWN)
    low, typical, high = (after * 3)[:3] if same else after
    return Effect(rows, today[rows], (low[rows], typical[rows], high[rows]))


def _today(question: Question, scenario: Scenario) -> Ints:
    """Today's figures; answers that a scenario streams are seen when their request ends."""
    if scenario.hidden_ns is None or question.objective != "ttft":
        return question.today
    unseen = np.isnan(scenario.hidden_ns) | (question.today != UNKNOWN)
    return np.where(unseen, question.today, question.evidence.model.e2e_ns)


def _figures(question: Question, outcome: Outcome, scenario: Scenario) -> Ints:
    """The objective per request; where answers become streamed, TTFT counts from their end."""
    values, hidden = outcome.of(question.objective), scenario.hidden_ns
    if hidden is None or question.objective != "ttft":
        return values
    seen = outcome.e2e_ns - np.nan_to_num(hidden).round().astype(np.int64)
    return np.where(np.isnan(hidden) | (values != UNKNOWN), values, seen)


def _found(
    question: Question, base: Finding, verdict: Applies, effect: Effect, seed: int
) -> tuple[Finding, Draws]:
    percent, today, typical = question.percent, effect.today, effect.levels[1]
    shared = np.array_equal(effect.rows, question.rows) and np.array_equal(
        today, question.today[question.rows]
    )
    picks = question.picks if shared else question.picks_of(len(today))
    before = question.drawn if shared else resampled_percentiles(today, picks, percent)
    draws = saving_draws(before, effect.levels, picks, percent, seed)
    now, then = round(percentile(today, percent)), round(percentile(typical, percent))
    bounds = interval(float(now - then), draws)
    found = replace(
        base,
        applies=True,
        reason=verdict.reason,
        figures=verdict.figures,
        n=len(today),
        current_ns=now,
        predicted_ns=then,
        saving_ns=Saving(round(bounds.low), now - then, round(bounds.high)),
        requests_affected=int((typical != today).sum()),
        within_slo_gained=_gained(question, today, typical),
        score=score(base.technique, now - then),
        evidence=_examples(question, effect),
        indicative=len(today) < INDICATIVE,
    )
    return found, draws


def _gained(question: Question, today: Ints, typical: Ints) -> int | None:
    if question.slo_ns is None:
        return None
    return int((typical <= question.slo_ns).sum() - (today <= question.slo_ns).sum())


def score(technique: Technique, saving_ns: int) -> float:
    """ms saved per day of work, divided by the risk factor (1, 1.5 or 2.5)."""
    days = sum(technique.effort_days) / 2
    return saving_ns / 1e6 / (days * RISK_FACTOR[technique.risk])


def _examples(question: Question, effect: Effect) -> tuple[Example, ...]:
    requests = question.evidence.requests
    places = np.nonzero(effect.rows)[0]
    saved = effect.today - effect.levels[1]
    best = [int(row) for row in np.argsort(-saved, kind="stable")[:EXAMPLES] if saved[row] > 0]
    return tuple(
        Example(
            str(requests["trace_id"].iloc[places[row]]),
            str(requests["root_span_id"].iloc[places[row]]),
            int(effect.today[row]),
            int(effect.levels[1][row]),
        )
        for row in best
    )


def _order(tried: tuple[Finding, Draws]) -> tuple[int, int, float, str]:
    finding = tried[0]
    kind = 0 if finding.applies else 2 if finding.lacks else 1
    days = sum(finding.technique.effort_days) / 2
    return kind, -finding.saving_ns.typical, days, finding.id


def _with_ties(tried: list[tuple[Finding, Draws]]) -> list[Finding]:
    """Name the near-ties among findings that save something."""
    saving = [(f, d) for f, d in tried if f.applies and f.saving_ns.typical > 0]
    ties = {
        f.id: tuple(o.id for o, other in saving if o.id != f.id and tied(draws, other))
        for f, draws in saving
    }
    return [replace(finding, tie_with=ties.get(finding.id, ())) for finding, _draws in tried]
