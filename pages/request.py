"""Request: one request as a waterfall, its critical path lit."""

from analysis.errors import UserError
from ui import answers, blocks, look, request_view

if not blocks.is_empty():
    trace, root = request_view.asked()
    try:
        shown = answers.request(trace, root)
    except UserError:
        request_view.not_found(trace)
    else:
        usual = answers.usual(shown["request"])
        request_view.head(shown, usual)
        request_view.body(shown, usual, root)
look.watch_width()
