"""What exporters send: on disk when acknowledged, in the store when its traces are quiet."""

import errno
import json

import pytest
from builders import spans
from otlp_bodies import protobuf
from stores_of_files import empty_store, imported, otlp_document, raw

from analysis.errors import UserError
from collectors import JSON, PROTOBUF
from data.filters import Filters
from services import receiver as receiving
from services.quiet import LONGEST_S, QUIET_S
from services.receiver import BusyError, Receiver
from services.request_list import page

LINES = ("r . api server 0 100 chat", "c r api client 10 90 call", "s c engine server 20 80 infer")
TRACES = [f"{number:032x}" for number in range(1, 5)]


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store():
    return empty_store()


@pytest.fixture
def receiver(store, tmp_path, clock):
    return Receiver(lambda: store, tmp_path / "received", clock)


def body(*lines, trace_id=TRACES[0]):
    return protobuf(otlp_document(spans(*lines, trace_id=trace_id)))


def requests(store):
    rows = page(store, Filters(), limit=1000)[0]
    return sorted((row["trace_id"], row["e2e_ns"], tuple(row["stages"].items())) for row in rows)


@pytest.fixture
def whole(tmp_path):
    """The requests of one import of all traces."""
    batches = [spans(*LINES, trace_id=trace) for trace in TRACES]
    held, content = empty_store(), json.dumps(otlp_document(*batches)).encode()
    imported(held, raw(tmp_path, "whole.json", content))
    return requests(held)


def data_sets(store):
    return store.query("imports").to_dict("records")


def test_a_trace_is_stored_once_it_is_quiet(receiver, store, clock):
    receiver.take("traces", PROTOBUF, body(*LINES))
    clock.now += QUIET_S - 0.1
    receiver.tick()
    assert requests(store) == []
    assert receiver.status().waiting == 3
    clock.now += 0.1
    receiver.tick()
    assert len(requests(store)) == 1
    assert receiver.status().waiting == 0


def test_a_busy_trace_is_stored_after_a_while_and_then_amended(receiver, store, clock):
    step = QUIET_S / 2
    for turn in range(int(LONGEST_S / step) + 1):
        receiver.take("traces", PROTOBUF, body(f"s{turn} r api internal {turn} {turn + 1} step"))
        clock.now += step
        receiver.tick()
    assert [flags for _id, _e2e, flags in requests(store)] != []
    receiver.take("traces", PROTOBUF, body(f"r . api server 0 {turn + 2} agent"))
    receiver.tick(everything=True)
    assert [(e2e, len(data_sets(store))) for _id, e2e, _stages in requests(store)] == [
        ((turn + 2) * 1_000_000, 1)
    ]


def test_pieces_in_any_order_end_as_one_import_in_one_data_set(receiver, store, clock, whole):
    pieces = [(trace, line) for line in reversed(LINES) for trace in TRACES]
    for turn, (trace, line) in enumerate(pieces):
        receiver.take("traces", PROTOBUF, body(line, trace_id=trace))
        clock.now += (0.5, QUIET_S)[turn % 3 == 0]
        receiver.tick()
    receiver.tick(everything=True)
    assert requests(store) == whole
    assert [(row["format"], row["spans"]) for row in data_sets(store)] == [("otlp", 12)]


def test_json_and_protobuf_bring_the_same(receiver, store, clock, whole):
    for trace in TRACES:
        sent = json.dumps(otlp_document(spans(*LINES, trace_id=trace))).encode()
        receiver.take("traces", JSON, sent)
    receiver.tick(everything=True)
    assert requests(store) == whole


def test_what_a_crash_left_is_stored_by_the_next_process(receiver, store, tmp_path, clock, whole):
    for trace in TRACES[:2]:
        receiver.take("traces", PROTOBUF, body(*LINES, trace_id=trace))
    receiver.tick(everything=True)
    for trace in TRACES[2:]:
        receiver.take("traces", PROTOBUF, body(*LINES, trace_id=trace))
    next_one = Receiver(lambda: store, tmp_path / "received", clock)
    assert next_one.status().waiting == 6
    next_one.tick(everything=True)
    assert requests(store) == whole


def test_what_was_stored_before_a_crash_is_not_counted_twice(store, tmp_path, clock, monkeypatch):
    held = Receiver(lambda: store, tmp_path, clock)
    held.take("traces", PROTOBUF, body(*LINES))
    monkeypatch.setattr(held, "_release", lambda *_: None)  # dies before the journal forgets
    held.tick(everything=True)
    Receiver(lambda: store, tmp_path, clock).tick(everything=True)
    assert len(requests(store)) == 1
    assert [row["spans"] for row in data_sets(store)] == [3]


def test_the_journal_is_empty_once_all_is_stored(receiver, tmp_path):
    for trace in TRACES:
        receiver.take("traces", PROTOBUF, body(*LINES, trace_id=trace))
    receiver.stop()
    assert list((tmp_path / "received").iterdir()) == []


def test_what_is_left_out_is_told_to_the_sender_and_counted(receiver, store):
    document = otlp_document(spans(*LINES))
    document["resourceSpans"][1]["scopeSpans"][0]["spans"][0]["spanId"] = ""
    taken = receiver.take("traces", JSON, json.dumps(document).encode())
    assert taken.rejected == 1
    assert "spanId" in taken.reason
    receiver.tick(everything=True)
    rejected = json.loads(data_sets(store)[0]["rejected"])
    assert [row["count"] for row in rejected] == [1]
    assert receiver.status().rejected == 1


def test_a_body_of_another_kind_is_refused_and_leaves_nothing(receiver, tmp_path):
    with pytest.raises(UserError):
        receiver.take("traces", JSON, b"[1]")
    assert receiver.status().accepted == 0


def test_too_much_waiting_slows_the_sender_down(receiver, store, monkeypatch):
    monkeypatch.setattr(receiving, "MAX_HELD", 100)
    receiver.take("traces", PROTOBUF, body(*LINES))
    with pytest.raises(BusyError) as caught:
        receiver.take("traces", PROTOBUF, body(*LINES, trace_id=TRACES[1]))
    assert caught.value.full
    receiver.tick()
    receiver.take("traces", PROTOBUF, body(*LINES, trace_id=TRACES[1]))
    receiver.tick(everything=True)
    assert len(requests(store)) == 2


def test_a_full_disk_refuses_and_keeps_nothing(receiver, store, monkeypatch):
    def full(_table):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(receiver._journal, "write", full)
    with pytest.raises(BusyError) as caught:
        receiver.take("traces", PROTOBUF, body(*LINES))
    assert not caught.value.full
    assert receiver.status().waiting == 0


def test_what_the_store_refuses_is_kept_and_tried_again(receiver, store, monkeypatch, clock):
    receiver.take("traces", PROTOBUF, body(*LINES))
    with monkeypatch.context() as broken:
        broken.setattr(type(store), "settle", lambda *_a, **_k: 1 / 0)
        receiver.tick(everything=True)
    assert "ZeroDivisionError" in receiver.status().error
    assert receiver.status().waiting == 3
    receiver.tick(everything=True)
    assert len(requests(store)) == 1
    assert receiver.status().error is None


def test_a_journal_that_cannot_go_on_loses_nothing_and_is_told(receiver, store, monkeypatch):
    def full():
        raise OSError(errno.ENOSPC, "No space left on device")

    receiver.take("traces", PROTOBUF, body(*LINES))
    with monkeypatch.context() as broken:
        broken.setattr(receiver._journal, "turn", full)
        receiver.tick(everything=True)
    assert "No space left" in receiver.status().error
    assert receiver.status().waiting == 3
    receiver.tick(everything=True)
    assert (len(requests(store)), receiver.status().error) == (1, None)


def test_metrics_are_stored_at_the_next_turn(receiver, store):
    point = {"timeUnixNano": "1700000000000000000", "asInt": "7"}
    metric = {"name": "vllm:num_requests_waiting", "gauge": {"dataPoints": [point]}}
    document = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric]}]}]}
    receiver.take("metrics", PROTOBUF, protobuf(document, "metrics"))
    receiver.tick()
    assert [row["points"] for row in data_sets(store)] == [1]


def test_the_rate_is_that_of_the_last_ten_seconds(receiver, clock):
    receiver.take("traces", PROTOBUF, body(*LINES))
    assert receiver.status().spans_per_s == 0.3
    clock.now += 11
    assert receiver.status().spans_per_s == 0
    assert receiver.status().since_s == 11
