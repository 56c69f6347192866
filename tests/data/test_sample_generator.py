"""The sample is reproducible, physically possible, and shows what it promises to show."""

import gzip
import json
from collections import Counter, defaultdict

import numpy as np
import pytest

from data.samples.export import RESENT
from data.samples.generate import export, main
from data.samples.places import DAY_NS, SKEW_NS, SKEWED_HOST
from data.samples.replica import BETA_NS, MAX_NUM_SEQS
from data.samples.simulator import SEED, simulate
from data.samples.workload import HOUR_NS, QUIRKS

LEFT_OUT = ("root_lost", "no_end")
OUTLIVES = ("audit_export", "process audit-events")


@pytest.fixture(scope="module")
def requests():
    return simulate()


@pytest.fixture(scope="module")
def text(requests):
    return export(requests, SEED)


@pytest.fixture(scope="module")
def records(text):
    """(line, resource attributes, span) for every span record, in the order of the file."""
    found = []
    for number, line in enumerate(text.splitlines()):
        for block in json.loads(line)["resourceSpans"]:
            resource = {a["key"]: a["value"] for a in block["resource"]["attributes"]}
            for scope in block["scopeSpans"]:
                found += [(number, resource, span) for span in scope["spans"]]
    return found


def quirky(requests, name):
    return [request for request in requests if request.order.quirk == name]


def stage_shares(requests, low, high):
    measured = [request for request in requests if request.order.quirk not in LEFT_OUT]
    lengths = [request.e2e_ns for request in measured]
    lo, hi = np.percentile(lengths, [low, high])
    total = Counter()
    for request in measured:
        if lo <= request.e2e_ns <= hi:
            total.update(request.true_stages)
    return {stage: spent / total.total() for stage, spent in total.items()}


def test_the_committed_file_is_what_the_generator_writes(samples, text):
    packed = (samples / "sample.json.gz").read_bytes()
    assert gzip.decompress(packed) == text
    assert packed[4:8] == b"\0\0\0\0", "the time of packing is not in the file"
    assert len(packed) < 1_500_000


def test_the_seed_decides_everything(text):
    assert export(simulate(), SEED) == text
    assert export(simulate(SEED + 1, 40), SEED + 1) != export(simulate(SEED, 40), SEED)


def test_the_command_writes_plain_text_and_scales(tmp_path, capsys):
    main(["--requests", "30", "--scale", "2", "--seed", "3", "--out", str(tmp_path / "a.jsonl")])
    assert "60 requests" in capsys.readouterr().out
    lines = (tmp_path / "a.jsonl").read_bytes().splitlines()
    starts = [int(start) for line in lines for start in _starts(json.loads(line))]
    assert max(starts) - min(starts) > HOUR_NS


def _starts(document):
    for block in document["resourceSpans"]:
        for scope in block["scopeSpans"]:
            yield from (span["startTimeUnixNano"] for span in scope["spans"])


def test_an_hour_holds_480_requests_of_two_applications(requests):
    routes = Counter(request.order.route for request in requests)
    assert len(requests) == 480
    assert min(routes["/chat"], routes["/search"]) > 120
    assert all(0 <= r.order.at_ns - DAY_NS < HOUR_NS for r in requests)
    assert len({r.trace_id for r in requests}) == 480
    assert 14_000 < sum(len(r.spans) for r in requests) < 20_000


def test_the_truth_tiles_every_request(requests):
    for request in requests:
        assert sum(request.true_stages.values()) == request.e2e_ns > 0
        assert request.ttft_ns is None or 0 < request.ttft_ns <= request.e2e_ns


def test_children_lie_inside_their_parents_apart_from_what_is_meant_not_to(requests):
    for request in requests:
        spans = {span.span_id: span for span in request.spans}
        for span in request.spans:
            parent = spans.get(span.parent_id)
            if parent is None or span.name in OUTLIVES:
                continue
            assert parent.start_ns <= span.start_ns <= span.end_ns
            ended_at_headers = parent.scope.endswith("httpx") or request.order.quirk == "headers"
            assert ended_at_headers or span.end_ns <= parent.end_ns, span.name


def model_calls(requests):
    return [r.job for r in requests if r.job is not None and not r.job.failed]


def test_no_replica_runs_more_sequences_than_it_may(requests):
    steps = defaultdict(list)
    for job in model_calls(requests):
        steps[job.replica] += [(job.scheduled_ns, 1), (job.last_token_ns, -1)]
    for changes in steps.values():
        running = np.cumsum([change for _, change in sorted(changes)])
        assert running.max() == MAX_NUM_SEQS


def test_a_call_waits_only_for_calls_that_hold_its_replica(requests):
    calls = model_calls(requests)
    waited = [job for job in calls if job.scheduled_ns > job.queued_ns]
    assert len(waited) > 60
    for job in waited:
        peers = [p for p in calls if p is not job and p.replica == job.replica]
        just_before = job.scheduled_ns - 1
        running = [p for p in peers if p.scheduled_ns <= just_before < p.last_token_ns]
        prefilling = [p for p in running if p.first_token_ns > just_before]
        assert len(running) >= MAX_NUM_SEQS or prefilling


def test_no_token_is_faster_than_the_card(requests):
    for job in model_calls(requests):
        decode_ns = job.last_token_ns - job.first_token_ns
        assert decode_ns >= (job.output_tokens - 1) * BETA_NS - 1
        assert job.at_ns <= job.admitted_ns <= job.engine_ns < job.queued_ns <= job.scheduled_ns


def test_the_tail_waits_while_the_median_decodes(requests):
    median, tail = stage_shares(requests, 45, 55), stage_shares(requests, 93, 97)
    assert max(median, key=median.get) == "decode"
    assert max(tail, key=tail.get) == "request_queue"
    assert tail["request_queue"] > 0.4
    assert tail["request_queue"] > 8 * median["request_queue"]


def test_the_hot_replica_stands_out_among_the_slow(requests):
    answered = [r for r in requests if r.job is not None and not r.job.failed]
    answered.sort(key=lambda request: request.e2e_ns)
    cut = len(answered) * 9 // 10
    rest, slow = ([r.job.replica == 2 for r in part] for part in (answered[:cut], answered[cut:]))
    assert np.mean(slow) > 1.4 * np.mean(rest)


def test_a_few_requests_are_retried_fail_or_meet_a_cold_start(requests):
    cold = [r for r in requests if r.job is not None and r.job.cold_ns]
    assert 0.02 < sum(r.retried for r in requests) / len(requests) < 0.07
    assert 3 <= len(cold) <= 12
    assert all(r.true_stages["autoscale_cold_start"] > 0 for r in cold)
    assert 2 <= sum(r.failed for r in requests) <= 20


def test_every_stage_of_the_path_takes_part(requests):
    seen = {stage for request in requests for stage in request.true_stages}
    assert seen >= {
        "client_network", "cdn_edge", "api_gateway", "auth_rate_limit", "mesh_sidecar",
        "internal_network", "connection_setup", "routing", "request_queue", "prefill", "decode",
        "autoscale_cold_start", "retries_backoff", "guardrails", "datastore", "retrieval",
        "embedding_rerank", "pre_post_processing", "tokenize_detokenize", "app_logic",
        "observability_export",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "count"), QUIRKS.items())
def test_each_quirk_is_there(requests, name, count):
    assert len(quirky(requests, name)) == count


def test_lost_roots_leave_orphans(requests):
    for request in quirky(requests, "beacon_lost") + quirky(requests, "root_lost"):
        ids = {span.span_id for span in request.spans}
        assert "" not in {span.parent_id for span in request.spans}
        orphans = [span for span in request.spans if span.parent_id not in ids]
        assert (len(orphans) == 1) == (request.order.quirk == "beacon_lost")


def test_some_roots_end_at_the_headers_and_some_never(requests, records):
    for request in quirky(requests, "headers"):
        assert request.spans[0].end_ns < request.end_ns
    unended = {s["traceId"] for _, _, s in records if s["endTimeUnixNano"] == "0"}
    assert unended == {request.trace_id for request in quirky(requests, "no_end")}


def test_one_host_runs_ahead(requests, records):
    true_starts = {span.span_id: span.start_ns for r in requests for span in r.spans}
    off = defaultdict(set)
    for _, resource, span in records:
        host = resource.get("host.name", {}).get("stringValue")
        off[host].add(int(span["startTimeUnixNano"]) - true_starts[span["spanId"]])
    assert off.pop(SKEWED_HOST) == {SKEW_NS}
    assert len(off.pop(None)) > 1, "some browsers have clocks of their own"
    assert set().union(*off.values()) == {0}


def test_two_services_send_some_batches_twice(records):
    copies = Counter(span["spanId"] for _, _, span in records)
    again = {r["service.name"]["stringValue"] for _, r, s in records if copies[s["spanId"]] > 1}
    assert again == set(RESENT)
    assert max(copies.values()) == 2


def test_a_trace_is_scattered_and_children_come_first(records):
    lines, order = defaultdict(set), {}
    for place, (line, _, span) in enumerate(records):
        lines[span["traceId"]].add(line)
        order.setdefault(span["spanId"], place)
    assert np.median([len(found) for found in lines.values()]) >= 3
    children = [s for _, _, s in records if s["parentSpanId"] in order]
    before = [order[s["spanId"]] < order[s["parentSpanId"]] for s in children]
    assert np.mean(before) > 0.5


def test_the_version_changes_once(requests):
    for service in ("chat-api", "assistant-api"):
        served = [s for r in requests for s in r.spans if s.place.service == service]
        pods = defaultdict(list)
        for span in sorted(served, key=lambda span: span.start_ns):
            pods[span.place.instance].append(span.place.version)
        assert len({version for found in pods.values() for version in found}) == 2
        for found in pods.values():
            assert found == sorted(found, key=found.index), "an old version came back"


def test_numbers_are_written_as_protojson_writes_them(records):
    for _, _, span in records:
        assert isinstance(span["startTimeUnixNano"], str)
        for attribute in span["attributes"]:
            assert isinstance(attribute["value"].get("intValue", ""), str)
    digits = [int(span["startTimeUnixNano"]) % 1000 for _, _, span in records]
    assert np.mean([digit == 0 for digit in digits]) < 0.06, "only browsers round their clocks"


def test_it_carries_no_prompt_but_the_few_planted_contents(requests, records):
    planted = {request.trace_id for request in quirky(requests, "content")}
    carrying = set()
    for _, _, span in records:
        for attribute in span["attributes"]:
            text = attribute["value"].get("stringValue", "")
            assert len(text) < 120
            if "messages" in attribute["key"]:
                carrying.add(span["traceId"])
                assert "sample text that an importer must not keep" in text
    answered = {r.trace_id for r in quirky(requests, "content") if r.job is not None}
    assert carrying == answered <= planted


def test_the_system_prompt_repeats_and_is_seldom_found_in_the_cache(requests):
    calls = [request.order for request in requests if request.job is not None]
    shared = sum(order.system_tokens for order in calls)
    cached = sum(order.cached_tokens for order in calls)
    assert 0 < cached < 0.2 * shared < sum(order.prompt_tokens for order in calls)
