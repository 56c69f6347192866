"""`streamlit run` whose Ctrl+C is an ordinary end."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from streamlit.web import cli


def _end(_signal: int, _frame: FrameType | None) -> None:
    """End with 0; the server, which takes the signal first, has closed the store by then."""
    raise SystemExit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)
    sys.exit(cli.main(prog_name="streamlit"))
