"""What to fix: the techniques ranked by the milliseconds that a replay saves."""

from ui import blocks, filters, fix_list, look

if not blocks.is_empty():
    with blocks.user_errors():
        fix_list.show(filters.scope())
look.watch_width()
