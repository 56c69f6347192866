"""Tokens, model names and streaming switches, by the names of every emitter."""

import pytest
from trees import node

from analysis.staging.usage import (
    CACHED_KEYS,
    INPUT_KEYS,
    OUTPUT_KEYS,
    model_name,
    streaming,
    usage,
)


@pytest.mark.parametrize("key", INPUT_KEYS)
def test_input_tokens_are_found_under_every_key(key):
    assert usage(node("a", 0, 1, attributes={key: "12"})) == (12, None, None)


@pytest.mark.parametrize("key", CACHED_KEYS)
def test_cached_tokens_are_found_under_every_key(key):
    assert usage(node("a", 0, 1, attributes={key: 0})) == (None, 0, None)


@pytest.mark.parametrize("key", OUTPUT_KEYS)
def test_output_tokens_are_found_under_every_key(key):
    assert usage(node("a", 0, 1, attributes={key: 7.0})) == (None, None, 7)


@pytest.mark.parametrize("value", [-1, "many", True, None, 1.5, float("nan"), [3], "inf"])
def test_what_is_no_count_is_unknown_and_not_zero(value):
    attributes = {"gen_ai.usage.output_tokens": value}
    assert usage(node("a", 0, 1, attributes=attributes)).output is None


def test_one_json_object_may_hold_all_counts():
    details = '{"input": 10, "output": 4, "input_cached_tokens": 6}'
    attributes = {"langfuse.observation.usage_details": details}
    assert usage(node("a", 0, 1, attributes=attributes)) == (10, 6, 4)


def test_the_model_that_answered_stands_before_the_one_asked_for():
    both = {"gen_ai.request.model": "auto", "gen_ai.response.model": "m-7"}
    assert model_name(node("a", 0, 1, attributes=both)) == "m-7"
    asked = {"gen_ai.request.model": "auto", "gen_ai.response.model": "unknown"}
    assert model_name(node("a", 0, 1, attributes=asked)) == "auto"
    assert model_name(node("a", 0, 1)) is None


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"gen_ai.request.stream": True}, True),
        ({"gen_ai.request.stream": "false"}, False),
        ({"llm.is_streaming": "True"}, True),
        ({"ai.operationId": "ai.streamText.doStream"}, True),
        ({"ai.operationId": "ai.generateText.doGenerate"}, False),
        ({}, None),
    ],
)
def test_a_switch_says_whether_the_answer_was_streamed(attributes, expected):
    assert streaming(node("a", 0, 1, attributes=attributes)) is expected
