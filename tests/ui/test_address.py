"""What a link may say, and what it then says itself."""

import pytest
from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from ui import address

    address.begin()
    chosen = address.values("model")
    options = list(dict.fromkeys(["a", "b", *chosen]))
    st.pills("model", options, default=chosen, selection_mode="multi", key=address.key("model"))
    st.json({name: address.value(name) for name in address.PARSERS})
    st.button("other", on_click=address.put, args=("where", "e2e_ms > 1"))
    address.write()


def opened(**query):
    tested = AppTest.from_function(page)
    for name, value in query.items():
        tested.query_params[name] = value
    tested.run()
    assert not tested.exception
    return tested


def written_in(tested, name):
    """All that the address says for a name."""
    said = tested.query_params.get(name, [])
    return said if isinstance(said, list) else [said]


def view(tested):
    import json

    return json.loads(tested.json[0].value)


@pytest.mark.parametrize(
    ("name", "given", "taken"),
    [
        ("model", ["a", "gone", "a"], ["a", "gone"]), ("data", ["2", "x"], ["2"]),
        ("range", "1h", "1h"), ("range", "2h", None), ("objective", "ttft", "ttft"),
        ("objective", "nope", "e2e"), ("slo_e2e", "2500", 2500.0), ("slo_e2e", "-1", None),
        ("slo_e2e", "nan", None), ("band", "p99", "p99"), ("band", "p98", "p95"),
        ("page", "3", 3), ("page", "0", 1), ("page", "x", 1), ("flag", "no_end", "no_end"),
        ("since", "1970-01-01T00:00:01Z", 10**9), ("since", "1970-01-01T00:00:01", 10**9),
        ("since", "yesterday", None), ("where", " e2e_ms > 1 ", "e2e_ms > 1"),
    ],
)  # fmt: skip
def test_a_link_is_taken_as_far_as_it_makes_sense(name, given, taken):
    assert view(opened(**{name: given}))[name] == taken


@pytest.mark.parametrize(
    ("name", "given", "written"),
    [
        ("since", "1970-01-01T01:00:01+01:00", ["1970-01-01T00:00:01Z"]),
        ("objective", "e2e", []), ("slo_ttft", "750.0", ["750"]), ("range", "2h", []),
        ("model", ["a", "gone"], ["a", "gone"]),
    ],
)  # fmt: skip
def test_the_address_is_written_in_one_form_without_defaults(name, given, written):
    tested = opened(**{name: given})
    assert written_in(tested, name) == written


def test_names_of_others_stay_in_the_address():
    tested = opened(trace="abc", where="e2e_ms > 2")
    assert written_in(tested, "trace") == ["abc"]


def test_a_change_reaches_the_view_and_the_address():
    tested = opened(model="a")
    tested.button[0].click().run()
    assert view(tested)["where"] == "e2e_ms > 1"
    assert written_in(tested, "where") == ["e2e_ms > 1"]
    assert written_in(tested, "model") == ["a"]
