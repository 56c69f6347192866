"""Limits come from the environment or the command; a sweep says first what would go."""

import pytest
from builders import spans
from stores_of_files import empty_store, export, imported

from analysis.errors import UserError
from data import writing
from data.store import Limits
from services import retention
from services.commands import run


@pytest.fixture(autouse=True)
def no_limits(monkeypatch):
    monkeypatch.delenv(retention.DAYS, raising=False)
    monkeypatch.delenv(retention.GIGABYTES, raising=False)


@pytest.fixture
def store(tmp_path):
    """One request, imported and ended long ago."""
    held = empty_store()
    imported(held, export(tmp_path, "a.json", spans("a . web server 0 100 chat")))
    with writing.transaction(held._writer):
        held._writer.execute("UPDATE imports SET added_ns = 0")
        held._writer.execute("UPDATE records SET start_ns = 1, end_ns = 2")
    return held


def test_without_a_limit_there_is_nothing_to_sweep_by(store):
    with pytest.raises(UserError, match="SLOWPATH_KEEP_DAYS"):
        run(store, "sweep", {"yes": True})


@pytest.mark.parametrize("given", ["seven", "nan", "inf", "0", "-3", "1e308"])
def test_a_limit_that_is_no_sensible_number_is_refused(monkeypatch, given):
    monkeypatch.setenv(retention.DAYS, given)
    with pytest.raises(UserError, match=r"0.01 to 36,500"):
        retention.limits()


def test_limits_are_read_from_the_environment(monkeypatch):
    assert retention.limits() == Limits()
    monkeypatch.setenv(retention.DAYS, "7")
    monkeypatch.setenv(retention.GIGABYTES, "1.5")
    assert retention.limits() == Limits(days=7.0, bytes=1_500_000_000)


def test_only_yes_removes(store, monkeypatch):
    monkeypatch.setenv(retention.DAYS, "30")
    would = run(store, "sweep", {})
    assert (would["removed"], would["requests"], would["days"]) == (False, 1, 30)
    assert len(store.query("latency")) == 1
    did = run(store, "sweep", {"yes": True})
    assert did == would | {"removed": True}
    assert store.query("latency").empty


def test_a_sweeper_sweeps_by_the_environment_and_says_what_fails(store, monkeypatch):
    monkeypatch.setenv(retention.DAYS, "30")
    failing = retention.Sweeper(lambda: None)
    failing.once()
    assert "AttributeError" in failing.error
    sweeper = retention.Sweeper(lambda: store)
    sweeper.once()
    assert (sweeper.error, store.query("latency").empty) == (None, True)


def test_a_sweeper_without_limits_begins_nothing(store):
    sweeper = retention.Sweeper(lambda: store)
    sweeper.start()
    sweeper.stop()
    assert len(store.query("latency")) == 1


def test_what_is_on_disk_counts_the_journal(store, tmp_path):
    folder = tmp_path / "x.duckdb.received"
    folder.mkdir()
    (folder / "000000000001.batches").write_bytes(b"x" * 1000)
    found = retention.on_disk(store, tmp_path / "x.duckdb")
    assert (found["waiting"], found["pins"], found["last"]) == (1000, 0, None)
