import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import bring, tiny_store, trace

from analysis.errors import UserError
from analysis.stages import GROUPS, STAGES
from data.expression import COLUMNS, ExpressionError, compiled
from data.filters import Filters

MS = 1_000_000


@pytest.fixture(scope="module")
def store():
    """Requests 1, 2 and 3: 100, 200 and 300 ms; 3 failed, 2 has no model."""
    store = tiny_store()
    first = trace(1, model="Llama", request_queue_ns=60 * MS, ttft_ns=40 * MS, input_tokens=10)
    second = trace(2, request_queue_ns=0, input_tokens=20, flags=["incomplete"], excluded=True)
    third = trace(3, model="qwen", request_queue_ns=250 * MS, status="error", retrieval_ns=5 * MS)
    bring(store, "three", first, second, third)
    return store


def found(store, text):
    ids = store.query("latency", Filters(expression=text)).trace_id
    return sorted(int(trace_id, 16) for trace_id in ids)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("request_queue_ms > 200 and model = 'qwen'", [3]),
        ("REQUEST_QUEUE_MS > 50", [1, 3]),
        ("e2e_ms between 100 and 200", [1, 2]),
        ("not (e2e_ms >= 200)", [1]),
        ("e2e_ms <> 200 or status == 'error'", [1, 3]),
        ("model is null", [2]),
        ("model is not null and input_tokens is null", [3]),
        ("model in ('qwen', 'other')", [3]),
        ("model not in ('qwen')", [1]),
        ("lower(model) like 'lla%'", [1]),
        ("model not like 'L%'", [3]),
        ("model ilike 'l%'", [1]),
        ("contains(model, 'we')", [3]),
        ("starts_with(trace_id, '0000')", [1, 2, 3]),
        ("contains(flags, 'incomplete')", [2]),
        ("excluded", [2]),
        ("excluded = false", [1, 3]),
        ("(excluded) is true", [2]),
        ("coalesce(ttft_ms, e2e_ms) < 150", [1]),
        ("abs(e2e_ms - 200) < 1", [2]),
        ("-e2e_ms < -250", [3]),
        ("e2e_ms / 2 + 1 * 10 > 150", [3]),
        ("scheduling_ms > 200", [3]),
        ("harness_share > 0.5 and harness_ms < 100", [1]),
        ("request_queue_share >= .6", [1, 3]),
        ("model = 'it''s'", []),
        ("input_tokens > 1_5", [2]),
    ],
)
def test_an_expression_selects(store, text, numbers):
    assert found(store, text) == numbers


def test_every_column_can_be_compared_with_nothing(store):
    for column, (kind, _) in COLUMNS.items():
        if kind != "list":
            assert len(found(store, f"{column} is null or {column} is not null")) == 3


def test_every_stage_and_group_has_a_time_and_a_share():
    for name in (*STAGES, *GROUPS, "harness"):
        assert {f"{name}_ms", f"{name}_share"} <= COLUMNS.keys()


BREAKOUTS = [
    "1 = 1; DROP TABLE requests",
    "excluded; SELECT 1",
    "excluded;",
    "(SELECT true)",
    "trace_id IN (SELECT trace_id FROM records)",
    "EXISTS (SELECT 1 FROM meta)",
    "e2e_ms > 1 UNION SELECT 1",
    "e2e_ms > 1 ORDER BY 1",
    "e2e_ms > 1 -- comment",
    "e2e_ms > 1 /* comment */",
    "e2e_ms /*! > 1 */",
    "CAST(model AS INT) = 1",
    "model::INT = 1",
    "TRY_CAST(model AS INT) = 1",
    "date '2020-01-01' < e2e_ms",
    "PRAGMA database_list",
    "SET memory_limit = '1TB'",
    "ATTACH 'x'",
    "read_csv('/etc/passwd') is null",
    "getenv('HOME') = 'x'",
    "current_setting('memory_limit') = 'x'",
    "query('select 1') = 1",
    "sum(e2e_ms) OVER () > 1",
    "count(*) > 1",
    "row_number() OVER () = 1",
    "requests.e2e_ms > 1",
    "main.requests.e2e_ms > 1",
    "rowid = 1",
    "e2e_ns > 1",
    "import_ids is null",
    "COLUMNS('.*') > 1",
    "* is null",
    "$f_literal_0 = 1",
    "? = 1",
    "CASE WHEN excluded THEN true END",
    "if(excluded, true, false)",
    "e2e_ms ** 100000 > 1",
    "repeat(model, 1000000000) = 'x'",
    "model || 'x' = 'y'",
    "flags[1] = 'x'",
    "{'a': 1} = 1",
    "[1] = 1",
    "x -> x + 1",
    "model SIMILAR TO '(a+)+'",
    "regexp_matches(model, '(a+)+')",
    "model LIKE 'x' ESCAPE '!'",
    "model COLLATE nocase = 'x'",
    "e2e_ms > ALL (1)",
    "interval 1 day > 2",
    "e2e_ms > 1 AS x",
    "excluded, excluded",
    "model = '\x00' OR",
    "model = 'x' OR '",
    '"e2e_ms" > 1) OR (true',
]


@pytest.mark.parametrize("text", BREAKOUTS)
def test_nothing_but_the_subset_is_let_in(text):
    with pytest.raises(UserError):
        compiled(text)


@pytest.mark.parametrize(
    "text",
    ["not " * 450 + "excluded", "(" * 900 + "excluded" + ")" * 900, "- " * 900 + "1 = 1"],
    ids=["not", "parentheses", "minus"],
)
def test_deep_nesting_is_refused_and_not_a_crash(text):
    with pytest.raises(UserError):
        compiled(text)


def test_a_long_chain_is_fine_and_an_endless_text_is_refused(store):
    assert found(store, " or ".join(["excluded"] * 150)) == [2]
    with pytest.raises(UserError, match="2000 characters"):
        compiled(" or ".join(["excluded"] * 1500))


@pytest.mark.parametrize(
    ("text", "position", "suggestion", "said"),
    [
        ("request_queue_mss > 200", 0, "request_queue_ms", "did you mean request_queue_ms?"),
        ("e2e_ms > 1 and modl = 'x'", 15, "model", "no such column: modl"),
        ('model = "qwen"', 8, "", "a text stands in single quotes"),
        ("model > 5", 8, "", "a text in single quotes"),
        ("e2e_ms = 'x'", 9, "", "expected a number"),
        ("e2e_ms >", 7, "", "expected a condition"),
        ("e2e_ms", 0, "", "expected a condition"),
        ("flags = 'x'", 0, "", "found flags"),
        ("model = 'x", 0, "", "ends too early"),
        ("", 0, "", "ends too early"),
    ],
)
def test_an_error_names_the_place_and_the_nearest_column(text, position, suggestion, said):
    with pytest.raises(ExpressionError) as caught:
        compiled(text)
    assert (caught.value.position, caught.value.suggestion) == (position, suggestion)
    assert said in str(caught.value)
    assert f"character {position + 1}" in str(caught.value)


def test_no_text_of_the_user_stands_in_the_sql():
    sql, values = compiled(
        "model = 'x'') OR true --' and e2e_ms > 123456 and lower(\"MODEL\") = 'q'"
    )
    assert set(values.values()) == {"x') OR true --", 123456, "q"}
    assert "true" not in sql.lower()
    assert "123456" not in sql
    assert "'" not in sql
    assert '"' not in sql


WORDS = [*"()+-*/<>=.,;'\"", "e2e_ms", "model", "excluded", "flags", "and", "or", "not", "in", "is"]
WORDS += ["null", "between", "like", "1", "'x'", "lower(", "contains(", "--", "/*", "select", "::"]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
def test_any_text_is_a_condition_that_runs_or_an_error_of_the_user(store, text):
    try:
        compiled(text)
    except UserError:
        return
    assert set(found(store, text)) <= {1, 2, 3}


def test_the_longest_stage_of_a_request_can_be_asked_for(store):
    frame = store.query("latency", Filters(expression="longest_stage is not null"))
    for _index, row in frame.iterrows():
        held = {stage: row[f"{stage}_ns"] for stage in STAGES}
        longest = max(STAGES, key=lambda stage: held[stage])
        found = store.query("latency", Filters(expression=f"longest_stage = '{longest}'"))
        assert row["trace_id"] in set(found["trace_id"])
