"""Attempts of one call among siblings: what was tried again, and what was only done again."""

import pytest
from trees import hang, node

from analysis.rules import Rule
from analysis.staging.attempts import failed, retries

RETRY = Rule("r", "unattributed", "retry")


def pairs(*children):
    parent = node("p", 0, 1_000)
    for child in children:
        hang(child, parent)
    return [(first.key, then.key) for first, then in retries(parent)]


def attempt(key, start, end, status="unset", name="POST", **columns):
    return node(key, start, end, name=name, status=status, kind="client", **columns)


def test_a_failure_followed_by_the_same_call_is_a_retry():
    assert pairs(attempt("a", 0, 10, "error"), attempt("b", 30, 50)) == [("a", "b")]


def test_a_success_followed_by_the_same_call_is_not():
    assert pairs(attempt("a", 0, 10), attempt("b", 30, 50)) == []


def test_a_failure_followed_by_another_call_is_not():
    assert pairs(attempt("a", 0, 10, "error"), attempt("b", 30, 50, name="GET")) == []


def test_the_same_name_for_another_target_is_not():
    first = attempt("a", 0, 10, "error", attributes={"url.full": "https://x/1"})
    then = attempt("b", 30, 50, attributes={"url.full": "https://x/2"})
    assert pairs(first, then) == []


def test_a_resend_count_makes_the_attempt_before_it_a_failed_one():
    counted = {"http.request.resend_count": 1}
    assert pairs(attempt("a", 0, 10), attempt("b", 30, 50, attributes=counted)) == [("a", "b")]
    unreadable = {"http.request.resend_count": "first"}
    assert pairs(attempt("a", 0, 10), attempt("b", 30, 50, attributes=unreadable)) == []


def test_spans_that_rules_call_attempts_need_no_status():
    first, then = attempt("a", 0, 10, rule=RETRY), attempt("b", 10, 50, rule=RETRY)
    assert pairs(first, then) == [("a", "b")]


def test_three_attempts_are_two_retries():
    kids = [attempt("a", 0, 10, "error"), attempt("b", 20, 30, "error"), attempt("c", 40, 90)]
    assert pairs(*kids) == [("a", "b"), ("b", "c")]


def test_hedged_attempts_that_run_together_are_no_retries():
    long = attempt("a", 0, 90_000_000, "error")
    assert pairs(long, attempt("b", 10_000_000, 50_000_000)) == []


def test_an_agent_that_thinks_between_two_tries_decides_anew():
    kids = [attempt("a", 0, 10, "error"), node("think", 15, 25), attempt("b", 30, 50)]
    assert pairs(*kids) == []


def test_what_nobody_waits_for_is_no_attempt():
    assert pairs(attempt("a", 0, 10, "error", blocking=False), attempt("b", 30, 50)) == []


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        (500, "unset", True), ("503", "unset", True), (429, "error", True), (404, "error", False),
        (200, "unset", False), (None, "error", True), (None, "ok", False), ("?", "error", True),
    ],
)  # fmt: skip
def test_only_some_failures_are_worth_another_try(code, status, expected):
    attributes = {} if code is None else {"http.response.status_code": code}
    assert failed(attempt("a", 0, 10, status, attributes=attributes)) is expected


CALL = Rule("c", "model", "call")


def model_call(key, start, end, name, status="unset", **columns):
    return attempt(key, start, end, status, name, rule=CALL, **columns)


@pytest.mark.parametrize("code", [None, 400, 429, 503])
def test_a_call_that_failed_and_the_call_of_another_model_right_after_are_attempts(code):
    given = {} if code is None else {"http.response.status_code": code}
    first = model_call("a", 0, 10, "chat m", "error", attributes=given)
    assert pairs(first, model_call("b", 12, 50, "chat n")) == [("a", "b")]


def test_a_call_that_went_well_or_has_work_behind_it_has_no_fallback():
    then = model_call("b", 30, 50, "chat n")
    assert pairs(model_call("a", 0, 10, "chat m"), then) == []
    tool = attempt("t", 12, 20, name="search")
    assert pairs(model_call("a", 0, 10, "chat m", "error"), tool, then) == []


def test_calls_that_run_together_or_for_other_services_are_no_fallback():
    first = model_call("a", 0, 10, "chat m", "error")
    assert pairs(first, model_call("b", 5 - 2_000_000, 50, "chat n")) == []
    assert pairs(first, model_call("b", 12, 50, "chat n", service="other")) == []
