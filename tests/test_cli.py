"""The command: readable answers on stdout, one clear line on stderr, exit codes 0, 1 and 2."""

import gzip
import json
import subprocess
import sys

import duckdb
import pytest
from browser_app import ROOT, SLOWPATH
from builders import TRACE, spans
from command_line import answer, run
from stores_of_files import otlp_document

CHAT = ("a . web server 0 100 chat", "b a web client 20 80 generate")
DOCUMENT = json.dumps(otlp_document(spans(*CHAT)))


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(DOCUMENT)
    return path


@pytest.fixture
def database(tmp_path, export):
    assert run(tmp_path / "a.duckdb", "import", export).code == 0
    return tmp_path / "a.duckdb"


def refused(done, *said, code=1):
    """One clear line on stderr, nothing on stdout."""
    assert done.code == code
    assert done.out == ""
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("slowpath: ")
    for part in said:
        assert part in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["import", "nowhere.json"], ["nowhere.json", "No such file"]),
        (["requests", "--where", "e2e_ms >"], ["expression", "character"]),
        (["requests", "--where", "nothere > 3"], ["nothere"]),
        (["requests", "--where", "1 = 1; DROP TABLE records"], ["expression"]),
        (["requests", "--since", "yesterday"], ["since", "ISO time", "yesterday"]),
        (["requests", "--until", "12 o'clock"], ["until", "ISO time"]),
        (["requests", "--slowest", "0"], ["slowest", "from 1"]),
        (["requests", "--slowest", "9" * 30], ["slowest", "from 1"]),
        (["breakdown", "--slo-ms", "-1"], ["slo_ms", "-1"]),
        (["breakdown", "--slo-ms", "inf"], ["slo_ms", "inf"]),
        (["rank", "--slo-ms", "nan"], ["slo_ms", "nan"]),
        (["rank", "--assume", "prefix_caching"], ["ID=VALUE"]),
        (["rank", "--assume", "nothing.at_all=1"], ["nothing.at_all"]),
        (["rank", "--assume", "async_observability=nan"], ["finite"]),
        (["show", "ffff"], ["ffff", TRACE]),
        (["show", f"{TRACE}/ffff"], ["ffff", "one of the roots"]),
        (["show", ""], ["the id of a trace"]),
        (["metrics", "nothere"], ["nothere"]),
        (["datasets", "--delete", "99"], ["99", "there: 1"]),
        (["collect", "ftp://host"], ["http://"]),
        (["report", "-o", "report.pdf"], [".html, .md, .json, .csv", ".pdf"]),
        (["report", "-o", "report"], ["no ending"]),
        (["report", "-o", "/nowhere/report.html"], ["/nowhere"]),
        (["report", "-o", "/proc/report.html"], ["/proc/report.html"]),
        (["report", "-o", "."], ["a folder"]),
    ],
    ids=lambda value: " ".join(value)[:60],
)
def test_a_fault_of_the_user_is_one_clear_line(database, arguments, said):
    refused(run(database, *arguments), *said)


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["nothing"], ["import"], ["show"], ["report"], ["breakdown", "--band", "p42"],
        ["breakdown", "--objective", "tpot"], ["rank", "--percentile", "42"],
        ["breakdown", "--slo-ms", "x"], ["breakdown", "--by", "weekday"], ["serve", "--port", "0"],
        ["serve", "--port", "99999"], ["serve", "--max-upload-mb", "-1"],
        ["compare", "a", "b"], ["explain"], ["tokens"], ["plan", "x"], ["rules", "make"],
        ["rules", "add"], ["rules", "delete"], ["rules", "unattributed", "--limit", "0"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_wrong_call_is_answered_with_the_usage(tmp_path, arguments):
    done = run(tmp_path / "a.duckdb", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: slowpath ")
    assert not (tmp_path / "a.duckdb").exists()


def databases(folder):
    """Path -> what is said of it."""
    (folder / "junk.duckdb").write_bytes(b"junk" * 4096)
    with duckdb.connect(folder / "other.duckdb") as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
    with duckdb.connect(folder / "meta.duckdb") as connection:
        connection.execute("CREATE TABLE meta (a INTEGER)")
    run(folder / "newer.duckdb", "requests")
    with duckdb.connect(folder / "newer.duckdb") as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    return {
        folder / "junk.duckdb": "not a valid DuckDB database",
        folder / "other.duckdb": "a database of something else",
        folder / "meta.duckdb": "a database of something else",
        folder / "newer.duckdb": "newer slowpath",
        folder: "Is a directory",
        "/proc/nowhere/a.duckdb": "a folder that can be written",
        "/dev/null/a.duckdb": "a folder that can be written",
    }


def test_a_database_that_cannot_be_used_is_named_with_the_reason(tmp_path):
    for path, said in databases(tmp_path).items():
        refused(run(path, "requests"), str(path).removesuffix("/a.duckdb"), said)


def test_a_database_that_another_process_holds_names_the_process(tmp_path):
    held = tmp_path / "held.duckdb"
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held'); input()"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", hold, held], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        refused(run(held, "requests"), f"pid {process.pid}", str(held))
        refused(run(held, "serve", "--port", "1"), f"pid {process.pid}")
        process.communicate(b"\n")


def test_a_file_that_is_no_export_is_told_beside_the_good_one(tmp_path, export):
    (tmp_path / "page.html").write_text("<html>no export</html>")
    done = run(tmp_path / "a.duckdb", "import", tmp_path / "page.html", export)
    assert done.code == 1
    assert "page.html" in done.err
    assert done.err.count("\n") == 1
    assert "2 spans, 2 new" in done.out
    assert "page.html" not in done.out
    told = run(tmp_path / "a.duckdb", "import", tmp_path / "page.html", export, "--json")
    assert told.code == 1
    assert [bool(file["error"]) for file in told.json["files"]] == [True, False]


def test_a_folder_without_files_is_one_clear_line(tmp_path):
    (tmp_path / "empty").mkdir()
    refused(run(tmp_path / "a.duckdb", "import", tmp_path / "empty"), "an empty folder")


def test_standard_input_folders_and_gzip_are_imported(tmp_path, export):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "chat.json.gz").write_bytes(gzip.compress(DOCUMENT.encode()))
    typed = answer(tmp_path / "a.duckdb", "import", "-", stdin=DOCUMENT)
    assert (typed["files"][0]["path"], typed["spans"]) == ("stdin", 2)
    packed = answer(tmp_path / "a.duckdb", "import", tmp_path / "in")
    assert packed["files"][0]["path"].endswith("in/deep/chat.json.gz")
    assert (packed["files"][0]["new_spans"], packed["requests"]) == (0, 1)


def test_the_environment_names_the_database_where_no_option_does(tmp_path, export):
    named = {"SLOWPATH_DB": str(tmp_path / "named.duckdb")}
    assert answer(None, "import", export, **named)["spans"] == 2
    assert len(answer(tmp_path / "named.duckdb", "requests")) == 1
    assert answer(tmp_path / "other.duckdb", "requests", **named) == []


def test_a_deleted_data_set_leaves_nothing_of_its_own(database):
    assert answer(database, "datasets", "--delete", "1") == {"requests": 1, "spans": 2}
    assert answer(database, "requests") == []
    assert answer(database, "datasets") == []


def test_answers_for_people_line_up(database):
    head, row = run(database, "requests").out.splitlines()
    assert head.split()[:2] == ["Trace", "Started"]
    assert row.startswith(TRACE)
    assert head.index("Status") == row.index("ok")
    assert head.index("E2E") + 3 == row.index("ms") + 2
    stages = run(database, "breakdown").out.splitlines()
    assert stages[0] == "1 request, 0 left out · mean of 1 is 100\u202fms"
    assert stages[2].split() == ["Stage", "Group", "Mean", "Share"]


def test_a_request_for_people_is_a_tree_with_bars(database):
    lines = run(database, "show", TRACE[:8]).out.splitlines()
    assert lines[0] == "chat · 100\u202fms · first token – · ok"
    assert TRACE in lines[1]
    assert lines[2].startswith("chat ")
    assert lines[3].startswith("  generate ")
    assert lines[3].count("█") == 24  # 60 of 100 ms, on 40 characters


def test_an_import_for_people_counts_one_and_many(tmp_path, export):
    lines = run(tmp_path / "a.duckdb", "import", export).out.splitlines()
    assert lines[0].endswith("chat.json: otlp_json · 2 spans, 2 new")
    assert lines[1].startswith("1 request, 2 spans in ")
    again = run(tmp_path / "a.duckdb", "import", export).out.splitlines()
    assert again[0].endswith("2 spans, 0 new · 2 duplicates · in the store already")


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    from services.opening import SAMPLE

    run(tmp_path / "a.duckdb", "import", SAMPLE)
    command = [*SLOWPATH, "--db", str(tmp_path / "a.duckdb"), "requests", "--json"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"[\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_an_open_address_needs_a_password(tmp_path, monkeypatch):
    monkeypatch.delenv("SLOWPATH_PASSWORD", raising=False)
    refused(run(tmp_path / "a.duckdb", "serve", "--host", "0.0.0.0"), "SLOWPATH_PASSWORD")


def test_the_version_and_every_command_have_their_help(tmp_path):
    assert run(tmp_path / "a", "--version").out == "slowpath, version 0.1.0\n"
    import cli

    for name in cli.main.commands:
        done = run(tmp_path / "a", name, "--help")
        assert done.code == 0
        assert done.out.startswith(f"Usage: slowpath {name} ")
