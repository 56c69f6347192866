import time

import pytest
from builders import row
from cleaned import STREAM
from strategies import nodes

from analysis.cleaning import clean
from analysis.cleaning.forest import walk

N = 20_000


def made(root, line, **columns):
    return [row(root), *(row(line(i), **columns) for i in range(1, N))]


def hosts():
    records = made(f"a0 . w server 0 {N * 3} x", lambda i: f"a{i} a{i - 1} w client {-i} {N - i} x")
    for number, record in enumerate(records):
        record["host"] = f"h{number % 50}"
    return records


TRACES = {
    "chain": lambda: made(f"a0 . w server 0 {N} x", lambda i: f"a{i} a{i - 1} w client {i} {N} x"),
    "fan-out": lambda: made(f"r . w server 0 {N} x", lambda i: f"a{i} r w client {i} {i + 1} x"),
    "pipeline": lambda: made("a0 . w server 0 1 x", lambda i: f"a{i} a{i - 1} w s {i} {i + 1} x"),
    "streams": lambda: made("a0 . w s 0 5 x", lambda i: f"a{i} a{i - 1} w s 1 {i} x", **STREAM),
    "orphans": lambda: made(
        f"r . w server 0 {2 * N} x", lambda i: f"a{i} lost{i % 9} w client {i} {i + 5 + i % 40} x"
    ),
    "nested orphans": lambda: made(
        f"r . w server 0 {2 * N} x", lambda i: f"a{i} lost{i % 9} w client {i} {2 * N - i} x"
    ),
    "no root": lambda: made("r z w client 0 5 x", lambda i: f"a{i} z w client {i} {i + 5} x"),
    "cycle": lambda: made(f"a0 a{N - 1} w s 0 {N} x", lambda i: f"a{i} a{i - 1} w s {i} {N} x"),
    "negative": lambda: made(f"a0 . w s 0 {N} x", lambda i: f"a{i} a{i - 1} w s {i} {-i} x"),
    "many clocks": hosts,
}


@pytest.mark.parametrize("name", TRACES)
def test_twenty_thousand_spans_are_cleaned_in_seconds(name):
    spans = nodes(
        [{**r, "kind": "internal" if r["kind"] == "s" else r["kind"]} for r in TRACES[name]()]
    )
    begin = time.process_time()
    roots = clean(spans)
    assert time.process_time() - begin < 15  # a second or two; quadratic work takes minutes
    assert len([span for span in walk(roots) if not span.placeholder]) == N
