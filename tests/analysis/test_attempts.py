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
