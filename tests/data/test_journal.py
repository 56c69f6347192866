"""What was acknowledged outlives a crash; what was cut off is not taken for it."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from data import journal
from data.journal import Journal


def table(*values):
    return pa.table({"value": list(values)})


def kept(folder):
    return [held["value"].to_pylist() for _file, held in Journal(folder).replay()]


def test_what_was_synced_is_there_after_a_crash(tmp_path):
    first = Journal(tmp_path)
    for number in range(5):
        first.sync(first.write(table(number, number + 1))[1])
    assert kept(tmp_path) == [[number, number + 1] for number in range(5)]


def test_a_forgotten_file_is_gone_and_the_others_stay(tmp_path):
    held = Journal(tmp_path)
    done, _ticket = held.write(table(1))
    assert held.turn() == done
    held.write(table(2))
    held.forget(done)
    assert kept(tmp_path) == [[2]]


def test_a_new_process_writes_beside_what_was_left(tmp_path):
    Journal(tmp_path).write(table(1))
    again = Journal(tmp_path)
    again.write(table(2))
    assert [held["value"].to_pylist() for _file, held in again.replay()] == [[1]]
    assert kept(tmp_path) == [[1], [2]]


@pytest.mark.parametrize("lost", [1, 7, 200])
def test_a_frame_that_was_cut_off_hides_none_before_it(tmp_path, lost):
    held = Journal(tmp_path)
    file = held.write(table(1))[0]
    held.write(table(*range(1000)))
    path = tmp_path / f"{file:012d}.batches"
    os.truncate(path, path.stat().st_size - lost)
    assert kept(tmp_path) == [[1]]


def test_a_frame_that_was_damaged_is_not_read(tmp_path):
    held = Journal(tmp_path)
    file = held.write(table(1))[0]
    path = tmp_path / f"{file:012d}.batches"
    body = bytearray(path.read_bytes())
    body[40] ^= 1
    path.write_bytes(body)
    assert kept(tmp_path) == []


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    held = Journal(tmp_path)
    held.write(table(1))
    real = held._file

    class Full:
        def write(self, frame):
            real.write(frame[:50])
            raise OSError(errno.ENOSPC, "No space left on device")

        def __getattr__(self, name):
            return getattr(real, name)

    held._file = Full()
    with pytest.raises(OSError, match="No space"):
        held.write(table(2))
    held._file = real
    held.write(table(3))
    assert kept(tmp_path) == [[1], [3]]


def test_a_disk_that_takes_no_other_file_leaves_the_present_one_in_use(tmp_path, monkeypatch):
    held = Journal(tmp_path)
    held.write(table(1))
    with monkeypatch.context() as full:
        full.setattr(held, "_opened", lambda _number: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(OSError, match="full"):
            held.turn()
    held.write(table(2))
    assert kept(tmp_path) == [[1], [2]]


def test_threads_that_sync_together_share_flushes(tmp_path, monkeypatch):
    flushed = []
    real = os.fdatasync
    monkeypatch.setattr(journal.os, "fdatasync", lambda handle: flushed.append(real(handle)))
    held = Journal(tmp_path)
    tickets = [held.write(table(number))[1] for number in range(64)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(held.sync, tickets))
    assert len(flushed) == 1
    assert len(kept(tmp_path)) == 64


def test_a_closed_journal_leaves_no_empty_file(tmp_path):
    Journal(tmp_path).close()
    assert list(tmp_path.iterdir()) == []
