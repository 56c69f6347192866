"""A file comes in whole or not at all, and everything in it is accounted for."""

import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest
from builders import spans
from stores_of_files import empty_store, export, imported, otlp_document, raw

from analysis.errors import UserError
from data.filters import Filters
from services.imports import Source, import_file, import_files
from services.inputs import inputs
from services.progress import CancelledError
from services.request_list import every

CHAT = ("a . web server 0 100 chat", "b a web client 20 80 generate")
BAD = {
    "empty.json": (b"", "empty"),
    "page.json": (b"<!doctype html><html><body>x</body></html>", "HTML"),
    "cut.json": (b'{"resourceSpans": [{"resource": {', "JSON"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(64), "PNG"),
    "deep.json": (b"[" * 300 + b"]" * 300, "level"),
}


@pytest.fixture
def store():
    opened = empty_store()
    yield opened
    opened.close()


def test_an_import_says_what_came_and_what_did_not(store, tmp_path):
    answer = imported(store, export(tmp_path, "chat.json", spans(*CHAT), spans(CHAT[0])))
    (file,) = answer["files"]
    counts = (file["format"], file["spans"], file["new_spans"], file["duplicates"])
    assert counts == ("otlp_json", 2, 2, 1)
    assert (answer["requests"], answer["spans"], file["error"]) == (1, 2, None)


def test_importing_a_file_twice_changes_nothing(store, tmp_path):
    file = export(tmp_path, "chat.json", spans(*CHAT))
    first, before = imported(store, file), every(store, Filters())
    again = imported(store, file)
    assert every(store, Filters()) == before
    assert again["files"][0]["new_spans"] == 0
    assert again["spans"] == first["spans"]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_one_clear_line_and_leaves_the_store_as_it_was(store, tmp_path, name):
    imported(store, export(tmp_path, "chat.json", spans(*CHAT)))
    before = every(store, Filters())
    content, said = BAD[name]
    answer = imported(store, raw(tmp_path, name, content))
    error = answer["files"][0]["error"]
    assert said.lower() in error.lower()
    assert name in error
    assert "\n" not in error
    assert every(store, Filters()) == before
    assert len(store.query("imports")) == 1


def test_a_bad_file_does_not_cost_the_good_one_beside_it(store, tmp_path):
    answer = imported(
        store, raw(tmp_path, "bad.json", b"{"), export(tmp_path, "good.json", spans(*CHAT))
    )
    assert [bool(row["error"]) for row in answer["files"]] == [True, False]
    assert answer["requests"] == 1


def test_a_file_with_only_unusable_records_says_why_it_brought_nothing(store, tmp_path):
    document = otlp_document(spans(*CHAT))
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["startTimeUnixNano"] = "soon"
    document["resourceSpans"] = document["resourceSpans"][:1]
    answer = imported(store, raw(tmp_path, "bad.json", json.dumps(document).encode()))
    assert "startTimeUnixNano" in answer["files"][0]["error"]


def test_gzip_around_a_file_makes_no_difference(store, tmp_path):
    plain = json.dumps(otlp_document(spans(*CHAT))).encode()
    answer = imported(store, raw(tmp_path, "chat.json.gz", gzip.compress(plain)))
    assert answer["spans"] == 2


def test_a_cancelled_import_leaves_no_trace(store, tmp_path):
    def stop(_step):
        raise CancelledError

    with pytest.raises(CancelledError):
        import_files(store, [export(tmp_path, "chat.json", spans(*CHAT))], stop)
    assert every(store, Filters()) == []
    assert store.query("imports").empty


def names(*paths, stdin=b""):
    with inputs([str(path) for path in paths], io.BytesIO(stdin)) as files:
        return [(file.name, file.path.read_bytes()) for file in files]


def test_a_folder_gives_its_files_in_order_without_hidden_ones(tmp_path):
    for name in ("b.json", "a.json", ".hidden"):
        (tmp_path / name).write_text("{}")
    assert [Path(name).name for name, _content in names(tmp_path)] == ["a.json", "b.json"]


def test_an_empty_folder_is_told(tmp_path):
    with pytest.raises(UserError, match="an empty folder"):
        names(tmp_path)


def test_standard_input_and_pipes_are_kept_while_they_are_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_bytes(b"piped")).start()
    assert names("-", pipe, stdin=b"typed") == [("stdin", b"typed"), (str(pipe), b"piped")]


def test_a_path_that_is_not_there_does_not_cost_the_others(store, tmp_path):
    good = export(tmp_path, "chat.json", spans(*CHAT))
    with inputs(["nowhere.json", str(good.path)], io.BytesIO()) as files:
        missing, there = import_files(store, files)["files"]
    assert "nowhere.json" in missing["error"]
    assert there["error"] is None


def test_what_several_files_hold_together_is_counted_once(store, tmp_path):
    whole = export(tmp_path, "whole.json", spans(*CHAT))
    half = export(tmp_path, "half.json", spans(CHAT[0]))
    answer = imported(store, half, whole)
    assert [row["spans"] for row in answer["files"]] == [1, 2]
    assert (answer["requests"], answer["spans"]) == (1, 2)


def test_a_known_file_tells_what_it_told_the_first_time(store, tmp_path):
    late = "a . web server 0 100 chat", "b zz web client 20 80 generate"
    file = export(tmp_path, "chat.json", spans(*late), spans(late[0]))
    first, again = (imported(store, file)["files"][0] for _time in range(2))
    same = ("spans", "requests", "flags", "rejected", "dropped", "format", "data_set")
    assert {name: again[name] for name in same} == {name: first[name] for name in same}
    assert (again["new_spans"], again["duplicates"]) == (0, 3)
    assert first["flags"]


def test_prompts_and_credentials_are_dropped_and_counted(store, tmp_path):
    secret = {"gen_ai.input.messages": "hello", "http.request.header.authorization": "Bearer x"}
    file = export(tmp_path, "s.json", spans(CHAT[0], a={"attributes": secret}))
    answer = import_file(store, file)
    assert answer["dropped"]["content"] == 1
    assert sum(answer["dropped"].values()) == 2
    trace = every(store, Filters())[0]["trace_id"]
    assert "hello" not in str(store.records(trace).to_pylist())


def test_an_unreadable_file_is_one_clear_line(store, tmp_path):
    answer = imported(store, Source("gone.json", tmp_path / "gone.json"))
    assert "gone.json" in answer["files"][0]["error"]
