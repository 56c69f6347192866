"""What spans have in common is stored once, and goes with the last span that has it."""

import pytest
from stores import bring, contents, tiny_store, trace

from data import opening


def looks(store):
    return store._connection.execute("SELECT * EXCLUDE (look) FROM looks ORDER BY look").fetchall()


def test_spans_alike_share_a_look_over_imports_and_missing_services_are_alike_too():
    store = tiny_store()
    bring(store, "one", trace(1), trace(2))
    store._connection.execute("UPDATE looks SET service = NULL")
    bring(store, "two", trace(3))
    bring(store, "three", trace(4))
    assert [row[0] for row in looks(store)] == [None, "web"]
    services = store.query("spans").service
    assert services.isna().sum() == 2
    assert list(services.dropna()) == ["web", "web"]


def test_a_look_goes_with_the_last_span_that_has_it():
    store = tiny_store()
    kept, _ = bring(store, "one", trace(1))
    gone, _ = bring(store, "two", trace(2, "a . api server 0 100 other"))
    store.delete(gone)
    assert [row[2] for row in looks(store)] == ["chat"]
    store.delete(kept)
    assert looks(store) == []


def test_what_is_cancelled_leaves_no_look():
    store = tiny_store()
    import_id = store.begin("one", "h")
    store.add(import_id, trace(1))

    def cancel(done, total):
        if done == total:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        store.settle(import_id, "otlp_json", [], {}, progress=cancel)
    assert looks(store) == []


def test_a_file_that_keeps_spans_as_one_table_is_rebuilt(tmp_path):
    path = tmp_path / "old.duckdb"
    store = tiny_store(path)
    bring(store, "one", trace(1), trace(2))
    before = contents(store)
    opening.note(store._writer, "schema_version", "4")
    for change in (
        "DROP VIEW spans", "DROP TABLE span_rows", "DROP TABLE looks", "DROP SEQUENCE look_ids",
        "CREATE TABLE spans AS SELECT 1 AS start_ns",
    ):  # fmt: skip
        store._writer.execute(change)
    store.close()
    assert contents(tiny_store(path)) == before
