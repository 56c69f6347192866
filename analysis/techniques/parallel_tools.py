"""Run independent lookups and tools side by side."""

from itertools import combinations

from analysis.advice.evidence import Evidence
from analysis.advice.technique import Applies, Assumption, Level, Not, Technique, Verdict
from analysis.advice.technique_parts import follower, holds_call, innermost
from analysis.replay.scenario import Scenario, overlap

TECHNIQUE = Technique(
    id="parallel_tools",
    layer="application",
    frees="tools",
    effort_days=(3, 12),
    risk="medium",
    needs=("async_client", "idempotent_calls", "independent_calls"),
    sources=("llmcompiler", "asynclm"),
    assumes=(Assumption("independent_share", 0.3, 0.6, 1.0),),
)
STAGES = ("tools", "retrieval", "datastore")
WRITES = r"insert|update|delete|write|commit|save|create|send"
LEAST_SHARE = 0.01


def _groups(evidence: Evidence) -> list[list[int]]:
    """Runs of lookups of one parent, each released by the end of the one before."""
    wanted, calls = evidence.in_stage(*STAGES), holds_call(evidence)
    writes, groups, used = evidence.named(WRITES), list[list[int]](), set[int]()
    for node in (kid for kids in evidence.model.children for kid in kids):
        group, at = list[int](), node
        while at >= 0 and at not in used and not calls[at] and not writes[at]:
            if not wanted[innermost(evidence, at)]:
                break
            group.append(at)
            at = follower(evidence, at)
        used.update(group)
        groups += [group] if len(group) > 1 else []
    return groups


def _saved_ns(evidence: Evidence, groups: list[list[int]]) -> int:
    lengths = evidence.model.length
    return sum(sum(lengths[n] for n in g) - max(lengths[n] for n in g) for g in groups)


def applies(evidence: Evidence) -> Verdict:
    """Where lookups follow one another and the longest of each run is 1 % of all time shorter."""
    groups = _groups(evidence)
    if not groups:
        return Not("no_runs")
    saved, total = _saved_ns(evidence, groups), int(evidence.model.e2e_ns.sum())
    figures = {"runs": len(groups), "saved_share": saved / max(total, 1)}
    figures |= {"saved_ns": saved // len(groups), "least_share": LEAST_SHARE}
    return Applies("runs", figures) if saved >= LEAST_SHARE * total else Not("runs_short", figures)


def scenario(evidence: Evidence, level: Level) -> Scenario:
    """All of a run start together, in `independent_share` of the runs."""
    groups = _groups(evidence)
    trace, key = evidence.spans["trace_id"].tolist(), evidence.spans["key"].tolist()
    names = [f"{trace[group[0]]}/{key[group[0]]}" for group in groups]
    chosen = evidence.drawn(names, level["independent_share"], TECHNIQUE.id)
    free = [group for group, free in zip(groups, chosen, strict=True) if free]
    return overlap([pair for group in free for pair in combinations(group, 2)])
