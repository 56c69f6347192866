"""Overview: how slow are we, where does the time go, and since when."""

from ui import blocks, filters, look, metered, overview, tail, where

if not blocks.is_empty():
    with blocks.user_errors():
        scope = filters.scope()
        if metered.means(scope) or overview.nothing(scope) or overview.one_request(scope):
            pass
        else:
            second_line = overview.answer(scope)
            overview.cards(scope)
            where.card(scope)
            tail.dominates(scope)
            tail.trend(scope)
            tail.spread(scope)
            overview.slowest(scope)
            overview.fix_first(scope, second_line)
look.watch_width()
