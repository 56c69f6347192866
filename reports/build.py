"""The report's figures, asked of the same services as the pages."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

from analysis import answer, attribution
from analysis.flags import FLAGS
from data.store import Store
from reports.data import SECTIONS, Figure, ReportData
from services import breakdown, data_sets, ranking, request_list, summary
from services.findings import next_step
from services.scope import Scope
from words import _, fmt, labels, sentences, times

BANDS = ("p50", "p95", "p99")
SLOWEST = 10


@dataclass(frozen=True)
class Wanted:
    """What the author chose: percentile, title and notes, sections, the reader's zone."""

    percentile: int = 95
    title: str = ""
    notes: str = ""
    sections: tuple[str, ...] = SECTIONS
    tz: str = "UTC"
    made_ns: int | None = None


def report(store: Store, scope: Scope, wanted: Wanted | None = None) -> ReportData:
    """Everything a report says of the requests in scope."""
    wanted = wanted or Wanted()
    objective = "ttft" if scope.objective == "ttft" else "e2e"
    latency = breakdown.latency(store, scope.filters, objective)
    names = _data_set_names(store, scope)
    found = ranking.rank_all(store, scope, wanted.percentile) if len(latency) else []
    said = answer.overview(latency, objective, wanted.percentile, scope.slo_ns)
    flags = _flags(store, scope)
    return ReportData(
        title=wanted.title or _("{data}: latency").format(data=", ".join(names)),
        answer=sentences.sentence(said.id, said.figures),
        next_step=next_step(found, wanted.percentile),
        scope=_scope_line(store, scope, names, wanted.tz),
        version=version("slowpath"),
        data_sets=names,
        figures=tuple(Figure(*row) for row in summary.headlines(store, scope)),
        bands={band: attribution.breakdown(latency, objective, band) for band in BANDS},
        findings=tuple(found),
        requests=tuple(request_list.every(store, scope.filters, SLOWEST)),
        flags=flags["spans"],
        excluded=flags["excluded"],
        notes=wanted.notes,
        objective=scope.objective,
        band=f"p{wanted.percentile}",
        slo_ns=scope.slo_ns,
        replayed=found[0]["n"] if found else 0,
        tz=wanted.tz,
        made_ns=wanted.made_ns,
        sections=wanted.sections,
    )


def _data_set_names(store: Store, scope: Scope) -> tuple[str, ...]:
    rows = [row for row in data_sets.data_sets(store) if not row["hidden"]]
    wanted = set(scope.filters.data_sets)
    return tuple(row["name"] for row in rows if not wanted or row["import_id"] in wanted)


def _flags(store: Store, scope: Scope) -> dict[str, dict[str, int]]:
    rows = request_list.records(store.query("flag_counts", scope.filters))
    leaving_out = [row for row in rows if FLAGS.get(row["flag"]) in ("excluded", "bound")]
    return {
        "spans": {row["flag"]: row["spans"] for row in rows},
        "excluded": {row["flag"]: row["requests"] for row in leaving_out},
    }


def _scope_line(store: Store, scope: Scope, names: tuple[str, ...], tz: str) -> str:
    found = request_list.records(store.query("time_range", scope.filters))[0]
    filters = scope.filters
    parts = [", ".join(names)]
    if found["n"]:
        span = times.time_range(found["start_ns"], found["end_ns"], tz)
        parts.append(f"{span} ({times.zone_name(found['start_ns'], tz)})")
    for name in ("services", "routes", "models", "versions", "statuses"):
        if values := getattr(filters, name):
            parts.append(f"{name} = {', '.join(values)}")
    if filters.expression:
        parts.append(filters.expression)
    objective = labels.objective(scope.objective)
    parts.append(_("objective {objective}").format(objective=objective))
    parts.append(_("SLO {slo}").format(slo=fmt.plain(scope.slo_ns)))
    return " · ".join(part for part in parts if part)
