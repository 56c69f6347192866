"""SQL as it stands in files: questions in `queries/`, steps of writing in `steps/`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from analysis.stages import stage_columns

SCHEMA: Final = Path(__file__).with_name("schema.sql")
QUERIES: Final = Path(__file__).with_name("queries")
STEPS: Final = Path(__file__).with_name("steps")
_COMMENT: Final = re.compile(r"--.*")


@cache
def question(name: str) -> str:
    """A query file without comments, `{stages}` and `{ttft_stages}` replaced by their columns.

    Raises:
        KeyError: there is no such query.
    """
    path = QUERIES / f"{name}.sql"
    if not name.isidentifier() or not path.is_file():
        raise KeyError(f"no query named {name!r}")
    body = _COMMENT.sub("", path.read_text(encoding="utf-8")).strip().rstrip(";")
    for placeholder, prefix in (("{stages}", ""), ("{ttft_stages}", "ttft_")):
        body = body.replace(placeholder, ", ".join(stage_columns(prefix)))
    return body


@cache
def step(name: str) -> str:
    """One statement of writing or preparing, as it stands in its file."""
    return (STEPS / f"{name}.sql").read_text(encoding="utf-8")
