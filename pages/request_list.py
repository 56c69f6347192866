"""Requests: filter, sort, open one."""

from ui import blocks, filters, look, request_search

if not blocks.is_empty():
    with blocks.user_errors():
        request_search.show(filters.scope())
look.watch_width()
