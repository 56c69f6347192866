"""The running app without a browser: who gets in, what commands get beside it, how it ends."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from browser_app import ROOT, SLOWPATH, App, free_port
from builders import spans
from command_line import answer
from stores_of_files import otlp_document

CHAT = ("a . web server 0 100 chat", "b a web client 20 80 generate")
SOON_S = 10


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    running = App(tmp_path_factory.mktemp("served"), SLOWPATH_PASSWORD="")
    yield running
    running.stop()


def export(folder, name="chat.json", trace_id="5b8efff798038103d269b633813fc60c"):
    path = folder / name
    path.write_text(json.dumps(otlp_document(spans(*CHAT, trace_id=trace_id))))
    return path


def announced(app):
    return json.loads(Path(f"{app.database}.app").read_text())


def asked(app, path, method="GET", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.request(method, f"{app.url}{path}", headers=named, timeout=60)


def handshake(app, **headers):
    """The status line that answers a websocket handshake."""
    lines = {"Host": f"localhost:{app.port}", "Upgrade": "websocket", "Connection": "Upgrade",
             "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
             **headers}  # fmt: skip
    said = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with socket.create_connection(("127.0.0.1", app.port), 30) as connection:
        connection.sendall(f"GET /_stcore/stream HTTP/1.1\r\n{said}\r\n".encode())
        return connection.recv(200).split(b"\r\n")[0].decode()


def test_the_app_says_that_it_is_well(app):
    said = asked(app, "/healthz").json()
    assert (said["status"], said["pid"]) == ("ok", app.process.pid)
    assert asked(app, "/").status_code == 200


@pytest.mark.parametrize("path", ["/", "/requests", "/healthz", "/api/requests", "/login"])
def test_an_unknown_host_and_a_foreign_origin_are_refused(app, path):
    assert asked(app, path, Host="evil.example").status_code == 403
    assert asked(app, path, Origin="http://evil.example").status_code == 403
    assert asked(app, path, "POST", Origin="null").status_code == 403


def test_a_websocket_opens_for_our_own_pages_only(app):
    assert "101" in handshake(app, Origin=app.url)
    assert "403" in handshake(app, Origin="http://evil.example")
    assert "403" in handshake(app, Host="evil.example")


def test_a_command_s_route_needs_the_token(app):
    assert asked(app, "/api/requests", "POST").status_code == 401
    assert asked(app, "/api/import", "POST").status_code == 401
    assert asked(app, "/api/requests", "POST", Authorization="Bearer x").status_code == 401
    token = f"Bearer {announced(app)['token']}"
    assert asked(app, "/api/requests", "POST", Authorization=token).status_code == 400
    assert asked(app, "/api/nothing", "POST", Authorization=token).status_code == 400


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("requests", b'{"slowest": "many"}', "requests slowest: expected a whole number, found"),
        ("breakdown", b'{"by": ["minute"]}', "breakdown by: expected a text"),
        ("rank", b'{"assume": {"x": NaN}}', "rank assume: expected an object of numbers"),
        ("imported", b"{}", "imported data_sets: expected a list of whole numbers, found nothing"),
        ("report", b'{"colour": 1}', "report: expected one of data_set"),
        ("show", b"[" * 100_000, "no JSON object"),
    ],
)
def test_wrong_parameters_are_the_asker_s_fault_and_said_in_one_line(app, path, body, says):
    headers = {"Authorization": f"Bearer {announced(app)['token']}"}
    given = requests.post(f"{app.url}/api/{path}", body, headers=headers, timeout=60)
    assert given.status_code == 400
    assert says in given.json()["error"]
    assert "\n" not in given.json()["error"]


def test_an_import_with_wrong_parameters_stores_nothing(app):
    headers = {"Authorization": f"Bearer {announced(app)['token']}"}
    for params in ("[]", '{"keep_content": "yes"}', '{"name": 7}'):
        named = headers | {"X-Slowpath-Params": params}
        given = requests.post(f"{app.url}/api/import", b"x", headers=named, timeout=60)
        assert given.status_code == 400
        assert given.json()["error"]


def test_the_app_s_file_is_for_its_owner_only(app):
    path = Path(f"{app.database}.app")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (announced(app)["port"], announced(app)["pid"]) == (app.port, app.process.pid)


@pytest.mark.parametrize(
    "command",
    [["requests"], ["requests", "--slowest", "3"], ["breakdown", "--by", "minute"], ["datasets"],
     ["rank"], ["metrics"]],
    ids=" ".join,
)  # fmt: skip
def test_a_command_beside_the_app_prints_what_it_prints_alone(app, command, tmp_path_factory):
    from services import imports, opening

    alone = tmp_path_factory.getbasetemp() / "alone.duckdb"
    if not alone.exists():
        store = opening.open_store(alone)
        sample = imports.Source(opening.SAMPLE.name, opening.SAMPLE)
        imports.import_files(store, [sample], sample=True)
        store.close()
    code, out, err = app.run(*command, "--json")
    assert (code, err) == (0, "")
    without_times = re.compile(r'"added_ns": \d+')
    expected = json.dumps(answer(alone, *command), indent=1, ensure_ascii=False) + "\n"
    assert without_times.sub("", out) == without_times.sub("", expected)


def test_faults_beside_the_app_are_the_same_lines(app):
    for arguments in (["show", "ffff"], ["requests", "--where", "x >"], ["report", "-o", "a.pdf"]):
        code, out, err = app.run(*arguments)
        assert (code, out) == (1, "")
        assert err.startswith("slowpath: ")
        assert err.count("\n") == 1


def test_offline_never_asks_the_app(app):
    code, _out, err = app.run("--offline", "requests")
    assert code == 1
    assert f"pid {app.process.pid}" in err


def test_files_folders_and_standard_input_go_through_the_app_and_out_again(app, tmp_path):
    (tmp_path / "in").mkdir()
    export(tmp_path / "in", "1.json", "01" * 16)
    export(tmp_path / "in", "2.json", "02" * 16)
    typed = json.dumps(otlp_document(spans(*CHAT, trace_id="03" * 16)))
    (tmp_path / "page.html").write_text("<html>")
    files = [str(tmp_path / "in"), "-", str(tmp_path / "page.html"), "--json"]
    done = subprocess.run(
        [*SLOWPATH, "--db", str(app.database), "import", *files],
        cwd=ROOT, input=typed, capture_output=True, text=True, check=False,
    )  # fmt: skip
    came = json.loads(done.stdout)
    assert (done.returncode, came["requests"], came["spans"]) == (1, 3, 6)
    assert "an HTML page" in done.stderr
    assert [bool(file["error"]) for file in came["files"]] == [False, False, False, True]
    code, _out, err = app.run("report", "-o", str(tmp_path / "report.html"))
    assert (code, (tmp_path / "report.html").exists()) == (0, True), err
    for file in came["files"][:3]:
        assert app.run("datasets", "--delete", str(file["data_set"]))[0] == 0
    assert len(json.loads(app.run("datasets", "--json")[1])) == 1


def resident_kb(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def test_a_file_over_the_upload_limit_goes_through_in_pieces(tmp_path):
    """A trace of 3 MB, then a 300 MB picture, where a browser may upload 1 MB."""
    trace, picture = export(tmp_path), tmp_path / "large.png"
    with trace.open("ab") as stream:
        stream.write(b" " * (3 << 20))
    with picture.open("wb") as stream:
        stream.write(b"\x89PNG\r\n\x1a\n")
        stream.truncate(300 << 20)
    app = App(tmp_path, "--max-upload-mb", "1", SLOWPATH_PASSWORD="")
    try:
        code, out, err = app.run("import", str(trace), "--json")
        assert (code, json.loads(out)["spans"]) == (0, 2), err
        before = resident_kb(app.process.pid)
        code, _out, err = app.run("import", str(picture))
        assert (code, "PNG" in err) == (1, True)
        assert resident_kb(app.process.pid) - before < 64 << 10
    finally:
        app.stop()


def test_a_second_app_on_the_database_or_the_port_is_one_clear_line(app, tmp_path):
    code, out, err = app.run("serve", "--port", str(free_port()))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"pid {app.process.pid}" in err
    command = [*SLOWPATH, "--db", str(tmp_path / "b.duckdb"), "serve", "--port", str(app.port)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "a free port" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "terminate"])
def test_the_app_ends_in_seconds_and_takes_its_file_along(tmp_path, number):
    app = App(tmp_path, SLOWPATH_PASSWORD="")
    app.process.send_signal(number)
    assert app.process.wait(SOON_S) == 0
    assert not Path(f"{app.database}.app").exists()
    assert "Traceback" not in app.log.read_text()
    assert len(answer(app.database, "requests")) == 480


def test_after_a_crash_the_next_command_answers_and_the_app_starts_again(tmp_path):
    app = App(tmp_path, SLOWPATH_PASSWORD="")
    app.process.kill()
    app.process.wait()
    assert Path(f"{app.database}.app").exists()
    assert len(answer(app.database, "requests")) == 480
    again = App(tmp_path, SLOWPATH_PASSWORD="")
    assert announced(again)["pid"] == again.process.pid
    again.stop()


def test_with_a_password_the_login_page_lets_in(tmp_path):
    app = App(tmp_path, "--host", "0.0.0.0", SLOWPATH_PASSWORD="open sesame")
    try:
        session = requests.Session()
        met = session.get(app.url, timeout=30)
        assert (met.url, "password" in met.text.lower()) == (f"{app.url}/login", True)
        assert asked(app, "/api/requests", "POST").status_code == 403
        wrong = session.post(f"{app.url}/login", data={"password": "x"}, timeout=30)
        assert (wrong.status_code, len(session.cookies)) == (401, 0)
        right = session.post(f"{app.url}/login", data={"password": "open sesame"}, timeout=30)
        assert (right.status_code, right.url) == (200, f"{app.url}/")
        assert app.run("datasets")[0] == 0
    finally:
        app.stop()


@pytest.mark.parametrize("server", ["streamlit", "uvicorn"])
def test_other_servers_start_the_app_from_any_folder(tmp_path, server):
    port, database = free_port(), tmp_path / "a.duckdb"
    how = {
        "streamlit": ["run", str(ROOT / "app.py"), f"--server.port={port}"],
        "uvicorn": ["--app-dir", str(ROOT), "app:app", "--port", str(port)],
    }[server]
    own = {"SLOWPATH_DB": str(database), "SLOWPATH_RULES": "", "SLOWPATH_PASSWORD": ""}
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", server, *how],
            cwd=tmp_path,
            env={**os.environ, **own},
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            assert healthy(f"http://localhost:{port}"), (tmp_path / "log").read_text()
            assert requests.get(f"http://localhost:{port}/", timeout=30).status_code == 200
            assert len(answer(database, "requests")) == 480
        finally:
            process.terminate()
            process.wait(SOON_S)
    assert not Path(f"{database}.app").exists()


def healthy(url):
    for _attempt in range(600):
        try:
            return requests.get(f"{url}/healthz", timeout=2).ok
        except requests.RequestException:
            time.sleep(0.1)
    return False
