"""Calls read by columns give what reading them one by one gives, whatever attributes say."""

import json
import random

import pyarrow as pa
import pytest
from builders import spans
from emitter_spans import SAMPLES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.derive import derive_columns, derive_each
from analysis.json_text import encoded
from analysis.plain import calls, cuts, derive_plain
from analysis.plain.facts import asked_keys
from analysis.plain.shapes import known_keys, shapes
from analysis.rules import MARKS, TOKENS, RuleSet
from analysis.spans import SPAN_SCHEMA
from analysis.staging.matching import Matcher
from data.rules_file import default_rules

RULES = default_rules()
TABLES = ("requests", "spans", "calls", "segments", "flags")
START = 10**18
LENGTH = 2_000_000_000

NUMBERS = ["0", "1", "-1", "0.0", "-0.0", "1.5", "0.25", "1.9999995", "2.0", "2", "3", "250",
           "2000", "-0.5", "0.0001", "0.00001", "1e-3", "2E+2", "1e400", "123456789012345",
           "0.000001",
           "1234567890123456", "12345678901234567890", "9" * 30, "0.30000000000000004", "1.50",
           "0.0000000005", "0.0000000015", "1999999999", "0.1234567890123",
           "999999999999999"]  # fmt: skip
WORDS = ["null", "true", "false", '""', '"12"', '"0.4"', '"250ms"', '"1.2s"', '"é\\n\\"/"',
         '"\\u00e9"', "[]", "[0.5]", '["250"]', '{"a":1}', '[[1],{"b":null}]', '"1e-3"', '" 7 "',
         '"2001-09-09T01:46:40.5Z"', '"-3ms"', '"🙂"', '"a\\/b"', "[1,2.50]"]  # fmt: skip
ENGINE = ["gen_ai.latency.time_in_queue", "gen_ai.latency.time_in_model_prefill",
          "gen_ai.latency.time_in_model_decode", "gen_ai.latency.time_to_first_token"]  # fmt: skip
CLIENT = ["gen_ai.response.time_to_first_chunk", "ai.response.msToFirstChunk",
          "time_to_first_token_ms",
          "langfuse.observation.completion_start_time",
          "http.response.header.openai-processing-ms",
          "http.response.header.x-queue-time"]  # fmt: skip
COUNTS = ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
          "gen_ai.usage.cached_tokens", "gen_ai.usage.output_tokens",
          "gen_ai.usage.completion_tokens", "langfuse.observation.usage_details"]  # fmt: skip
OTHERS = ["gen_ai.request.stream", "gen_ai.request.model", "gen_ai.system", "session.id", "x",
          "gen_ai.operation.name", "idle_ns", "queue_time", "inference_time",
          "http.route"]  # fmt: skip


def value(rng: random.Random) -> str:
    """Half of all values are plain seconds within the span."""
    kind = rng.random()
    if kind < 0.5:
        return repr(round(rng.random() * 2.2, rng.choice([1, 3, 6, 9])))
    return rng.choice(NUMBERS) if kind < 0.8 else rng.choice(WORDS)


def carried(rng: random.Random, base: dict[str, str], keys: list[str]) -> str:
    """A JSON object whose keys may stand there twice or be written with an escape."""
    pairs = [*base.items()]
    pairs += [(key, value(rng)) for key in rng.sample(keys, rng.randrange(len(keys)))]
    if rng.random() < 0.05 and pairs:
        pairs.append((rng.choice(pairs)[0], value(rng)))
    space = " " if rng.random() < 0.03 else ""
    return "{" + ",".join(f'"{key}":{space}{said}' for key, said in pairs) + "}"


CHAT = {"gen_ai.operation.name": '"chat"', "gen_ai.request.model": '"m"'}
QUEUED = {"gen_ai.latency.time_in_queue": "0.1", "gen_ai.latency.time_in_model_prefill": "0.2"}


def trace(rng: random.Random, number: int) -> list[dict]:
    """A request with a wrapper, one or two calls in a row or in each other, and an engine."""
    ids = [f"{number * 16 + place + 1:016x}" for place in range(5)]
    kinds = ("client", "client", "internal", "server")
    inner = rng.choice([1, 1, 2])
    made = [
        (ids[0], None, "POST /x", "web", "server", 0, LENGTH * 2, "{}"),
        (ids[1], ids[0], "wrap", "web", "internal", 0, LENGTH * 2,
         carried(rng, {}, COUNTS + OTHERS)),
        (ids[2], ids[1], "chat m", "web", rng.choice(kinds), 10, LENGTH,
         carried(rng, CHAT, CLIENT + COUNTS + OTHERS)),
        (ids[3], ids[inner], "llm_request", "engine", rng.choice(kinds), 20, LENGTH - 500,
         carried(rng, rng.choice([{}, QUEUED]), ENGINE + COUNTS)),
        (ids[4], ids[3], "tail", "engine", "internal", 30, 40, carried(rng, {}, ENGINE + CLIENT)),
    ]  # fmt: skip
    return [row(f"{number:032x}", rng, *span) for span in made]


def row(trace_id, rng, span_id, parent, name, service, kind, low, high, attributes) -> dict:
    events = [{"name": "new_token", "time_ns": START + 700_000_000, "attributes": {}}]
    return {
        "trace_id": trace_id, "span_id": span_id, "parent_id": parent, "name": name,
        "service": service, "host": None, "kind": kind, "shared": False, "scope": None,
        "status": rng.choice(["unset"] * 9 + ["error"]), "start_ns": START + low,
        "end_ns": START + high, "attributes": attributes, "resource": "{}", "links": "[]",
        "events": json.dumps(events) if rng.random() < 0.1 else "[]", "flags": [],
    }  # fmt: skip


def batch(seed: int, traces: int) -> pa.Table:
    rng = random.Random(seed)
    rows = [span for number in range(1, traces + 1) for span in trace(rng, number)]
    return pa.Table.from_pylist(rows, schema=SPAN_SCHEMA)


def assert_same(table: pa.Table, rules: RuleSet = RULES) -> None:
    want, have = derive_each(table, rules), derive_columns(table, rules)
    for name in TABLES:
        one, other = getattr(want, name), getattr(have, name)
        for column in one.column_names:
            assert one[column].to_pylist() == other[column].to_pylist(), (name, column)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 1 << 32))
def test_calls_with_whatever_marks_come_out_alike(seed):
    assert_same(batch(seed, 150))


def test_most_calls_of_such_traces_are_read_by_columns(monkeypatch):
    counted: list[int] = []
    read = calls._Reader.read
    monkeypatch.setattr(calls._Reader, "read", lambda *told: (counted.append(1), read(*told))[1])
    table = batch(1, 300)
    assert 1 - derive_plain(table, Matcher(RULES))[1].mean() > 0.8
    assert 0 < len(counted) < 300


@pytest.mark.parametrize("name", SAMPLES)
def test_what_any_emitter_writes_comes_out_alike(name):
    lines, columns = SAMPLES[name]
    assert_same(spans(*lines, **columns).table)


def stirred(rng: random.Random, number: int, name: str) -> list[dict]:
    """An emitter's spans, each attribute with another value now and then."""
    lines, columns = SAMPLES[name]
    rows = spans(*lines, **columns).table.to_pylist()
    for span in rows:
        told = json.loads(span["attributes"])
        said = {key: value(rng) if rng.random() < 0.3 else json.dumps(told[key]) for key in told}
        text = ",".join(f'"{key}":{said[key]}' for key in said)
        span |= {"attributes": "{" + text + "}", "trace_id": f"{number:032x}"}
    return rows


@pytest.mark.parametrize("seed", range(3))
def test_emitters_that_write_other_values_come_out_alike(seed):
    rng = random.Random(seed)
    rows = [row for number in range(400) for row in stirred(rng, number, rng.choice([*SAMPLES]))]
    assert_same(pa.Table.from_pylist(rows, schema=SPAN_SCHEMA))


def test_every_mark_that_cuts_is_known_to_the_columns():
    assert {*cuts.CUT_BY, *TOKENS, "time_per_token"} == {*MARKS}


NAMES = st.sampled_from([*ENGINE, *COUNTS, "session.id", "http.route", "a", "é", "\\u0061"])
SAID = st.sampled_from([*NUMBERS, *WORDS, "1.25", "7", "-7"])
PAIRS = st.lists(st.tuples(NAMES, SAID), max_size=4)


@settings(max_examples=300, deadline=None)
@given(st.lists(PAIRS, min_size=1, max_size=8))
def test_texts_of_one_shape_differ_in_nothing_but_numbers_and_what_nobody_asks_for(said):
    texts = ["{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}" for pairs in said]
    numbers, words = asked_keys(RULES.rules)
    found = shapes(pa.array(texts), known_keys(numbers, words))
    for text, shape in zip(texts, found.shape.tolist(), strict=True):
        told, sample = json.loads(text), json.loads(texts[found.sample[shape]])
        assert list(told) == list(sample)
        if not found.odd[shape] and len(told) == text.count('":'):
            assert encoded(told) == text
        same = {key for key in told if key in words or not isinstance(told[key], int | float)}
        assert all(told[key] == sample[key] for key in same & (numbers | words))


@pytest.mark.parametrize("text", ['{"a":01}', '{"a":1', '{"a":+1}', '{a:1}', '{"a":"\t"}', "{,}",
                                  '{"a":1,}', '{"a":.5}', '{"a":5.}', '{"a":tru}', '{"a"}', "", "{",
                                  '{"a":[1,]}', '{"a":[}', '{"a":"\\x"}', '{"a":1}{',
                                  '{"a"'])  # fmt: skip
def test_what_is_no_json_is_left_to_the_json_module(text):
    assert shapes(pa.array([text]), known_keys(["a"], [])).odd.tolist() == [True]


@pytest.mark.parametrize(
    ("text", "digits", "scale"),
    [
        ("7", 7, 0),
        ("-7", -7, 0),
        ("0.25", 25, 2),
        ("-0.0", 0, 1),
        ("9" * 18, 10**18 - 1, 0),
    ],
)
def test_plain_numbers_are_told_apart(text, digits, scale):
    found = shapes(pa.array(['{"b":[1,"x"],"a":' + text + "}"]), known_keys(["a"], []))
    assert (found.digits.tolist(), found.scale.tolist()) == ([digits], [scale])
