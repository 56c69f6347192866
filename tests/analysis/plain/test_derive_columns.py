"""Deriving by columns gives row for row what deriving trace by trace gives, on all there is."""

import json
import random
from itertools import pairwise

import pyarrow as pa
import pytest
from builders import MS, T0, spans
from conftest import ROOT, shared_files
from hypothesis import HealthCheck, given, settings
from strategies import trace_rows

from analysis import derive as derived
from analysis.clock_offsets import Line, Offsets
from analysis.errors import UserError
from analysis.plain import derive_plain
from analysis.rules import Mark, Rule, RuleSet
from analysis.spans import SPAN_SCHEMA, SpanBatch
from analysis.staging.matching import Matcher
from collectors import ReadReport, read
from data.rules_file import default_rules

RULES = default_rules()
TABLES = ("requests", "spans", "calls", "segments", "flags")
SAMPLE = ROOT / "data" / "samples" / "sample.json.gz"
FILES = shared_files("real/**/*") + shared_files("cases/*")


def records(path) -> pa.Table | None:
    try:
        with path.open("rb") as stream:
            batches = list(read(stream, path.name, ReadReport("", [], {}, 0)))
    except UserError:
        return None
    tables = [batch.table for batch in batches if isinstance(batch, SpanBatch)]
    return pa.concat_tables(tables) if tables else None


def assert_same(table: pa.Table, offsets: Offsets | None = None) -> None:
    want = derived.derive_each(table, RULES, offsets=offsets)
    have = derived.derive_columns(table, RULES, offsets=offsets)
    for name in TABLES:
        one, other = getattr(want, name), getattr(have, name)
        assert one.schema.equals(other.schema)
        differing = [c for c in one.column_names if not one[c].equals(other[c])]
        assert not differing, f"{name}: {differing}"


def plain_share(table: pa.Table) -> float:
    return 1 - derive_plain(table, Matcher(RULES))[1].mean()


@pytest.fixture(scope="module")
def sample() -> pa.Table:
    table = records(SAMPLE)
    assert table is not None
    return table


def test_the_sample_comes_out_alike_and_much_of_it_is_plain(sample):
    assert_same(sample)
    assert plain_share(sample) > 0.3


@pytest.mark.parametrize("path", [p for p in FILES if p.is_file()], ids=lambda path: path.name)
def test_reference_files_come_out_alike(path):
    table = records(path)
    if table is None:
        pytest.skip("holds no spans")
    assert_same(table)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(trace_rows())
def test_awkward_traces_come_out_alike(rows):
    assert_same(SpanBatch.from_rows(rows).table)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(trace_rows(skew=False, cycles=False))
def test_traces_without_skew_come_out_alike(rows):
    assert_same(SpanBatch.from_rows(rows).table)


def stirred(table: pa.Table, seed: int) -> pa.Table:
    """The same records, some of them with other times, names, kinds, services or parents."""
    rng = random.Random(seed)
    columns = {name: table.column(name).to_pylist() for name in SPAN_SCHEMA.names}
    for row in rng.sample(range(table.num_rows), table.num_rows // 40):
        other = rng.randrange(table.num_rows)
        what = rng.choice(["times", "near", "kind", "service", "attributes", "status", "events"])
        if what in ("times", "near"):
            most = 40_000_000 if what == "times" else 2_000
            columns["start_ns"][row] += rng.randrange(-most, most)
            columns["end_ns"][row] += rng.randrange(-most, most)
        else:
            columns[what][row] = columns[what][other]
    return pa.table(columns, schema=SPAN_SCHEMA)


@pytest.mark.parametrize("seed", range(2))
def test_stirred_samples_come_out_alike(sample, seed):
    assert_same(stirred(sample, seed))


def plain_rows(rng: random.Random, trace: int) -> list[dict]:
    """A trace whose spans lie in each other, one service per host, with calls and tools at random.

    Times lie on a coarse grid, so that siblings touch, tie and coincide.
    """
    made = [{"parent_id": None, "start_ns": 10**18, "end_ns": 10**18 + 4_000_000_000}]
    for _span in range(rng.randrange(1, 20)):
        parent = rng.choice(made)
        low, high = parent["start_ns"], parent["end_ns"]
        cuts = sorted(low + (high - low) * rng.randrange(1, 16) // 16 for _cut in range(2))
        made.append({"parent_id": parent, "start_ns": cuts[0], "end_ns": cuts[1]})
    for number, row in enumerate(made):
        if number and rng.random() < 0.05:
            row["start_ns"] -= rng.choice([400, 30_000_000])
            row["end_ns"] += rng.choice([0, 300, 900_000, 60_000_000])
        row["span_id"] = f"{rng.randrange(1, 1 << 56) * 64 + number:016x}"
    return [finished(rng, f"{trace:032x}", row) for row in made]


CALL = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.system": "openai"}
SAYS = (
    *[{}] * 30, {"http.route": "/chat", "http.request.method": "POST"}, {"http.status_code": 503},
    {"db.system": "redis"}, {"retry.count": 1}, {"url.full": "http://x/"}, {"n": 1.50, "a": None},
    CALL, CALL | {"gen_ai.request.stream": True, "gen_ai.usage.output_tokens": 40},
    CALL | {"gen_ai.server.time_to_first_token": 0.2, "gen_ai.usage.input_tokens": 9},
    {"gen_ai.usage.prompt_tokens": 7, "gen_ai.usage.completion_tokens": 3},
)  # fmt: skip


def finished(rng: random.Random, trace: str, row: dict) -> dict:
    parent, service = row["parent_id"], rng.choice(["web", "api", "engine", None])
    events = [
        {"name": name, "time_ns": row["start_ns"] + ms * 1_000_000, "attributes": {}}
        for name, ms in (("first_token", 5), ("new_token", 6), ("new_token", 9), ("new_token", 30))
    ]
    return row | {
        "trace_id": trace,
        "parent_id": None if parent is None else parent["span_id"],
        "name": rng.choice(["llm_request", "POST", "chat m", "tool", "process"]),
        "service": service,
        "host": rng.choice([None, service]),
        "kind": rng.choice(["internal"] * 9 + ["server", "client", "producer", "consumer"]),
        "status": rng.choice(["unset"] * 30 + ["ok", "error"]),
        "scope": rng.choice([None, "vllm.llm_engine"]),
        "shared": False,
        "attributes": json.dumps(rng.choice(SAYS)),
        "resource": rng.choice(["{}", '{"service.version": "2"}']),
        "events": json.dumps(events if rng.random() < 0.1 else []),
        "links": "[]",
        "flags": [],
    }


@pytest.mark.parametrize("seed", range(3))
def test_random_plain_traces_come_out_alike(seed):
    rng = random.Random(seed)
    rows = [row for trace in range(400) for row in plain_rows(rng, trace)]
    rng.shuffle(rows)
    table = SpanBatch.from_rows(rows).table
    assert_same(table)
    assert plain_share(table) > 0.05


def test_traces_over_clocks_that_are_known_to_disagree_are_not_plain(sample):
    hosts = sorted(set(sample.column("host").drop_null().to_pylist()))
    quarters = {start // 900_000_000_000 for start in sample.column("start_ns").to_pylist()}
    lines = {
        (quarter, one, other): Line(quarter * 900_000_000_000, 3_000_000, 0)
        for quarter in quarters
        for one, other in pairwise(hosts)
    }
    assert_same(sample, Offsets(lines))


def test_many_records_are_derived_by_columns_and_few_trace_by_trace(sample, monkeypatch):
    taken: list[int] = []
    monkeypatch.setattr(derived, "MANY", 100)
    monkeypatch.setattr(
        derived, "derive_columns", lambda records, *rest: taken.append(records.num_rows)
    )
    derived.derive(sample.slice(0, 99), RULES)
    assert taken == []
    derived.derive(sample.slice(0, 100), RULES)
    assert taken == [100]


def test_no_records_give_five_empty_tables():
    assert_same(SPAN_SCHEMA.empty_table())


CALL = ("a . app server 0 100 POST /x", "c a app client 10 90 POST", "s c eng server 12 88 outer")


@pytest.mark.parametrize(
    "line",
    [
        "t c eng server 20 60 inner",
        "t c eng server 12 88 twin",
        "t a eng server 20 60 inner",
        "t a eng server 11 95 wider",
    ],
)
@pytest.mark.parametrize("operation", ["", "chat"])
def test_layers_of_one_server_are_left_to_the_reference(line, operation):
    attributes = {"gen_ai.operation.name": operation} if operation else {}
    table = spans(*CALL, line, c={"attributes": attributes}).table
    assert plain_share(table) == 0
    assert_same(table)


def test_servers_of_other_services_under_and_beside_a_call_come_out_alike():
    other = ("t c db server 20 60 query", "u a mail server 91 95 send")
    table = spans(*CALL, *other).table
    assert plain_share(table) == 1
    assert_same(table)


MARK = Mark("first_token", "ttft", unit="ms", meaning="offset")
EVENT = Mark("first_chunk", "^go$", place="event")


@pytest.mark.parametrize("mark", [MARK, EVENT])
@pytest.mark.parametrize("role", ["", "call", "observer", "retry"])
def test_a_stream_that_only_a_rule_of_ones_own_tells_comes_out_alike(monkeypatch, mark, role):
    own = Rule("own", "app_logic", role, name="^work$", marks=(mark,))
    monkeypatch.setitem(globals(), "RULES", RuleSet((own, *RULES.rules), "own"))
    event = {"name": "go", "time_ns": T0 + 50 * MS, "attributes": {}}
    columns = {"attributes": {"ttft": 5}, "events": [event]}
    table = spans("a . web server 0 100 x", "b a web internal 10 300 work", b=columns).table
    assert derived.derive_each(table, RULES).requests["e2e_ns"].to_pylist() == [300 * MS]
    assert_same(table)
