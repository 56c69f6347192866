"""What each step costs in CPU time, against parsing the same bytes with the json module."""

import argparse
import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.advice.ranking import rank
from analysis.derive import derive
from bench import derive_speed, receive, tall_traces
from bench.measuring import best
from data.filters import Filters
from data.rules_file import default_rules
from data.samples.generate import main as generate
from data.store import Store
from services import imports, ranking
from services.scope import Scope


def baseline(path: Path) -> int:
    """Parse every document of the file: the least that any reader has to do."""
    return sum(1 for line in gzip.decompress(path.read_bytes()).splitlines() if json.loads(line))


def imported(path: Path) -> Store:
    """The file in a new store in memory."""
    store = Store(":memory:", default_rules())
    answer = imports.import_files(store, [imports.Source(path.name, path)])
    assert not answer["files"][0]["error"], answer["files"][0]["error"]
    return store


def steps(path: Path, store: Store) -> dict[str, Callable[[], Any]]:
    """What is measured, by name."""
    traces = store.query("latency", Filters())["trace_id"].tolist()
    tables = [store.records(trace) for trace in traces[:100]]
    evidence = ranking.evidence(store, Scope())
    return {
        "import (read, store, derive)": lambda: imported(path).close(),
        "derive, trace by trace (100)": lambda: [derive(t, store.rules) for t in tables],
        "query: latency": lambda: store.query("latency", Filters()),
        "query: summary": lambda: store.query("summary", Filters(), slo_ns=4_000_000_000),
        "query: stages over time": lambda: store.query("stages_over_time", bin_ns=60 * 10**9),
        "rank every technique, p95": lambda: rank(evidence, "e2e", 95),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("steps", "speed", "receive"), default="steps")
    parser.add_argument("--scale", type=int, default=1, help="steps: times the sample's size")
    parser.add_argument("--traces", type=int, default=66_667, help="speed: requests of 15 spans")
    parser.add_argument("--rates", default="1000,5000,20000", help="receive: spans a second")
    parser.add_argument("--seconds", type=float, default=60, help="receive: at each rate")
    chosen = parser.parse_args()
    if chosen.what == "speed":
        derive_speed.run(chosen.traces)
        tall_traces.run()
    elif chosen.what == "receive":
        receive.run([float(rate) for rate in chosen.rates.split(",")], chosen.seconds)
    else:
        every_step(chosen.scale)


def every_step(scale: int) -> None:
    """The sample through every step."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.json.gz"
        generate(["--scale", str(scale), "--out", str(path)])
        unit, documents = best(lambda: baseline(path))
        store = imported(path)
        spans = int(store.query("imports")["spans"].iloc[0])
        print(f"{spans} spans; baseline: json.loads of {documents} documents {unit:.3f} CPU s")
        for name, work in steps(path, store).items():
            seconds, _answer = best(work)
            print(f"{name:32} {seconds:8.3f} s  {seconds / unit:7.2f} × baseline")
        store.close()


if __name__ == "__main__":
    main()
