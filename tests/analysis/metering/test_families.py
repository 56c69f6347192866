"""Every family that is known has one meaning, and every one that is asked for has a row."""

import re

import pytest

from analysis.metering.family import LAYERS, ROLES, SCALE_NS, plain
from analysis.metering.known import FAMILIES, LAYER_OF, UNMAPPED, family_of
from analysis.stages import STAGES
from collectors.sources.families import HISTOGRAMS, SINGLE
from words.emitter_names import EMITTERS

ADMIN = {"envoy_http_conn_manager_prefix": "admin"}
ANY = {"stage": "decode_forward", "reporter": "source"}


def known(name):
    labels = ANY | ({"stage": "route"} if name.startswith("dynamo") else {})
    unmapped = {plain(one) for one in UNMAPPED}
    return family_of(name, labels) is not None or plain(name) in unmapped


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{f.emitter} {f.name} {f.labels}")
def test_a_row_is_whole(family):
    assert family.role in ROLES
    assert {family.stage, family.rest} <= set(STAGES)
    if family.role in ("whole", "part", "ttft"):
        assert family.unit in SCALE_NS
        assert LAYER_OF[family.emitter] in LAYERS
    assert EMITTERS[family.emitter]
    assert bool(family.cause) == (family.role == "cause")
    assert not family.counted_by or family_of(family.counted_by, {}) is not None


def test_what_contains_a_family_is_of_the_same_emitter_and_leads_to_a_whole():
    rows = {(f.emitter, f.name): f for f in FAMILIES if f.role in ("whole", "part")}
    wholes = {(f.emitter, f.name) for f in FAMILIES if f.role == "whole"}
    for family in FAMILIES:
        at, steps = family.within, 0
        while at and (family.emitter, at) not in wholes:
            at, steps = rows[family.emitter, at].within, steps + 1
            assert steps < 5
        assert bool(at) == bool(family.within)


@pytest.mark.parametrize("name", [*HISTOGRAMS, *SINGLE])
def test_what_a_prometheus_server_is_asked_for_has_a_meaning(name):
    assert known(name)


def test_the_reference_names_no_family_without_a_row(shared):
    text = (shared / "knowledge" / "telemetry.md").read_text(encoding="utf-8")
    section = text[text.index("## 2. Metrics") : text.index("## 3. ")]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    names = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    prefixes = (
        r"(vllm:|sglang:|tgi_|nv_|trtllm_|llamacpp:|gen_ai\.|dynamo_|litellm_|envoy_|istio_|kn\.)"
    )
    full = {re.sub(r"\{.*", "", name) for name in names if re.match(prefixes, name)}
    full = {name for name in full if not re.search(r"[*|_]$", name) and "*" not in name}
    assert len(full) > 60
    assert sorted(name for name in full if not known(name)) == []


@pytest.mark.parametrize(
    ("name", "labels", "emitter", "role"),
    [
        ("vllm:num_requests_waiting", {"server": "http://a"}, "prodstack", "cause"),
        ("vllm:num_requests_waiting", {"engine": "0"}, "vllm", "cause"),
        ("istio_request_duration_milliseconds", {"reporter": "source"}, "istio", "whole"),
        ("istio_request_duration_milliseconds", {"reporter": "destination"}, "istio", "part"),
        ("envoy_http_downstream_rq_time", ADMIN, "envoy", "apart"),
        ("gen_ai_server_request_duration_seconds", {}, "genai_server", "whole"),
        ("gen_ai.server.request.duration", {}, "genai_server", "whole"),
        ("vllm:num_preemptions_total", {}, "vllm", "cause"),
    ],
)  # fmt: skip
def test_labels_and_spellings_decide(name, labels, emitter, role):
    found = family_of(name, labels)
    assert (found.emitter, found.role) == (emitter, role)


def test_a_family_that_nobody_lists_is_none():
    assert family_of("python_gc_objects_collected_total", {}) is None
