import pytest
from builders import MS, T0
from stores import bring, tiny_store, trace

from analysis.errors import UserError
from data.filters import Filters

SECOND = 1000 * MS


@pytest.fixture(scope="module")
def store():
    """Requests 1 and 2 in data set 1, 2 and 3 in data set 2; request n starts n seconds in."""
    store = tiny_store()
    columns = {
        1: {"service": "web", "model": "a", "version": "v1", "input_tokens": 10},
        2: {"service": "api", "model": "b", "version": "v2", "input_tokens": 20},
        3: {"route": "/other", "status": "error", "output_tokens": 5, "flags": ["incomplete"]},
    }
    bring(store, "one", trace(1, **columns[1]), trace(2, **columns[2]))
    late = "z a web client 2050 2060 late"
    second = trace(2, "a . web server 2000 2200 chat", late, **columns[2])
    bring(store, "two", second, trace(3, **columns[3]))
    return store


@pytest.mark.parametrize(
    ("filters", "numbers"),
    [
        (Filters(), [1, 2, 3]),
        (Filters(data_sets=(1,)), [1, 2]),
        (Filters(data_sets=(2,)), [2, 3]),
        (Filters(data_sets=(1, 2)), [1, 2, 3]),
        (Filters(start_ns=T0 + 2 * SECOND), [2, 3]),
        (Filters(end_ns=T0 + 2 * SECOND), [1]),
        (Filters(start_ns=T0 + SECOND, end_ns=T0 + 3 * SECOND), [1, 2]),
        (Filters(services=("api",)), [2]),
        (Filters(services=("api", "web")), [1, 2, 3]),
        (Filters(routes=("/other",)), [3]),
        (Filters(models=("a", "b")), [1, 2]),
        (Filters(versions=("v1", "none")), [1]),
        (Filters(statuses=("error",)), [3]),
        (Filters(input_tokens=(10, 15)), [1]),
        (Filters(input_tokens=(15, None)), [2]),
        (Filters(input_tokens=(None, 10)), [1]),
        (Filters(input_tokens=(None, None)), [1, 2, 3]),
        (Filters(output_tokens=(0, None)), [3]),
        (Filters(flag="incomplete"), [3]),
        (Filters(expression="e2e_ms > 150", models=("b",)), [2]),
        (Filters(expression="  "), [1, 2, 3]),
        (Filters(expression="excluded or e2e_ms < 150", models=("b",)), []),
    ],
)
def test_filters_leave(store, filters, numbers):
    frame = store.query("latency", filters)
    assert sorted(int(trace_id, 16) for trace_id in frame.trace_id) == numbers


def test_values_are_bound_and_never_read_as_sql(store):
    evil = "x') OR true --"
    filters = Filters(services=(evil,), models=(evil,), flag=evil, routes=("'; DROP TABLE meta",))
    assert store.query("latency", filters).empty
    assert store.query("time_range").n[0] == 3


def test_filters_are_keys():
    assert hash(Filters(models=("a",))) == hash(Filters(models=("a",)))
    assert Filters(models=("a",)) != Filters(models=("b",))


def test_a_wrong_expression_is_an_error_of_the_user(store):
    with pytest.raises(UserError, match="did you mean e2e_ms"):
        store.query("latency", Filters(expression="e2e_mss > 1"))


def test_arithmetic_beyond_a_column_is_an_error_of_the_user(store):
    with pytest.raises(UserError, match=r"expression: .*Overflow"):
        store.query("latency", Filters(expression="input_tokens * 9000000000000000000 > 1"))
    assert store.query("latency", Filters(expression="input_tokens > 1e400")).empty


def test_a_query_refuses_a_parameter_that_it_does_not_have(store):
    with pytest.raises(TypeError, match="no parameter"):
        store.query("latency", trace_id="x")


@pytest.mark.parametrize("name", ["nothing", "../schema", "latency.sql", ""])
def test_only_query_files_are_queries(store, name):
    with pytest.raises(KeyError):
        store.query(name)
