"""`python -m data.samples.generate` writes the sample data set, the same bytes each time."""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from data.samples.export import lines
from data.samples.simulator import SEED, Request, simulate

OUT: Final = Path(__file__).parent / "sample.json.gz"
REQUESTS: Final = 480


def export(requests: list[Request], seed: int) -> bytes:
    """The requests' spans as OTLP/JSON lines, not compressed."""
    return b"".join(lines((span for request in requests for span in request.spans), seed))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the file that the arguments name and say what is in it."""
    parser = argparse.ArgumentParser(prog="python -m data.samples.generate", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--requests", type=int, default=REQUESTS, help="requests per hour")
    parser.add_argument("--scale", type=int, default=1, help="hours of the same traffic")
    parser.add_argument("--out", type=Path, default=OUT, help="ends in .gz: compressed")
    chosen = parser.parse_args(arguments)
    made = simulate(chosen.seed, chosen.requests * chosen.scale, chosen.scale)
    text = export(made, chosen.seed)
    packed = gzip.compress(text, 9, mtime=0) if chosen.out.suffix == ".gz" else text
    chosen.out.write_bytes(packed)
    spans = sum(len(request.spans) for request in made)
    print(f"{chosen.out}: {len(made)} requests, {spans} spans, {len(packed)} bytes")


if __name__ == "__main__":
    main()
