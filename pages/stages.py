"""Stages: which stage holds the time at p50, p95, p99."""

from ui import blocks, filters, look, metered, overview, stage_bands, stage_groups, tail

if not blocks.is_empty():
    with blocks.user_errors():
        scope = filters.scope(("e2e", "ttft"))
        shown = metered.means(scope, detail=True) or overview.nothing(scope)
        if not shown and not overview.one_request(scope):
            aggregate = stage_bands.heading(scope)
            tail.dominates(scope, aggregate)
            tail.trend(scope)
            stage_groups.card(scope, aggregate)
            stage_bands.table(scope, aggregate)
look.watch_width()
