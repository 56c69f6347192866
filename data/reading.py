"""Answer a question: one query file over the selected requests, values bound."""

from __future__ import annotations

import re
from typing import Any, Final

import duckdb
import pandas as pd
import pyarrow as pa

from analysis.errors import UserError
from analysis.stages import stage_columns
from data.filters import Filters, points_condition, requests_condition
from data.sql_files import question, step
from words import _

_PARAMETER: Final = re.compile(r"\$([a-z_]+)")


def run(cursor: Any, name: str, filters: Filters, values: dict[str, Any]) -> pd.DataFrame:
    """The rows of one query over what `filters` select.

    A parameter of the query that is not given is null; one that it does not have is a TypeError.
    """
    body = question(name)
    names = set(_PARAMETER.findall(body))
    if unknown := values.keys() - names:
        raise TypeError(f"query {name!r} has no parameter {sorted(unknown)}")
    sql, bound = _selected(filters, body)
    bound |= {key: values.get(key) for key in names}
    try:
        table = cursor.sql(sql, params=bound).to_arrow_table()
    except (duckdb.ConversionException, duckdb.OutOfRangeException) as error:
        if not filters.expression.strip():
            raise
        found = str(error).splitlines()[0]
        raise UserError(_("a condition that fits every request"), found, "expression") from error
    return frame(table)


# `selected`, `selected_stages` and `selected_points` stand for what the filters leave; a query
# file reads them like tables, so that filtering is written once.
_SOURCES: Final = {
    "selected": """selected AS (
        SELECT * EXCLUDE (sample) FROM requests
        WHERE (NOT sample OR EXISTS (SELECT 1 FROM visible_imports AS v WHERE v.sample))
            AND {requests})""",
    "selected_stages": """selected_stages AS (
        SELECT trace_id, root_key, route, start_ns, excluded, {stages} FROM selected)""",
    "selected_points": """selected_points AS (
        SELECT * FROM metric_points
        WHERE import_id IN (SELECT import_id FROM visible_imports) AND {points})""",
}


def _selected(filters: Filters, body: str) -> tuple[str, dict[str, Any]]:
    """A query with the sources that it reads defined in front, and what is bound in them."""
    needed = [name for name in _SOURCES if re.search(rf"\b{name}\b", body)]
    if "selected_stages" in needed and "selected" not in needed:
        needed.insert(0, "selected")
    requests, points = requests_condition(filters), points_condition(filters)
    heads = [
        _SOURCES[name].format(
            requests=requests.sql, points=points.sql, stages=", ".join(stage_columns())
        )
        for name in needed
    ]
    bound = dict(requests.values) if "selected" in needed else {}
    bound |= points.values if "selected_points" in needed else {}
    if not heads:
        return body, {}
    rest = body.removeprefix("WITH ")
    return f"WITH {', '.join(heads)}{', ' if rest != body else ' '}{rest}", bound


def frame(table: pa.Table) -> pd.DataFrame:
    """Arrow to pandas; integers stay exact: int64, or Int64 in a column where some are missing."""
    missing = [
        name
        for name, column in zip(table.column_names, table.columns, strict=True)
        if pa.types.is_integer(column.type) and column.null_count
    ]
    made: pd.DataFrame = table.to_pandas()
    for name in missing:
        made[name] = pd.array(table.column(name).to_pylist(), dtype="Int64")
    return made


def records(cursor: Any, trace_id: str) -> pa.Table:
    """Every distinct record of one trace that visible imports brought."""
    return cursor.sql(step("records"), params={"trace_id": trace_id}).to_arrow_table()
