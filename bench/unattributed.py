"""How much of each trace file no rule takes: `python -m bench.unattributed FILE...`."""

import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa

import collectors
from analysis.derive import Derived, derive
from analysis.errors import UserError
from analysis.spans import SpanBatch
from data.rules_file import default_rules

HEAD = (
    "| file | requests | spans | total | unattributed | largest spans without a stage |",
    "| --- | ---: | ---: | ---: | ---: | --- |",
)
SHOWN = 3


def derived(path: Path) -> Derived | None:
    """What a file says, None where it holds no spans or is refused."""
    try:
        with path.open("rb") as stream:
            batches = list(collectors.read(stream, path.name, collectors.ReadReport()))
    except UserError:
        return None
    tables = [batch.table for batch in batches if isinstance(batch, SpanBatch)]
    return derive(pa.concat_tables(tables), default_rules()) if tables else None


def line(path: Path) -> str | None:
    """The table's row of a file."""
    found = derived(path)
    if found is None:
        return None
    requests = found.requests.to_pylist()
    total = sum(request["e2e_ns"] for request in requests)
    lost = sum(request["unattributed_ns"] for request in requests)
    cells = [
        f"`{path.parent.name}/{path.name}`",
        f"{len(requests):,}",
        f"{sum(request['n_spans'] for request in requests):,}",
        f"{total / 1e6:,.1f} ms",
        f"{100 * lost / total if total else 0:.1f} %",
        ", ".join(f"`{name or '(no name)'}`" for name in _largest(found, total)),
    ]
    return f"| {' | '.join(cells)} |"


def _largest(found: Derived, total: int) -> list[str]:
    """Names of the spans that hold most of what is unattributed, from 0.1 % of the total on."""
    names = {(s["trace_id"], s["root_key"], s["key"]): s["name"] for s in found.spans.to_pylist()}
    held: Counter[str] = Counter()
    for part in found.segments.to_pylist():
        if part["stage"] == "unattributed":
            name = names[part["trace_id"], part["root_key"], part["key"]]
            held[name[:40].replace("|", "/")] += part["end_ns"] - part["start_ns"]
    return [name for name, ns in held.most_common(SHOWN) if ns * 1000 >= total]


def table(paths: list[Path]) -> str:
    """Markdown: one row for each file that holds spans."""
    rows = [row for path in sorted(paths) if (row := line(path)) is not None]
    return "\n".join([*HEAD, *rows])


if __name__ == "__main__":
    print(table([Path(name) for name in sys.argv[1:]]))
