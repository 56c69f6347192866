"""Report: one self-contained file to share."""

from ui import blocks, filters, look, overview, report_view

if not blocks.is_empty():
    with blocks.user_errors():
        scope = filters.scope()
        if not overview.nothing(scope):
            report_view.show(scope)
look.watch_width()
