"""Killed at any moment: what was acknowledged is there once."""

import multiprocessing
import random
import time

import pytest
from builders import spans
from otlp_bodies import protobuf
from stores_of_files import otlp_document

from collectors import PROTOBUF
from data.filters import Filters
from data.rules_file import default_rules
from data.store import Store
from services import quiet
from services import receiver as receiving
from services.receiver import Receiver
from services.request_list import page

KILLS = 50
HURRY = {"QUIET_S": 0.05, "LONGEST_S": 0.2}


def receive_until_killed(pipe, folder):
    """A process with a store and a receiver, which acknowledges body after body."""
    for name, value in HURRY.items():
        setattr(quiet, name, value)
    receiving.TICK_S = 0.02
    store = Store(folder / "app.duckdb", default_rules())
    receiver = Receiver(lambda: store, folder / "received")
    receiver.start()
    pipe.send_bytes(b"ready")
    while True:
        receiver.take("traces", PROTOBUF, pipe.recv_bytes())
        pipe.send_bytes(b"acknowledged")


def trace(number):
    lines = ("r . api server 0 100 chat", "c r api client 10 90 call")
    return f"{number:032x}", protobuf(otlp_document(spans(*lines, trace_id=f"{number:032x}")))


def send(pipe, numbers, until):
    """The traces that were acknowledged in time."""
    acknowledged = []
    while time.monotonic() < until:
        name, body = trace(next(numbers))
        pipe.send_bytes(body)
        if not pipe.poll(max(0.0, until - time.monotonic())):
            break
        pipe.recv_bytes()
        acknowledged.append(name)
    return acknowledged


@pytest.fixture(scope="module")
def forks():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["services.receiver", "data.store", "data.rules_file"])
    return context


def killed(forks, folder, numbers, seconds):
    here, there = forks.Pipe()
    process = forks.Process(target=receive_until_killed, args=(there, folder), daemon=True)
    process.start()
    assert here.poll(60)
    here.recv_bytes()
    acknowledged = send(here, numbers, time.monotonic() + seconds)
    process.kill()
    process.join()
    return acknowledged


def test_killed_at_random_moments_every_acknowledged_span_is_there_once(forks, tmp_path):
    chance, numbers, acknowledged = random.Random(7), iter(range(1, 10**6)), []
    for _kill in range(KILLS):
        acknowledged += killed(forks, tmp_path, numbers, chance.uniform(0.01, 0.4))
    store = Store(tmp_path / "app.duckdb", default_rules())
    receiver = Receiver(lambda: store, tmp_path / "received")
    receiver.stop()
    found = [row["trace_id"] for row in page(store, Filters(), limit=10**6)[0]]
    sizes = store.query("imports")["spans"].sum()
    store.close()
    assert len(acknowledged) > KILLS
    assert set(acknowledged) <= set(found)
    assert len(found) == len(set(found))
    assert sizes == 2 * len(found)
