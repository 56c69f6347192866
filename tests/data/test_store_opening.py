import json
import os
import signal
import subprocess
import sys
import textwrap

import duckdb
import pytest
from conftest import ROOT
from stores import RULES, bring, contents, tiny_derive, tiny_store, trace

from analysis.errors import UserError
from analysis.rules import Rule, RuleSet
from data import opening
from data.store import Store, StoreLocked


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder that is not there yet" / "slow.duckdb"


def other_process(code: str, path) -> subprocess.Popen:
    """A second process that runs code with `path`, `tiny_store`, `bring` and `trace` at hand."""
    head = f"""
    import sys
    sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}, {str(ROOT / "tests/data")!r}]
    from stores import bring, tiny_store, trace
    path = {str(path)!r}
    """
    script = textwrap.dedent(head) + textwrap.dedent(code)
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)


def test_a_store_is_found_again_as_it_was_left(path):
    store = tiny_store(path)
    bring(store, "one", trace(1), trace(2))
    before, revision = contents(store), store.revision
    store.close()
    again = tiny_store(path)
    assert (contents(again), again.revision) == (before, revision)
    assert again.begin("one", "hash of one") is None


def test_a_pending_import_is_gone_after_a_new_opening(path):
    store = tiny_store(path)
    bring(store, "one", trace(1))
    before = contents(store)
    store.add(store.begin("two", "h"), trace(1, "z a web client 1 2 late"))
    store.close()
    again = tiny_store(path)
    assert contents(again) == before
    rows = again._connection.execute("SELECT count(*) FROM records").fetchall()
    assert rows == [(1,)]
    assert again._connection.execute("SELECT name FROM imports").fetchall() == [("one",)]


CRASHES = {
    "between two batches": """
        store.add(import_id, trace(1, "z a web client 1 2 late"))
        print("ready", flush=True); sys.stdin.read() or __import__("time").sleep(60)
    """,
    "while deriving": """
        def wait(done, total):
            print("ready", flush=True); __import__("time").sleep(60)
        store.add(import_id, trace(1, "z a web client 1 2 late"))
        store.settle(import_id, "x", [], {}, progress=wait)
    """,
}


@pytest.mark.parametrize("moment", CRASHES)
def test_a_process_killed_in_the_middle_of_an_import_leaves_the_store_as_before(path, moment):
    store = tiny_store(path)
    bring(store, "one", trace(1))
    before = contents(store)
    store.close()
    head = "store = tiny_store(path)\nimport_id = store.begin('two', 'h')\n"
    other = other_process(head + textwrap.dedent(CRASHES[moment]), path)
    assert other.stdout.readline() == "ready\n"
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    again = tiny_store(path)
    assert contents(again) == before
    assert again.query("imports").name.tolist() == ["one"]
    assert bring(again, "two", trace(2))[1].requests == 1


def test_a_file_that_another_process_holds_names_its_pid(path):
    tiny_store(path).close()
    other = other_process(
        "store = tiny_store(path); print('ready', flush=True); __import__('time').sleep(60)", path
    )
    assert other.stdout.readline() == "ready\n"
    try:
        with pytest.raises(StoreLocked, match=f"pid {other.pid}") as caught:
            tiny_store(path)
    finally:
        other.kill()
        other.wait()
    assert caught.value.pid == other.pid
    assert caught.value.where == str(path)


def test_where_the_message_names_no_pid_the_running_app_is_asked(tmp_path, monkeypatch):
    def locked(path, config):
        raise duckdb.IOException("Could not set lock on file: the file is in use")

    monkeypatch.setattr(duckdb, "connect", locked)
    path = tmp_path / "slow.duckdb"
    with pytest.raises(StoreLocked, match="another process") as caught:
        tiny_store(path)
    assert caught.value.pid is None
    (tmp_path / "slow.duckdb.app").write_text(json.dumps({"port": 1, "pid": 4711, "token": "x"}))
    with pytest.raises(StoreLocked, match="pid 4711"):
        tiny_store(path)


def test_a_newer_schema_version_is_refused_in_one_line_and_left_alone(path):
    store = tiny_store(path)
    bring(store, "one", trace(1))
    opening.note(store._writer, "schema_version", "999")
    store.close()
    with pytest.raises(UserError, match=r"slow.duckdb: expected .* found version 999") as caught:
        tiny_store(path)
    assert "\n" not in str(caught.value)
    connection = duckdb.connect(str(path))
    assert connection.execute("SELECT count(*) FROM requests").fetchall() == [(1,)]


def test_an_older_schema_version_has_its_derived_tables_rebuilt_with_progress(path):
    store = tiny_store(path)
    bring(store, "one", trace(1), trace(2))
    before = contents(store)
    opening.note(store._writer, "schema_version", "0")
    for change in ("DROP TABLE flags", "ALTER TABLE requests DROP COLUMN decode_ns"):
        store._writer.execute(change)
    store.close()
    told = []
    again = tiny_store(path, progress=lambda *state: told.append(state))
    assert contents(again) == before
    assert told == [(0, 2), (2, 2)]
    assert opening.facts(again._writer)["schema_version"] == str(opening.SCHEMA_VERSION)


def test_changed_columns_of_a_derived_table_rebuild_it(path):
    store = tiny_store(path)
    bring(store, "one", trace(1))
    opening.note(store._writer, "derived", "what it was")
    store._writer.execute("ALTER TABLE calls DROP COLUMN model")
    store.close()
    assert "model" in tiny_store(path).query("calls").columns


CHATS = RuleSet((Rule("chats", "tools", name="^chat$"),), hash="two")


def test_other_rules_derive_what_they_can_touch_again_and_the_same_ones_nothing(path):
    store = tiny_store(path)
    bring(store, "one", trace(1), trace(2, "a . web server 0 9 search"))
    revision = store.revision
    store.close()
    told = []
    changed = tiny_store(path, CHATS, progress=lambda *s: told.append(s))
    assert sorted(changed.query("latency").version) == ["one", "two"]
    assert (told[-1], changed.revision) == ((1, 1), revision + 1)
    changed.close()
    told.clear()
    tiny_store(path, CHATS, progress=lambda *s: told.append(s))
    assert told == []


def test_where_it_is_not_known_what_the_rules_were_all_is_derived_again(path):
    store = tiny_store(path)
    bring(store, "one", trace(1), trace(2, "a . web server 0 9 search"))
    opening.note(store._writer, "rule_set", '{"hash": "one", "rules": [{"id": "of long ago"}]}')
    store.close()
    changed = tiny_store(path, CHATS)
    assert changed.query("latency").version.tolist() == ["two", "two"]


def test_a_rebuild_that_is_cancelled_leaves_the_file_as_it_was(path):
    store = tiny_store(path)
    bring(store, "one", trace(1))
    before = contents(store)
    store.close()

    def cancel(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        tiny_store(path, RuleSet((), hash="two"), progress=cancel)
    assert contents(tiny_store(path)) == before


@pytest.mark.parametrize("what", ["a text file", "a folder", "a database of something else"])
def test_what_is_no_database_of_ours_is_an_error_of_the_user(tmp_path, what):
    path = tmp_path / "x.duckdb"
    if what == "a text file":
        path.write_text("no database\n" * 1000)
    elif what == "a folder":
        path.mkdir()
    else:
        connection = duckdb.connect(str(path))
        connection.execute("CREATE TABLE theirs (a INT)")
        connection.close()
    with pytest.raises(UserError, match=r"x\.duckdb"):
        tiny_store(path)


def test_the_memory_limit_is_set_and_no_other_file_can_be_read(path):
    store = Store(path, RULES, memory_limit="300MB", derive=tiny_derive)
    limit = "SELECT current_setting('memory_limit')"
    assert store._connection.execute(limit).fetchall()[0][0].startswith("286")
    with pytest.raises(duckdb.PermissionException):
        store._connection.execute("FROM read_csv('/etc/passwd')")


def test_a_file_that_keeps_slices_in_a_table_of_their_own_is_rebuilt(path):
    store = tiny_store(path)
    bring(store, "one", trace(1), trace(2))
    before = contents(store)
    opening.note(store._writer, "schema_version", "3")
    for change in ("DROP VIEW segments", "CREATE TABLE segments AS SELECT 1 AS start_ns"):
        store._writer.execute(change)
    store.close()
    assert contents(tiny_store(path)) == before
