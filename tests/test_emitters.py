"""What every emitter's calls tell, held to the table in docs/emitters.md."""

import json
from pathlib import Path

import pytest
from builders import MS, spans
from emitter_spans import SAMPLES

from analysis.derive import derive
from data.rules_file import default_rules

DOCUMENT = Path(__file__).parents[1] / "docs" / "emitters.md"
RULES = default_rules()
MARKS = {"queue": ("queue", "first_scheduled"), "prefill": ("prefill",), "decode": ("decode",)}
TRUE_MS = {"queue": 50, "prefill": 200, "first_token": 300, "decode": 600}
TOKENS = {"input": 812, "cached": 512, "output": 64}


def call_of(name):
    lines, columns = SAMPLES[name]
    (call,) = derive(spans(*lines, **columns).table, RULES).calls.to_pylist()
    return call


def source(call, figure):
    """How a time of a call is known, as the table says it."""
    if call[f"{figure}_ns"] is None:
        return "–"
    marks = json.loads(call["marks"])
    if figure == "first_token":
        return "reported"
    read = next((marks[mark] for mark in MARKS[figure] if mark in marks), None)
    if read is None:
        return "derived"
    return "span" if read.startswith("span ") else "reported"


def token_source(call, count, attributes):
    if call[f"{count}_tokens"] is None:
        return "–"
    told = json.dumps(attributes)
    return "reported" if str(call[f"{count}_tokens"]) in told else "derived"


def row(name):
    call, attributes = call_of(name), list(SAMPLES[name][1].values())
    times = [source(call, figure) for figure in ("queue", "prefill", "decode", "first_token")]
    return [name, call["emitter"], *times, *(token_source(call, n, attributes) for n in TOKENS)]


def written():
    lines = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip(" `") for cell in line.strip("| ").split(" | ")] for line in lines]
    return {line[0]: line for line in cells if line[0] in SAMPLES}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_table_says_of_an_emitter_what_its_calls_tell(name):
    assert written()[name] == row(name)


@pytest.mark.parametrize("name", SAMPLES)
def test_what_an_emitter_tells_is_read_in_its_unit(name):
    call = call_of(name)
    if source(call, "queue") != "–":
        assert call["queue_ns"] == TRUE_MS["queue"] * MS
    if source(call, "first_token") != "–":
        assert call["first_token_ns"] == TRUE_MS["first_token"] * MS
    for figure in ("prefill", "decode"):
        if source(call, figure) == "reported":
            assert call[f"{figure}_ns"] == TRUE_MS[figure] * MS
    for count, tokens in TOKENS.items():
        assert call[f"{count}_tokens"] in (None, tokens)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_figure_of_a_call_shows_where_it_was_read(name):
    marks = json.loads(call_of(name)["marks"])
    attributes = json.dumps(SAMPLES[name])
    for key in marks.values():
        found = key.removeprefix("span ").strip("^$").replace("\\", "")
        assert found in attributes or "(gen_ai|llm)" in found
