import threading

from stores import bring, tiny_derive, tiny_store, trace


def test_readers_see_an_import_whole_or_not_at_all(monkeypatch):
    monkeypatch.setattr("data.writing.BATCH_RECORDS", 1)
    store, seen, failures, settled = tiny_store(), set(), [], threading.Event()
    bring(store, "one", trace(1))

    def read():
        try:
            while not settled.is_set():
                seen.add((store.query("time_range").n[0], len(store.query("segments"))))
        except Exception as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    bring(store, "two", *(trace(number) for number in range(1, 30)))
    seen.add((store.query("time_range").n[0], len(store.query("segments"))))
    settled.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert {n for n, _ in seen} == {1, 29}
    assert {n for _, n in seen} == {1, 29}


def test_a_reader_beside_a_running_settle_sees_the_state_before():
    store, during = tiny_store(), []
    bring(store, "one", trace(1))

    def watch(done, total):
        reader = threading.Thread(target=lambda: during.append(store.query("latency").shape[0]))
        reader.start()
        reader.join(10)

    import_id = store.begin("two", "h")
    store.add(import_id, trace(2))
    store.settle(import_id, "x", [], {}, progress=watch)
    assert during == [1, 1]
    assert store.query("latency").shape[0] == 2


def test_imports_from_several_threads_all_arrive():
    store, failures = tiny_store(), []

    def write(first):
        try:
            for number in range(first, first + 5):
                bring(store, f"import {number}", trace(number))
        except Exception as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(first,)) for first in (1, 11, 21)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    assert store.query("imports").shape[0] == store.query("latency").shape[0] == 15
    assert store.query("imports").import_id.is_unique


def test_two_imports_that_are_open_at_once_stay_apart():
    store = tiny_store()
    one, two = store.begin("one", "1"), store.begin("two", "2")
    store.add(one, trace(1))
    store.add(two, trace(1, "z a web client 1 2 late"))
    store.settle(one, "x", [], {})
    assert store.query("latency").n_spans.tolist() == [1]
    store.settle(two, "x", [], {})
    assert store.query("latency").n_spans.tolist() == [2]


def test_deriving_a_bad_trace_is_loud_and_leaves_the_lock_free():
    store = tiny_store()
    store._derive = lambda records, rules: 1 / 0
    import_id = store.begin("one", "h")
    store.add(import_id, trace(1))
    failures = []

    def settle():
        try:
            store.settle(import_id, "x", [], {})
        except ZeroDivisionError as error:
            failures.append(error)

    thread = threading.Thread(target=settle)
    thread.start()
    thread.join(10)
    assert len(failures) == 1
    store._derive = tiny_derive
    assert store.settle(import_id, "x", [], {}).requests == 1
