"""Awkward inputs end to end: each reference file, read and derived, against its right outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from builders import MS, T0

import collectors
from analysis.derive import Derived, derive
from analysis.spans import SpanBatch
from analysis.stages import stage_columns
from data.rules_file import default_rules

REAL = ("otlp", "jaeger", "zipkin", "tempo")


def records(path: Path) -> pa.Table:
    with path.open("rb") as stream:
        batches = list(collectors.read(stream, path.name, collectors.ReadReport()))
    return pa.concat_tables([b.table for b in batches if isinstance(b, SpanBatch)])


def derived(path: Path, **switches: bool) -> Derived:
    found = derive(records(path), default_rules(), **switches)
    check_sums(found)
    return found


def check_sums(found: Derived) -> None:
    """Stages and segments of every request add up to its end to end time, to the nanosecond."""
    by_request: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for segment in found.segments.to_pylist():
        by_request.setdefault((segment["trace_id"], segment["root_key"]), []).append(segment)
    for row in found.requests.to_pylist():
        assert sum(row[name] for name in stage_columns()) == row["e2e_ns"]
        before = [row[name] for name in stage_columns("ttft_")]
        assert row["ttft_ns"] == (None if None in before else sum(before))
        edge = row["start_ns"]
        for segment in by_request.pop((row["trace_id"], row["root_key"]), []):
            assert segment["start_ns"] == edge < segment["end_ns"]
            edge = segment["end_ns"]
        assert edge == row["end_ns"]
    assert not by_request


@dataclass
class Case:
    """What a file with one request must come to, in ms; `stages` names only what it is about."""

    e2e: float
    own: dict[str, float]
    flags: list[str] = field(default_factory=list)
    request: dict[str, Any] = field(default_factory=dict)


TWO = Case(100, {"chat": 40, "generate": 60})
CASES = {
    "01-otlp-concatenated": TWO,
    "02-tempo-batches-base64-ids": Case(
        100, TWO.own, request={"trace_id": "5b8efff798038103d269b633813fc60c"}
    ),
    "03-enum-names-and-numbers": Case(100, {"chat": 40, "generate": 10, "decode": 50}),
    "04-int64-as-string": Case(
        100, {"generate": 100}, request={"input_tokens": 1200, "output_tokens": 87}
    ),
    "06-trace-id-widths": TWO,
    "07-utf8-bom": TWO,
    "08-child-of-links": Case(100, {"chat": 40, "generate": 30, "decode": 30}),
    "09-missing-root": Case(
        85, {"retrieve": 50, "generate": 25, "": 10}, ["root_missing"], {"excluded": True}
    ),
    "10-zipkin-shared-span": Case(
        120, {"chat": 20, "call-gateway": 20, "route": 20, "generate": 60}, request={"n_spans": 4}
    ),
    "11-exact-duplicates": Case(100, TWO.own, request={"n_spans": 2}),
    "12-negative-duration": Case(100, {"chat": 60, "retrieve": 40}, ["negative_duration"]),
    "13-self-parent": Case(100, {"chat": 50, "generate": 50}, ["parent_cycle"]),
    "14-root-ends-before-stream": Case(
        900,
        {"POST /v1/chat": 10, "chat example-model": 890},
        ["root_ended_early"],
        {
            "raw_e2e_ns": 50 * MS, "ttft_ns": 310 * MS, "ttft_source": "client_chunk",
            "tpot_ns": 10 * MS, "model_ns": 300 * MS, "decode_ns": 590 * MS,
        },
    ),
    "15-follows-from": Case(
        100, {"chat": 70, "generate": 30}, ["follows_from"], {"n_async": 1}
    ),
    "16-clock-skew": Case(
        100,
        {"call-engine": 40, "infer": 60},
        ["skew_corrected"],
        {"internal_network_ns": 40 * MS},
    ),
    "19-first-token-equals-end": Case(
        2000,
        {"llm": 2000},
        ["first_token_at_end"],
        {"ttft_ns": None, "tpot_ns": None, "model_ns": 2000 * MS, "ttft_model_ns": None},
    ),
    "20-first-token-after-end": Case(
        3000,
        {"llm": 3000},
        ["first_token_outside_span"],
        {"ttft_ns": None, "tpot_ns": None, "model_ns": 3000 * MS, "decode_ns": 0},
    ),
}  # fmt: skip


def own_ms(found: Derived, trace_id: str | None = None) -> dict[str, float]:
    """Self time by span name, without spans that own nothing."""
    own: dict[str, float] = {}
    for span in found.spans.to_pylist():
        if trace_id in (None, span["trace_id"]) and span["self_ns"]:
            own[span["name"]] = own.get(span["name"], 0) + span["self_ns"] / MS
    return own


@pytest.mark.parametrize("name", CASES)
def test_a_file_of_one_request_has_its_right_outcome(shared, name):
    case = CASES[name]
    found = derived(shared / "cases" / f"{name}.json")
    (row,) = found.requests.to_pylist()
    assert row["e2e_ns"] == case.e2e * MS
    assert own_ms(found) == case.own
    assert row["flags"] == case.flags
    assert {key: row[key] for key in case.request} == case.request


def test_kinds_and_statuses_are_read_as_written(shared):
    spans = derived(shared / "cases" / "03-enum-names-and-numbers.json").spans.to_pylist()
    assert [span["kind"] for span in spans] == ["server", "client", "unspecified"]
    assert sorted(span["status"] for span in spans) == ["error", "ok", "unset"]


def test_a_64_bit_number_keeps_its_last_digit(shared):
    (span,) = derived(shared / "cases" / "04-int64-as-string.json").spans.to_pylist()
    assert '"app.big":9223372036854775807' in span["attributes"]


def test_a_server_half_hangs_under_its_client_half(shared):
    spans = derived(shared / "cases" / "10-zipkin-shared-span.json").spans.to_pylist()
    key = {span["name"]: span["key"] for span in spans}
    above = {span["name"]: span["parent_key"] for span in spans}
    assert above["generate"] == key["route"]
    assert above["route"] == key["call-gateway"]


def test_nobody_waits_for_an_audit_log(shared):
    spans = derived(shared / "cases" / "15-follows-from.json").spans.to_pylist()
    audit = next(span for span in spans if span["name"] == "write-audit-log")
    assert not audit["blocking"]
    assert audit["end_ns"] - T0 == 400 * MS
    assert "skew_corrected" not in audit["flags"]


def test_without_correction_a_skewed_server_lies_outside(shared):
    found = derived(shared / "cases" / "16-clock-skew.json", correct_clocks=False)
    assert own_ms(found) == {"call-engine": 100}
    assert found.requests.to_pylist()[0]["flags"] == ["outside_parent"]


def test_a_skewed_server_moves_by_the_smallest_shift_that_fits(shared):
    found = derived(shared / "cases" / "16-clock-skew.json")
    infer = next(span for span in found.spans.to_pylist() if span["name"] == "infer")
    assert (infer["start_ns"] - T0, infer["end_ns"] - T0) == (0, 60 * MS)
    (flag,) = found.flags.to_pylist()
    assert (flag["flag"], flag["amount_ns"]) == ("skew_corrected", 200 * MS)


def test_overlapping_siblings_leave_their_parent_only_what_is_its_own(shared):
    found = derived(shared / "cases" / "17-overlapping-siblings.json")
    first, second = found.requests.to_pylist()
    own = own_ms(found, first["trace_id"])
    assert own == {"handle": 0.1, "fetch-docs": 180, "generate": 269.9}
    assert own_ms(found, second["trace_id"]) == {"B": 40, "C": 60}


def test_one_fact_in_three_places_gives_three_equal_requests(shared):
    found = derived(shared / "cases" / "18-first-token-signals.json")
    for row in found.requests.to_pylist():
        assert (row["ttft_ns"], row["model_ns"], row["decode_ns"]) == (250 * MS, 250 * MS, 750 * MS)
        assert row["tpot_ns"] == 10 * MS
    keys = [call["marks"] for call in found.calls.to_pylist()]
    assert "ai.response.msToFirstChunk" in keys[1]
    assert "gen_ai.response.time_to_first_chunk" in keys[2]
    assert len(set(keys)) == 3


def real_files() -> list[str]:
    from conftest import shared_files

    return [str(path) for folder in REAL for path in shared_files(f"real/{folder}/*")]


@pytest.mark.parametrize("path", real_files(), ids=lambda path: Path(path).name)
def test_real_exports_add_up_in_any_order(path):
    if Path(path).name.startswith("v1_"):
        pytest.skip("Zipkin version 1 is recognised but not read")
    found = derived(Path(path))
    assert found.requests.num_rows > 0
    table = records(Path(path))
    turned = table.take(pa.array(range(len(table) - 1, -1, -1)))
    assert derive(turned, default_rules()) == found
