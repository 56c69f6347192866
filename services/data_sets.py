"""What has been imported, and taking it out again."""

from __future__ import annotations

import json
from typing import Any

from analysis.errors import UserError
from data.store import Store
from services.request_list import records


def data_sets(store: Store) -> list[dict[str, Any]]:
    """The finished imports, newest first, with their counts, rejects, drops and flags."""
    rows = records(store.query("imports"))
    for row in rows:
        for name in ("rejected", "dropped", "flags"):
            row[name] = json.loads(row[name]) if isinstance(row[name], str) else row[name]
    return rows


def delete(store: Store, import_id: int) -> dict[str, int]:
    """Delete one data set and say what went.

    Raises:
        UserError: no data set of this number.
    """
    known = [row["import_id"] for row in data_sets(store)]
    if import_id not in known:
        numbers = ", ".join(map(str, known)) or "none"
        raise UserError("the number of a data set", f"{import_id} (there: {numbers})", "datasets")
    gone = store.delete(import_id)
    return {"requests": gone.requests, "spans": gone.spans}
